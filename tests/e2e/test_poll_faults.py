"""Bots without an address that spoil a match, and harm done to the service while they think (C5)."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest
import requests

from bots.sdk import Bot
from bots.sdk.api import Api
from bots.sdk.poll import Poller
from engines.protocol import MAX_REPLY_BYTES
from engines.record import verify
from tests.e2e.conftest import Service, wait_for
from tests.e2e.test_match import first_move
from workers.client import Client
from workers.stack import answers

pytestmark = pytest.mark.slow

QUICK = {"control": "per_move", "base_ms": 1000}
CALM = {"control": "per_move", "base_ms": 6000}


class Hand:
    """A bot without an address whose every poll and reply is made by the test."""

    def __init__(self, service: Service, game: str = "quixo") -> None:
        self.client = service.owner("hand")
        body = {"name": "hand", "games": [game], "transport": "poll"}
        self.id = self.client.post("/v1/bots", body)["id"]
        self.base = f"{service.base}/v1/bots/{self.id}"
        self.headers = {"Authorization": self.client._session.headers["Authorization"]}
        self.poll(0)

    def poll(self, wait: int = 10) -> list[dict[str, Any]]:
        answer = requests.get(f"{self.base}/turns", {"wait": wait}, headers=self.headers, timeout=40)
        assert answer.status_code in (200, 204), answer.text
        return answer.json()["messages"] if answer.status_code == 200 else []

    def reply(self, message: dict[str, Any], data: bytes = b"{}") -> int:
        path = f"{self.base}/replies/{message['message_id']}"
        return requests.post(path, data=data, headers=self.headers, timeout=40).status_code

    def next(self, kind: str) -> dict[str, Any]:
        """The next message, which must be of that kind."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for message in self.poll():
                assert message["type"] == kind, message
                return message
        raise AssertionError(f"no {kind} came")

    def begin(self) -> dict[str, Any]:
        """Answer `start`; the first turn."""
        assert self.reply(self.next("start")) == 204
        return self.next("move")


@pytest.fixture
def hand(service):
    return Hand(service)


@pytest.fixture
def there(service):
    """A well-behaved bot with an address, whose owner asks for the matches."""
    other = service.owner()
    return other, service.bot(other, "quixo", first_move())


def asked(there: tuple[Client, str], bots: list[str], **members: Any) -> str:
    body = {"game": "quixo", "bots": bots, "clock": QUICK, **members}
    return there[0].post("/v1/matches", body)["items"][0]["id"]


def moves_and_faults(client: Client, match_id: str, seat: int) -> list[dict[str, Any]]:
    events = client.get(f"/v1/matches/{match_id}/events", limit=200)["items"]
    return [event for event in events if event.get("seat") == seat and event["type"] in ("move", "fault")]


def lost_for(service: Service, hand: Hand, match_id: str) -> dict[str, Any]:
    """The fault that seat 0 lost a match for."""
    match = service.over(hand.client, match_id)
    fault = moves_and_faults(hand.client, match_id, 0)[-1]
    assert fault["type"] == "fault", fault
    assert match["result"]["placing"] == [2, 1]
    assert match["result"]["reason"] == fault["reason"]
    return fault


SPOILERS = [
    (b'{"move": "zz"}', "illegal-move", 204),
    (b'{"move": 99}', "illegal-move", 204),
    (b"", "malformed-reply", 204),
    (b"[]", "malformed-reply", 204),
    (b'{"move": 0, "move": 1}', "malformed-reply", 204),
    (b'{"move": NaN}', "malformed-reply", 204),
    (b'{"move": 0, "comment": "\xff"}', "malformed-reply", 204),
    (b" " * (MAX_REPLY_BYTES + 1), "too-large", 413),
    (b'{"resign": true}', "resigned", 204),
]


@pytest.mark.parametrize(("data", "reason", "status"), SPOILERS, ids=lambda v: str(v)[:20])
def test_a_bad_reply_is_the_same_fault_as_over_http(service, hand, there, data, reason, status):
    match_id = asked(there, [hand.id, there[1]])
    assert hand.reply(hand.begin(), data) == status
    fault = lost_for(service, hand, match_id)
    assert fault["reason"] == reason
    if reason not in ("too-large", "resigned"):
        assert fault["receipt"]["body"] == data.decode("utf-8", "backslashreplace")
    assert fault["receipt"]["stamp"] == "api"


def test_a_bot_that_stops_polling_runs_its_clock_down(service, hand, there):
    match_id = asked(there, [hand.id, there[1]])
    assert hand.reply(hand.next("start")) == 204
    begun = time.monotonic()
    fault = lost_for(service, hand, match_id)
    assert fault["reason"] == "timeout"
    assert "no poll fetched the message" in fault["detail"]
    assert 1_100_000 < fault["charged_us"] < 2_500_000, "two seconds are not charged"
    assert time.monotonic() - begun > 3


def test_a_turn_that_is_fetched_and_not_answered_is_lost_as_such(service, hand, there):
    match_id = asked(there, [hand.id, there[1]])
    turn = hand.begin()
    fault = lost_for(service, hand, match_id)
    assert fault["reason"] == "timeout"
    assert "a poll fetched the message" in fault["detail"]
    assert "no reply came" in fault["detail"]
    assert hand.reply(turn, b'{"move": 0}') == 410, "too late"


def test_a_turn_comes_again_and_its_first_reply_counts(service, hand, there):
    match_id = asked(there, [hand.id, there[1]], clock=CALM)
    turn = hand.begin()
    again = hand.next("move")
    assert again == turn
    assert hand.reply(turn, b'{"move": 1}') == 204
    assert hand.reply(turn, b'{"move": 2}') == 409
    later = hand.next("move")
    assert later["last_turn"]["stamp"] == "api"
    assert hand.reply(turn, b'{"move": 2}') == 409, "it was answered, and is over"
    assert hand.reply(later, b'{"resign": true}') == 204
    service.over(hand.client, match_id)
    assert moves_and_faults(hand.client, match_id, 0)[0]["move"] == turn["legal_moves"][1]
    end = hand.next("end")
    assert end["result"]["reason"] == "resigned"
    assert hand.reply(end) == 204
    assert hand.poll(0) == []


def test_what_was_illegal_may_be_mended_where_the_match_allows(service, hand, there):
    match_id = asked(there, [hand.id, there[1]], attempts=2, clock=CALM)
    turn = hand.begin()
    assert hand.reply(turn, b'{"move": "zz"}') == 204
    again = hand.next("move")
    assert (again["turn"], again["attempt"]) == (turn["turn"], 2)
    assert again["error"]["reason"] == "illegal-move"
    assert hand.reply(again, b'{"move": 0}') == 204
    assert hand.reply(hand.next("move"), b'{"resign": true}') == 204
    assert service.over(hand.client, match_id)["result"]["reason"] == "resigned"


def test_a_bot_that_thinks_is_charged_what_it_thinks(service, there):
    player = thinking(0.1)
    owner, poller = polls(service, player)
    match = service.match(there[0], "quixo", [there[1], the_bot(owner)])
    poller.stop()
    charged = sorted(event["charged_us"] for event in moves_and_faults(owner, match["id"], 1))
    assert len(charged) > 3
    assert 90_000 < charged[len(charged) // 2] < 160_000  # `./run bench poll` has the figures
    assert verify(owner.get(f"/v1/matches/{match['id']}/record")) == []


def test_one_bot_holds_both_seats_of_its_team_and_another_s_has_an_address(service):
    one, two = service.owner(), service.owner()
    poller = Poller(first_move("both seats"), Api(service.base, key_of(one)), lambda: None)
    there = service.bot(two, "quixo-teams", first_move())
    here = the_bot(one)
    match = service.match(two, "quixo-teams", [here, there, here, there], clock="rapid")
    poller.stop()
    record = one.get(f"/v1/matches/{match['id']}/record")
    assert verify(record) == []
    assert [event for event in record["events"] if event["type"] == "fault"] == []
    assert {event["seat"] for event in record["events"] if "receipt" in event} == {0, 2}


# Harm


def key_of(client: Client) -> str:
    return client._session.headers["Authorization"].removeprefix("Bearer ")


def thinking(seconds: float, first: threading.Event | None = None) -> Bot:
    """Plays the first move after a while; `first` is set when it is first asked."""
    player = Bot("thinker")

    @player.move
    def move(turn):
        if first is not None:
            first.set()
        time.sleep(seconds)
        return turn.legal_moves[0]

    return player


def polls(service: Service, player: Bot) -> tuple[Client, Poller]:
    owner = service.owner("poller")
    return owner, Poller(player, Api(service.base, key_of(owner)), lambda: None)


def the_bot(owner: Client) -> str:
    """The owner's one bot, once it polls."""
    wait_for(lambda: any(bot["last_poll_at"] for bot in owner.get("/v1/bots", owner="me")["items"]), "a poll")
    return owner.get("/v1/bots", owner="me")["items"][0]["id"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_dies_while_a_bot_thinks_costs_the_bot_nothing(service, hand, there, how):
    """The turn is asked again as another attempt; the reply to the old one comes too late."""
    match_id = asked(there, [hand.id, there[1]], clock=CALM)
    turn = hand.begin()
    worker = service.stack.parts["worker"]
    worker.send_signal(how)
    begun = time.monotonic()
    worker.wait(15)
    assert time.monotonic() - begun < 10, "whoever waits for a reply is not waited for"
    service.stack.start_part("worker", "worker", "--queue", "matches", "-c", "16")
    again = turn
    while again["message_id"] == turn["message_id"]:
        again = hand.next("move")
    assert hand.reply(turn, b'{"move": 1}') == 410
    assert again["attempt"] > turn["attempt"]
    assert again["legal_moves"] == turn["legal_moves"]
    assert again["clock"]["remaining_ms"] == turn["clock"]["remaining_ms"]
    assert hand.reply(again, b'{"move": 0}') == 204
    later = hand.next("move")
    assert hand.reply(later, b'{"resign": true}') == 204
    service.over(hand.client, match_id)
    first = moves_and_faults(hand.client, match_id, 0)[0]
    assert (first["attempt"], first["move"]) == (again["attempt"], turn["legal_moves"][0])
    assert first["charged_us"] < 3_000_000


def test_an_api_that_is_started_anew_costs_nobody_a_game(service, there):
    """The bot was thinking, and its next turns came while nobody could poll."""
    first = threading.Event()
    owner, poller = polls(service, thinking(0.3, first))
    match_id = asked(there, [the_bot(owner), there[1]], clock={"control": "per_move", "base_ms": 1500})
    assert first.wait(20)
    api = service.stack.parts["api"]
    os.killpg(api.pid, signal.SIGKILL)  # gunicorn and its worker
    api.wait()
    time.sleep(5)
    service.stack.start_part("api", "serve")
    wait_for(lambda: answers(f"{service.base}/readyz"), "the API")
    match = service.over(owner, match_id)
    poller.stop()
    events = owner.get(f"/v1/matches/{match_id}/events", limit=200)["items"]
    assert [event for event in events if event["type"] == "fault"] == []
    assert match["result"]["outcome"] in ("decided", "drawn")
    charged = [event["charged_us"] for event in events if event["type"] == "move" and event["seat"] == 0]
    assert max(charged) < 1_600_000


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_bot_that_never_answers_start_does_not_come(service, hand, there):
    match_id = asked(there, [hand.id, there[1]])
    wait_for(lambda: hand.client.get(f"/v1/matches/{match_id}")["state"] == "finished", "the no-show", 150)
    fault = lost_for(service, hand, match_id)
    assert fault["reason"] == "no-show"
    assert "no poll fetched the message" in fault["detail"]

"""Webhooks over real HTTP: signed, told once each, tried again, paused when nobody is there."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from engines.protocol import check_signature
from engines.registry import game_named
from service.config import Settings
from service.ids import new_id
from service.models import Role, Webhook
from service.store import keys
from service.store.bots import new_secret
from service.store.checks import Course
from service.store.webhooks import EVENTS, FAILURES_TO_PAUSE
from service.times import rfc3339
from tests.clockwork import LOOPBACK, loopback_network
from tests.service.api.playing import play
from tests.service.store.make import a_bot, a_match
from tests.service.venue import a_tournament
from workers.bot_client import Guard, Network, Proxy
from workers.delivering import deliver
from workers.hooks import WAITS_MS

TRIES = len(WAITS_MS) + 1


class Receiver:
    """Keeps what is posted and answers `status`."""

    def __init__(self) -> None:
        self.status = 204
        self.tail = b"Content-Length: 0\r\n\r\n"
        self.pause_s = 0.0
        self.got: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
                time.sleep(receiver.pause_s)
                self.send_response(receiver.status)
                self.flush_headers()
                self.wfile.write(receiver.tail)

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.got]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    found = Receiver()
    yield found
    found.close()


@pytest.fixture
def owner(store):
    return store.owners.create("Ada", Role.PLAYER)


@pytest.fixture
def hook(store, owner, receiver) -> Webhook:
    made = Webhook(new_id("w"), owner.id, receiver.url, EVENTS, new_secret(), 1)
    return store.webhooks.create(made, 5)


def tell(store, times: int = 1) -> None:
    """What a control worker does, without waiting for letters that were put off."""
    for _ in range(times):
        deliver(store, loopback_network(), Settings(public_url="https://arbiter.example"))
        _make_due(store)


def _make_due(store) -> None:
    for key in store.db.run("KEYS", "*:outbox"):
        for letter in store.db.run("ZRANGE", key, 0, -1):
            store.db.run("ZADD", key, 1, letter)


def ping(store, hook, number: object) -> None:
    item = {"kind": "webhook", "event": "ping", "webhook": hook.id, "at": 1}
    store.outbox.add(f"{hook.id}:ping:{number}", item)


def finished_match(store, owner) -> str:
    bots = [store.bots.create(a_bot(name, owner=o)) for name, o in (("x", owner.id), ("y", "o_other"))]
    match = a_match(*bots, options=game_named("quixo").full_options({}))
    store.matches.create(match)
    play(store, match.id)
    return match.id


def test_a_finished_match_is_told_once_and_signed(store, owner, hook, receiver):
    match = finished_match(store, owner)
    tell(store, 3)
    [(headers, body)] = receiver.got
    told = json.loads(body)
    assert (told["type"], told["data"]["match"]) == ("match.finished", match)
    assert told["data"]["result"]["reason"] == "resigned"
    assert told["data"]["record_url"] == f"https://arbiter.example/v1/matches/{match}/record"
    assert told["timestamp"].endswith("Z")
    assert check_signature(hook.secret, headers, body, int(time.time()))
    assert not check_signature(new_secret(), headers, body, int(time.time()))
    [delivery] = store.webhooks.deliveries(hook.id)
    assert (delivery.delivered, delivery.status, delivery.event) == (True, 204, "match.finished")


def test_after_a_rotation_both_secrets_sign_and_a_day_later_the_new_one_alone(store, hook, receiver):
    rotated = store.webhooks.rotate_secret(hook.id)
    for number in range(2):
        ping(store, hook, number)
        tell(store)
        store.db.run("HSET", keys.webhook(hook.id), "previous_secret_until", 1)
    now = int(time.time())
    signed = [
        [check_signature(secret, headers, body, now) for secret in (rotated.secret, hook.secret)]
        for headers, body in receiver.got
    ]
    assert signed == [[True, True], [True, False]]


def test_what_fails_is_tried_again_with_the_same_id(store, owner, hook, receiver):
    receiver.status = 500
    finished_match(store, owner)
    tell(store, 2)
    receiver.status = 200
    tell(store, 2)
    assert len(receiver.got) == 3
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1
    assert [d.delivered for d in store.webhooks.deliveries(hook.id)] == [True, False, False]
    assert "500" in store.webhooks.deliveries(hook.id)[-1].detail


def test_a_webhook_that_nothing_reaches_is_paused_and_a_ping_lets_it_go_on(store, owner, hook, receiver):
    receiver.status = 500
    for number in range(FAILURES_TO_PAUSE):
        ping(store, hook, number)
    tell(store, TRIES)
    assert len(receiver.got) == FAILURES_TO_PAUSE * TRIES
    paused = store.webhooks.get(hook.id)
    assert "did not arrive" in paused.paused
    assert store.outbox.size() == 0
    before = len(receiver.got)
    ping(store, hook, "x")
    tell(store)
    assert len(receiver.got) == before
    receiver.status = 200
    store.webhooks.go_on(hook.id)
    ping(store, hook, "y")
    tell(store)
    assert len(receiver.got) == before + 1
    assert store.webhooks.get(hook.id).paused is None


def test_410_ends_it(store, owner, hook, receiver):
    receiver.status = 410
    finished_match(store, owner)
    tell(store, 3)
    assert len(receiver.got) == 1
    assert "410" in store.webhooks.get(hook.id).paused


def test_a_paused_bot_is_told(store, owner, hook, receiver):
    bot = store.bots.create(a_bot("z", owner=owner.id))
    for _ in range(6):
        store.bots.failed(bot.id, "timeout at turn 3")
    tell(store, 2)
    [told] = receiver.bodies()
    assert (told["type"], told["data"]["bot"]) == ("bot.paused", bot.id)
    assert "timeout at turn 3" in told["data"]["reason"]


def test_only_what_was_asked_for_is_told(store, owner, receiver):
    made = Webhook(new_id("w"), owner.id, receiver.url, ("bot.paused",), new_secret(), 1)
    store.webhooks.create(made, 5)
    finished_match(store, owner)
    tell(store, 2)
    assert receiver.got == []
    assert store.outbox.size() == 2, "the end messages of the two bots, which nobody took"


def test_a_private_address_is_not_called(store, owner, hook, receiver):
    """The same guard as for bots: loopback only where the operator allows it."""
    finished_match(store, owner)
    deliver(store, Network(Guard.of(())), Settings())
    assert receiver.got == []
    assert "127.0.0.1" in store.webhooks.deliveries(hook.id)[0].detail


def test_every_try_says_when_the_next_one_is(store, owner, hook, receiver):
    receiver.status = 500
    finished_match(store, owner)
    tell(store, TRIES + 2)
    tries = store.webhooks.deliveries(hook.id)[::-1]
    assert [try_.attempt for try_ in tries] == list(range(1, TRIES + 1))
    waits = [try_.next_at and try_.next_at - try_.at for try_ in tries]
    assert waits == [*WAITS_MS, None]


def test_each_webhook_of_an_owner_has_tries_of_its_own(store, owner, hook, receiver):
    other = Receiver()
    other.status = 500
    second = Webhook(new_id("w"), owner.id, other.url, EVENTS, new_secret(), 1)
    store.webhooks.create(second, 5)
    finished_match(store, owner)
    tell(store, 2)
    other.close()
    assert (len(receiver.got), len(other.got)) == (1, 2)
    assert receiver.got[0][0]["webhook-id"] != other.got[0][0]["webhook-id"]


def test_what_follows_a_good_status_does_not_matter(store, owner, hook, receiver):
    receiver.tail = b"Content-Encoding: gzip\r\nContent-Length: 999999\r\n\r\nxx"
    finished_match(store, owner)
    tell(store, 2)
    assert len(receiver.got) == 1
    assert [try_.delivered for try_ in store.webhooks.deliveries(hook.id)] == [True]


def test_a_redirect_is_not_followed(store, owner, hook, receiver):
    receiver.status = 302
    receiver.tail = f"Location: {receiver.url}/elsewhere\r\nContent-Length: 0\r\n\r\n".encode()
    finished_match(store, owner)
    tell(store)
    assert len(receiver.got) == 1
    assert store.webhooks.deliveries(hook.id)[0].status == 302


def test_one_that_keeps_us_waiting_does_not_keep_others_waiting(store, owner, hook, receiver):
    """While it is hushed its letters count as tried; none is sent."""
    store.webhooks.hush(hook.id)
    finished_match(store, owner)
    tell(store)
    assert receiver.got == []
    [delivery] = store.webhooks.deliveries(hook.id)
    assert (delivery.delivered, delivery.attempt) == (False, 1)
    assert "waited for in vain" in delivery.detail
    assert delivery.next_at


def test_a_slow_receiver_is_hushed(store, owner, hook, receiver, monkeypatch):
    monkeypatch.setattr("workers.hooks.LIMIT_US", 300_000)
    monkeypatch.setattr("workers.hooks.SLOW_S", 0.2)
    receiver.pause_s = 0.6
    finished_match(store, owner)
    tell(store)
    assert store.webhooks.is_hushed(hook.id)
    assert "timeout" in store.webhooks.deliveries(hook.id)[0].detail


def test_a_deleted_webhook_is_told_nothing(store, owner, hook, receiver):
    ping(store, hook, "1")
    store.webhooks.delete(hook.id)
    tell(store)
    assert (receiver.got, store.outbox.size()) == ([], 0)


def test_a_paused_bot_that_came_back_is_still_told_of_as_it_was(store, owner, hook, receiver):
    receiver.status = 500
    bot = store.bots.create(a_bot("z", owner=owner.id, verified_at=5))
    for _ in range(5):
        store.bots.failed(bot.id, "timeout at turn 3")
    tell(store)
    store.verifications.passed(bot)
    receiver.status = 200
    tell(store)
    one, two = receiver.got
    assert one[1] == two[1], "the same message, to the byte"
    assert "timeout at turn 3" in json.loads(two[1])["data"]["reason"]
    assert store.checks.get(bot.id) == Course()


def test_a_tournament_that_finishes_again_is_told_again(store, owner, hook, receiver):
    cup = store.tournaments.create(a_tournament(owner=owner.id))
    store.tournaments.start(cup.id, 0)
    for _ in range(2):
        finished = store.tournaments.finish(cup.id, 0)
        tell(store, 2)
        assert receiver.bodies()[-1]["data"]["tournament"] == cup.id
        assert receiver.bodies()[-1]["timestamp"] == rfc3339(finished.finished_at)
        store.db.run("HSET", keys.tournament(cup.id), "state", "running")  # as when a result is voided
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == len(receiver.got) == 2


def test_a_fault_of_ours_uses_up_no_try(store, owner, hook, receiver):
    """C5: an egress proxy that is away is no failure of the receiver's."""
    away = Network(Guard.of(LOOPBACK), proxy=Proxy.parse("http://127.0.0.1:9"))
    finished_match(store, owner)
    for _ in range(TRIES + 2):
        deliver(store, away, Settings())
        _make_due(store)
    assert store.webhooks.get(hook.id).failures == 0
    tell(store)
    [delivery] = store.webhooks.deliveries(hook.id)
    assert (delivery.delivered, delivery.attempt) == (True, 1)

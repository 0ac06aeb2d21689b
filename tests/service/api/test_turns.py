"""Bots without an address over the API: their turns, their replies, and polls on a real server."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time

import pytest

from engines.protocol import MAX_REPLY_BYTES
from service.api import streams
from service.matches import SILENT_MS
from service.store.mailbox import Place
from tests.service.api.conftest import Person, fields, problem
from tests.service.api.playing import begin
from tests.service.api.served import Served

BODY = b'{"protocol":1,"type":"move"}'
LIMIT_US = 60_000_000


class Match:
    """A running match between a bot of Ada's that polls and one of Bob's with an address."""

    def __init__(self, service, ada: Person, bob: Person) -> None:
        self.store, self.ada = service.store, ada
        about = {"name": "P", "games": ["quixo"], "transport": "poll"}
        self.bot = ada.post("/v1/bots", json=about).json["id"]
        self.path = f"/v1/bots/{self.bot}"
        assert self.turns("wait=0").status_code == 204
        wanted = {"game": "quixo", "bots": [self.bot, service.bot(bob)["id"]]}
        self.id = ada.post("/v1/matches", json=wanted).json["items"][0]["id"]
        self.claim = begin(self.store, self.id)
        self.place = Place(self.bot, self.id, 0)

    def ask(self, turn: int = 0) -> str:
        """Put a question; its message's id."""
        name = f"{self.id}:{turn}:1"
        assert self.store.mailbox.ask(self.claim, self.place, name, BODY, LIMIT_US)
        return name

    def turns(self, query: str, person: Person | None = None):
        return (person or self.ada).get(f"{self.path}/turns?{query}")

    def reply(self, name: str, person: Person | None = None, data: bytes = b'{"move":0}', **more):
        return (person or self.ada).post(f"{self.path}/replies/{name}", data=data, **more)

    def taken(self, name: str) -> bytes:
        outcome = self.store.mailbox.wait(self.place, name, LIMIT_US, lambda: None)
        return outcome.reply


@pytest.fixture
def match(service, ada, bob):
    return Match(service, ada, bob)


def test_a_turn_is_fetched_and_answered(match):
    name = match.ask()
    answer = match.turns("wait=5")
    assert answer.json == {"messages": [{"message_id": name, "protocol": 1, "type": "move"}]}
    assert answer.headers["Cache-Control"] == "no-store"
    assert "ETag" not in answer.headers
    assert match.reply(name).status_code == 204
    assert match.taken(name) == b'{"move":0}'
    assert match.turns("wait=0").status_code == 204


def test_a_reply_counts_once(match):
    name = match.ask()
    assert match.reply(name).status_code == 204
    assert problem(match.reply(name)) == (409, "already-answered")
    match.ask(turn=2)
    assert problem(match.reply(name)) == (409, "already-answered")


def test_what_is_over_is_gone(match):
    old = match.ask()
    match.ask(turn=2)
    for name in (old, f"{match.id}:4:1", f"{match.id}:nonsense", match.id):
        assert problem(match.reply(name)) == (410, "gone")
    assert problem(match.reply("nonsense")) == (404, "not-found")


def test_whatever_the_reply_is_it_is_the_referee_s_to_judge(match):
    for turn, data in enumerate([b"", b"[]", b"\xff\xfe", b'{"a":1,"a":2}', b"{" * 1000, b"NaN"]):
        name = match.ask(turn)
        assert match.reply(name, data=data).status_code == 204
        assert match.taken(name) == data


def test_a_reply_that_is_too_large_is_taken_as_that(match):
    name = match.ask(0)
    assert match.reply(name, data=b" " * MAX_REPLY_BYTES).status_code == 204
    name = match.ask(2)
    assert problem(match.reply(name, data=b" " * 1_000_000)) == (413, "body-too-large")
    assert len(match.taken(name)) == MAX_REPLY_BYTES + 1


def test_an_encoded_reply_is_refused_and_the_turn_stays_open(match):
    name = match.ask()
    answer = match.reply(name, headers={"Content-Encoding": "gzip"})
    assert problem(answer) == (415, "unsupported-media-type")
    assert match.reply(name).status_code == 204


def test_turns_are_their_owner_s_only(match, service, bob):
    name = match.ask()
    assert problem(match.turns("wait=0", bob)) == (404, "not-found")
    assert problem(match.reply(name, bob)) == (404, "not-found")
    assert problem(match.turns("wait=0", service.nobody)) == (401, "no-key")
    key = service.store.keys.create(match.ada.id, "no play", ("read", "bots")).text
    other = Person(match.ada.client, match.ada.id, key)
    assert problem(match.turns("wait=0", other)) == (403, "missing-scope")


def test_a_bot_with_an_address_has_no_turns_to_fetch(service, ada):
    bot = service.bot(ada)["id"]
    assert problem(ada.get(f"/v1/bots/{bot}/turns")) == (409, "wrong-state")
    assert problem(ada.post(f"/v1/bots/{bot}/replies/x", data=b"{}")) == (409, "wrong-state")


@pytest.mark.parametrize("query", ["wait=31", "wait=-1", "wait=x", "max=0", "max=65", "since=1"])
def test_wrong_queries_are_refused(match, query):
    assert match.turns(query).status_code in (400, 422)


def test_as_many_as_are_wanted_come(match):
    for seat in range(2):
        match.store.mailbox.tell(Place(match.bot, match.id, seat), f"{match.id}:end:{seat}", BODY)
    names = [f"{match.id}:end:{seat}" for seat in range(2)]
    found = [[m["message_id"] for m in match.turns(f"wait=1&max={n}").json["messages"]] for n in (1, 8)]
    assert found == [names[:1], names[1:]]


def test_a_match_is_not_made_with_a_bot_that_is_not_there_to_poll(service, ada, bob):
    """It would not show up: whoever asks is told instead."""
    about = {"name": "P", "games": ["quixo"], "transport": "poll"}
    bot = ada.post("/v1/bots", json=about).json["id"]
    wanted = {"game": "quixo", "bots": [service.bot(bob)["id"], bot]}
    answer = bob.post("/v1/matches", json=wanted)
    assert problem(answer) == (409, "bot-away")
    assert fields(answer) == ["bots.1"]
    ada.get(f"/v1/bots/{bot}/turns?wait=0")
    assert bob.post("/v1/matches", json=wanted).status_code == 201
    assert ada.get(f"/v1/bots/{bot}").json["last_poll_at"] is not None
    long_ago = time.time_ns() // 1_000_000 - SILENT_MS
    service.store.db.run("HSET", f"{{accounts}}:bot:{bot}", "last_poll_at", long_ago)
    assert problem(bob.post("/v1/matches", json=wanted)) == (409, "bot-away")


def test_polls_beyond_the_cap_get_what_is_there_or_come_again(match, monkeypatch):
    monkeypatch.setattr(streams.polls, "taken", 200)
    answer = match.turns("wait=30")
    assert problem(answer) == (503, "too-many-streams")
    assert answer.headers["Retry-After"] == "1", "within what is not charged"
    name = match.ask()
    assert [m["message_id"] for m in match.turns("wait=30").json["messages"]] == [name]
    assert match.turns("wait=30").status_code == 503, "it has just been fetched"


def test_turns_have_a_rate_of_their_own(start_service):
    """Whoever plays fast uses up neither his reads nor his writes."""
    service = start_service(
        rate_reads="5 per minute", rate_writes="30 per minute", rate_turns="10 per minute"
    )
    match = Match(service, service.somebody(), service.somebody())
    for turn in range(4):
        match.reply(match.ask(turn))
        match.turns("wait=0")
    assert match.turns("wait=0").status_code == 204
    assert problem(match.turns("wait=0")) == (429, "too-many-requests")
    assert match.ada.get(match.path).status_code == 200


# On a server


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    found = Served(tmp_path_factory.mktemp("served"), max_streams=2, max_polls=4, api_threads=4)
    yield found
    found.close()


class Polls:
    """A bot that polls on a server, and a match of its that is being played."""

    def __init__(self, served: Served) -> None:
        self.served, self.headers = served, served.owner(f"Ada {time.monotonic_ns()}")
        about = {"name": "P", "games": ["quixo"], "transport": "poll"}
        self.bot = served.post("/v1/bots", json=about, headers=self.headers).json()["id"]
        self.path = f"/v1/bots/{self.bot}/turns"
        assert self.fetch("wait=0").status_code == 204
        other = {**about, "name": "Q"}
        bob = served.owner(f"Bob {time.monotonic_ns()}")
        bots = [self.bot, served.post("/v1/bots", json=other, headers=bob).json()["id"]]
        served.get(f"/v1/bots/{bots[1]}/turns?wait=0", headers=bob)
        made = served.post("/v1/matches", json={"game": "quixo", "bots": bots}, headers=self.headers).json()
        self.match = made["items"][0]["id"]
        self.claim = begin(served.store, self.match)
        self.place = Place(self.bot, self.match, 0)

    def fetch(self, query: str):
        return self.served.get(f"{self.path}?{query}", headers=self.headers)

    def ask(self, turn: int) -> str:
        name = f"{self.match}:{turn}:1"
        assert self.served.store.mailbox.ask(self.claim, self.place, name, BODY, LIMIT_US)
        return name

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        """A request as it goes over the wire."""
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {self.headers['Authorization']}\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.served.port), 10)

    def outcome(self, name: str):
        return self.served.store.mailbox.wait(self.place, name, LIMIT_US, lambda: None)


@pytest.fixture
def bot(served):
    return Polls(served)


def test_a_waiting_poll_gets_the_turn_at_once(bot):
    found = []

    def poll():
        answer = bot.fetch("wait=8")
        found.append(([m["message_id"] for m in answer.json()["messages"]], time.monotonic()))

    waiting = threading.Thread(target=poll)
    waiting.start()
    time.sleep(0.5)
    name, asked = bot.ask(0), time.monotonic()
    waiting.join(5)
    assert found[0][0] == [name]
    assert found[0][1] - asked < 0.5


def test_a_poll_whose_client_has_hung_up_takes_nothing(bot):
    """The bot was started anew: its old poll must not get the turn, nor keep its place."""
    for _ in range(4):
        with bot.connect() as old:
            old.sendall(bot.request("GET", f"{bot.path}?wait=30"))
            time.sleep(0.2)
    name = bot.ask(0)
    time.sleep(0.5)
    asked = time.monotonic()
    assert [m["message_id"] for m in bot.fetch("wait=8").json()["messages"]] == [name]
    assert time.monotonic() - asked < 1
    begun = time.monotonic()
    while bot.fetch("wait=1").status_code == 503:
        assert time.monotonic() - begun < 5, "the places of dead polls are free within seconds"


def test_the_service_s_own_time_is_not_charged(bot):
    """C2: a reply counts from its last byte, however late the service comes to read it."""
    name = bot.ask(0)
    assert bot.fetch("wait=1").status_code == 200
    with bot.connect() as connection:
        time.sleep(0.2)
        os.killpg(bot.served.process.pid, signal.SIGSTOP)  # gunicorn and its worker
        try:
            time.sleep(0.1)
            connection.sendall(bot.request("POST", f"/v1/bots/{bot.bot}/replies/{name}", b'{"move":0}'))
            time.sleep(1.0)
        finally:
            os.killpg(bot.served.process.pid, signal.SIGCONT)
        assert connection.recv(100).startswith(b"HTTP/1.1 204")
    outcome = bot.outcome(name)
    assert 0.2e6 < outcome.ended_us - outcome.delivered_us < 0.8e6


def test_a_reply_counts_from_its_last_byte(bot):
    """To send the head early gains nothing."""
    name = bot.ask(0)
    assert bot.fetch("wait=1").status_code == 200
    with bot.connect() as connection:
        whole = bot.request("POST", f"/v1/bots/{bot.bot}/replies/{name}", b'{"move":0}')
        connection.sendall(whole[:-1])
        time.sleep(0.6)
        connection.sendall(whole[-1:])
        assert connection.recv(100).startswith(b"HTTP/1.1 204")
    outcome = bot.outcome(name)
    assert outcome.ended_us - outcome.delivered_us > 0.55e6


def test_polls_end_at_ctrl_c_too(tmp_path):
    served = Served(tmp_path, max_streams=2, max_polls=2, api_threads=2)
    try:
        bot, found = Polls(served), []
        waiting = threading.Thread(target=lambda: found.append(bot.fetch("wait=25").status_code))
        waiting.start()
        time.sleep(1)
        served.process.send_signal(signal.SIGINT)
        waiting.join(4)
        assert found == [204]
        assert served.process.wait(8) == 0
    finally:
        served.close()


@pytest.mark.slow
def test_the_desk_is_open_while_the_server_is_and_polls_end_at_a_stop(tmp_path):
    served = Served(tmp_path, max_streams=2, max_polls=2, api_threads=2)
    try:
        bot = Polls(served)
        since = served.store.desk.since_us()
        assert since is not None
        found = []

        def poll():
            with contextlib.suppress(OSError):
                found.append(bot.fetch("wait=9").status_code)

        waiting = threading.Thread(target=poll)
        waiting.start()
        time.sleep(3.5)
        assert served.store.desk.since_us() == since
        served.process.send_signal(signal.SIGTERM)
        waiting.join(3)
        assert found == [204]
        served.process.wait(20)
        time.sleep(3.1)
        assert served.store.desk.since_us() is None
    finally:
        served.close()

"""The doctor: healthy bots pass, each kind of illness is named, and every finding says how to mend it."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bots.samples import random_bot
from bots.sdk import Bot
from engines.clock import Control
from engines.referee import referee
from engines.registry import GAMES
from service.endpoint import Endpoint
from tests.hostile import BEHAVIOURS, hostile
from workers.doctor import Level, Patient, by_http, examine, failed
from workers.doctor.positions import KINDS, positions
from workers.local_bots import new_secret
from workers.local_play import open_network

SECRET = new_secret()
UNHURRIED = Control("per_move", base_ms=5000)
QUICK = Control("per_move", base_ms=250, allowance_ms=50)


def patient(url, game="quixo", **changes):
    return Patient(by_http(Endpoint.parse(url), open_network()), GAMES[game], [SECRET], **changes)


def by_check(findings):
    return {finding.check: finding for finding in findings}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_healthy_bot_passes_in_every_game(game, monkeypatch):
    monkeypatch.setattr("workers.doctor.checks.HURRY", UNHURRIED)  # a busy machine is not the bot's fault
    with random_bot.make().listen(secret=SECRET) as server:
        findings = list(examine(patient(server.url, game)))
    assert not failed(findings)
    assert {finding.level for finding in findings} == {Level.OK, Level.NOTE}
    expected = {"verification", "start", "match", "end", "keep-alive", "positions", "again", "hurry"}
    assert set(by_check(findings)) == expected | {"signature", "unasked", "concurrency", "one-piece", "pace"}
    assert f"{len(KINDS[game])} kinds" in by_check(findings)["positions"].summary


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_kind_of_position_is_found_and_is_what_it_says(game):
    found = dict(positions(GAMES[game], QUICK))
    assert set(found) == set(KINDS[game])
    for name, setup in found.items():
        turn = next(referee(setup))
        assert KINDS[game][name](turn.state, turn.legal), name


@pytest.fixture(scope="module")
def hostile_findings():
    """The findings about every hostile bot, examined a few at a time: most of them only let one wait."""

    def examined(name):
        with hostile(name) as bot:
            return list(examine(patient(bot.url, control=QUICK, wait_us=400_000)))

    with ThreadPoolExecutor(8) as pool:
        return dict(zip(BEHAVIOURS, pool.map(examined, BEHAVIOURS), strict=True))


MUST_BE_NAMED = """
header drip, body drip, endless 100-Continue, endless headers, chunk drip, stall, reset at every byte,
lying Content-Length, too short, too long, gzip bomb, redirect to loopback, redirect to file:,
204, 404, 410, 500, HTML, BOM, NaN, duplicate keys, a number of 10 000 digits, nesting of 10 000,
an illegal move, another seat's move, last turn's move, two replies, HTTP/0.9, upgrade,
a reply before the request is read, keep-alive that dies between turns
"""


def test_no_known_hostility_is_left_out():
    assert {name.strip() for name in MUST_BE_NAMED.split(",")} <= set(BEHAVIOURS)


@pytest.mark.parametrize("name", sorted(BEHAVIOURS))
def test_every_hostile_bot_is_named_for_what_it_does(hostile_findings, name):
    findings = hostile_findings[name]
    assert failed(findings)
    told = [finding for finding in findings if finding.level in (Level.ADVICE, Level.ERROR)]
    assert all(finding.sent and finding.came and finding.expected and finding.mend for finding in told)
    reason = BEHAVIOURS[name].reason
    assert reason is None or reason in {finding.reason for finding in told}


NAMED = {
    "two replies": ("unasked", "comes behind the bot's answer"),
    "a second reply a little later": ("unasked", "comes behind the bot's answer"),
    "a reply before the request is read": ("unasked", "before it is asked"),
    "keep-alive that dies between turns": ("keep-alive", "a new connection for every turn"),
    "keep-alive that dies as the next request comes": ("keep-alive", "a new connection for every turn"),
}


def test_what_is_odd_and_no_fault_is_named_too(hostile_findings):
    assert set(NAMED) == {name for name, bot in BEHAVIOURS.items() if bot.reason is None}
    for name, (check, what) in NAMED.items():
        found = by_check(hostile_findings[name])[check]
        assert (found.level, what in found.summary) == (Level.ADVICE, True), name


class Ill(ThreadingHTTPServer):
    """Passes for a random bot but for its habit, which gets the handler, the message and the reply."""

    daemon_threads = True

    def __init__(self, habit, protocol="HTTP/1.1"):
        self.bot, self.habit = random_bot.make(), habit
        super().__init__(("127.0.0.1", 0), type("Handler", (IllHandler,), {"protocol_version": protocol}))
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/"

    def __exit__(self, *error):
        self.shutdown()
        self.server_close()


class IllHandler(BaseHTTPRequestHandler):
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.habit(self, message, self.server.bot.answer(message, SECRET).reply)

    def give(self, reply, status=200, pause_s=0.0):
        body = json.dumps(reply).encode()
        head = f"HTTP/1.1 {status} OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        if pause_s:
            self.wfile.write(head)
            time.sleep(pause_s)
            head = b""
        self.wfile.write(head + body)


def habit_nagle(handler, message, reply):
    handler.give(reply, pause_s=0.04)


def habit_slow(handler, message, reply):
    if message["type"] == "move" and message["clock"]["limit_ms"] < 300:
        time.sleep(0.35)
    handler.give(reply)


def habit_echo(handler, message, reply):
    handler.give({"answer": message["challenge"]} if message["type"] == "verify" else reply)


def habit_no_end(handler, message, reply):
    handler.give(reply, 404 if message["type"] == "end" else 200)


def habit_no_start(handler, message, reply):
    handler.give(reply, 500 if message["type"] == "start" else 200)


def habit_odd_nonce(handler, message, reply):
    handler.give({"nonce": "HELLO"} if message["type"] == "start" else reply)


def habit_fragile(handler, message, reply):
    handler.give(reply, 400 if "doctor" in message else 200)


def habit_first_attempt_only(handler, message, reply):
    handler.give(reply, 409 if message.get("attempt", 1) > 1 else 200)


def habit_resigns(handler, message, reply):
    handler.give({"resign": True} if message["type"] == "move" else reply)


def habit_none(handler, message, reply):
    handler.give(reply)


ILL = [
    (habit_nagle, "one-piece", Level.ADVICE, "TCP_NODELAY"),
    (habit_slow, "hurry", Level.ADVICE, "turn.clock.share_s"),
    (habit_echo, "verification", Level.ERROR, "the bytes that the base64"),
    (habit_no_end, "end", Level.ADVICE, "answer 200"),
    (habit_no_start, "start", Level.ERROR, "answer 200"),
    (habit_odd_nonce, "start", Level.ADVICE, "answer {}"),
    (habit_fragile, "start", Level.ERROR, "answer 200"),
    (habit_first_attempt_only, "again", Level.ERROR, "answer 200"),
    (habit_resigns, "match", Level.ADVICE, "resign only when"),
    (habit_none, "signature", Level.ADVICE, "webhook-signature"),
]


@pytest.mark.parametrize(("habit", "check", "level", "mend"), ILL)
def test_habits_are_found(habit, check, level, mend):
    with Ill(habit) as server:
        findings = by_check(examine(patient(server.url)))
    assert (findings[check].level, mend in findings[check].mend) == (level, True)


def test_one_global_for_all_matches_is_found():
    bot = Bot("forgetful")
    shown = {}

    @bot.move
    def move(turn):
        shown["moves"] = turn.legal_moves
        time.sleep(0.02)
        return shown["moves"][-1]

    with bot.listen(secret=SECRET) as server:
        findings = by_check(examine(patient(server.url, "sorry", concurrency=3)))
        alone = by_check(examine(patient(server.url, "sorry", concurrency=1)))
    assert findings["positions"].level is Level.OK
    assert findings["concurrency"].reason == "illegal-move"
    assert "global variables" in findings["concurrency"].mend
    assert "concurrency" not in alone


def test_connections_that_are_closed_after_every_answer_are_found():
    with Ill(habit_none, "HTTP/1.0") as server:
        findings = by_check(examine(patient(server.url)))
    assert findings["keep-alive"].level is Level.ADVICE


def test_without_a_secret_a_bot_that_checks_is_told_apart():
    with random_bot.make().listen(secret=SECRET) as server:
        findings = by_check(examine(replace(patient(server.url), secrets=[])))
    assert findings["verification"].level is Level.NOTE
    assert "same secret" in findings["match"].mend


def test_a_bot_that_is_not_there_is_one_finding():
    (finding,) = examine(patient("http://127.0.0.1:9/"))
    assert (finding.check, finding.level, finding.reason) == ("reach", Level.ERROR, "unreachable")

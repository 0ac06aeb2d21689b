"""Checks of bots over real HTTP: who proves what, and what follows from it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest.mock import Mock

import pytest

from engines.protocol import check_signature, verify_answer
from engines.registry import GAMES
from service.checking import EVERY_MS
from service.config import Settings
from service.models import MATCH_QUEUE, BotState
from service.store.bots import new_secret
from service.store.checks import GONE
from service.store.owners import now_ms
from service.store.verifications import TRIES
from tests.clockwork import loopback_network
from tests.service.store.make import a_bot, a_match, claimed, finish, finished, result_of, started
from workers.bot_client import Line, Unreachable
from workers.delivering import deliver
from workers.noting import note_match
from workers.serving import Hall
from workers.verifying import check, verify

OLD, NEW = new_secret(), new_secret()


class Program:
    """A bot that holds `secret`, answers challenges with it, and `status` with everything."""

    def __init__(self) -> None:
        self.secret, self.status = NEW, 200
        self.signed: list[bool] = []
        self.meanwhile: Callable[[], object] = lambda: None
        program = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                program.signed.append(check_signature(program.secret, headers, body, now_ms() // 1000))
                answer = verify_answer(program.secret, json.loads(body).get("challenge", ""))
                reply = json.dumps({"answer": answer}).encode()
                program.meanwhile()
                self.send_response(program.status)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"


@pytest.fixture
def program() -> Iterator[Program]:
    running = Program()
    yield running
    running.server.shutdown()
    running.server.server_close()


@pytest.fixture
def bot(store, program):
    return store.bots.create(a_bot(url=program.url, secret=NEW, verified_at=5))


def paused(store, bot) -> None:
    for _ in range(5):
        store.bots.failed(bot.id, "timeout")


def test_a_checked_bot_has_proved_itself_today(store, bot, program):
    before = now_ms()
    check(store, loopback_network(), bot.id)
    assert store.bots.get(bot.id).verified_at >= before
    assert program.signed == [True]


def test_five_failed_checks_pause_a_bot_and_probing_begins(store, bot, program):
    program.status = 500
    for _ in range(4):
        check(store, loopback_network(), bot.id)
    assert store.bots.get(bot.id).state is BotState.ACTIVE
    check(store, loopback_network(), bot.id)
    after = store.bots.get(bot.id)
    assert after.state is BotState.PAUSED
    assert "status 500" in after.state_reason
    deliver(store, loopback_network(), Settings())
    assert store.checks.get(bot.id).probing
    assert store.info()["due"] == 1


def test_a_paused_bot_resumes_after_two_good_checks(store, bot, program):
    paused(store, bot)
    check(store, loopback_network(), bot.id)
    assert store.bots.get(bot.id).state is BotState.PAUSED
    check(store, loopback_network(), bot.id)
    assert store.bots.get(bot.id).state is BotState.ACTIVE


def test_a_paused_bot_resumes_at_once_by_its_owners_check(store, bot):
    paused(store, bot)
    store.checks.begin(bot.id)
    verify(store, loopback_network(), bot.id)
    assert store.bots.get(bot.id).state is BotState.ACTIVE
    assert not store.checks.get(bot.id).probing


@pytest.mark.parametrize("how", [check, verify])
def test_410_pauses_a_bot_for_good(store, bot, program, how):
    program.status = 410
    how(store, loopback_network(), bot.id)
    after = store.bots.get(bot.id)
    assert (after.state, after.state_reason) == (BotState.PAUSED, GONE)
    assert store.checks.get(bot.id).gone
    if how is verify:
        assert "410" in store.verifications.get(bot.id).detail


def test_410_to_a_bot_that_was_never_verified_only_fails_the_check(store, program):
    program.status = 410
    bot = store.bots.create(a_bot(url=program.url, state=BotState.UNVERIFIED))
    verify(store, loopback_network(), bot.id)
    assert store.bots.get(bot.id).state is BotState.UNVERIFIED
    assert store.verifications.get(bot.id).state == "failed"


def closed_url() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}/"


@pytest.mark.parametrize("status", [200, 410, 500])
@pytest.mark.parametrize(("how", "verified_at"), [(verify, None), (verify, 5), (check, 5)])
def test_an_address_proves_nothing_of_the_one_that_takes_its_place(store, program, how, verified_at, status):
    """Otherwise anybody could prove anybody's address, by changing to it while an own one answers."""
    state = BotState.ACTIVE if verified_at else BotState.UNVERIFIED
    bot = store.bots.create(a_bot(url=program.url, secret=NEW, verified_at=verified_at, state=state))

    def move():
        store.bots.update(bot.id, {"url": "http://elsewhere.test/"})
        store.verifications.ask(bot.id)

    program.status, program.meanwhile = status, move
    how(store, loopback_network(), bot.id)
    after = store.bots.get(bot.id)
    assert (after.state, after.verified_at) == (BotState.UNVERIFIED, None)
    assert store.verifications.get(bot.id).state == "pending", "the new address is still to be asked"
    assert not store.checks.get(bot.id).gone


def test_a_changed_address_gets_nothing_of_a_match_before_it_is_proved(store, program):
    """Neither its moves nor its end: otherwise a match would be a way to anybody's address."""
    bot, other = (
        store.bots.create(a_bot(name, owner=name, url=f"{program.url}{name}", secret=NEW, verified_at=5))
        for name in ("moves", "stays")
    )
    hall = Hall(Settings(), store, Mock(), MATCH_QUEUE, 1, loopback_network(), Mock(), Mock())
    claim = claimed(store, a_match(bot, other, options=GAMES["quixo"].full_options({})))
    store.bots.update(bot.id, {"url": program.url})
    moved, stayed = hall.contacts(claim)
    assert isinstance(stayed.line, Line)
    with pytest.raises(Unreachable, match="not verified yet"):
        moved.line.post(b"{}", {}, 1_000_000)
    finish(store, claim, 1, 2)
    deliver(store, loopback_network(), Settings())
    assert len(program.signed) == 1, "the other bot was told"
    verify(store, loopback_network(), bot.id)
    store.outbox.again(f"{claim.match.id}:end:0", 0)
    deliver(store, loopback_network(), Settings())
    assert len(program.signed) == 3, "proved, and told of the end"


def test_a_bot_that_is_off_uses_up_none_of_its_tries(store, program):
    bot = store.bots.create(a_bot(url=closed_url(), state=BotState.UNVERIFIED))
    for _ in range(TRIES + 2):
        verify(store, loopback_network(), bot.id)
        assert "connection refused" in store.verifications.get(bot.id).detail


def test_requests_that_came_are_used_up(store, program):
    program.status = 500
    bot = store.bots.create(a_bot(url=program.url, state=BotState.UNVERIFIED))
    for _ in range(TRIES + 2):
        verify(store, loopback_network(), bot.id)
    assert len(program.signed) == TRIES
    assert "try again after" in store.verifications.get(bot.id).detail


def test_why_a_bot_was_paused_is_public_and_its_address_is_not(store):
    url = closed_url()
    bot = store.bots.create(a_bot(url=url, secret=NEW, verified_at=5))
    for _ in range(5):
        check(store, loopback_network(), bot.id)
    reason = store.bots.get(bot.id).state_reason
    assert reason.endswith("unreachable: the bot could not be reached: connection refused")
    verify(store, loopback_network(), bot.id)
    assert "127.0.0.1" in store.verifications.get(bot.id).detail


@pytest.mark.parametrize(
    ("held", "passes"),
    [(OLD, True), (NEW, True), (new_secret(), False)],
    ids=["old", "new", "another"],
)
def test_while_a_secret_is_rotated_either_proves(store, bot, program, held, passes):
    """Requests are signed with both for a day, so a bot that still holds the old one is well."""
    store.db.run("HSET", f"{{accounts}}:bot:{bot.id}", "secret", OLD)
    rotated = store.bots.rotate_secret(bot.id)
    program.secret = {OLD: OLD, NEW: rotated.secret}.get(held, held)
    verify(store, loopback_network(), bot.id)
    assert store.verifications.get(bot.id).state == ("passed" if passes else "failed")
    assert program.signed == [passes]


def test_after_a_day_the_old_secret_proves_nothing(store, bot, program):
    store.bots.rotate_secret(bot.id)
    store.db.run("HSET", f"{{accounts}}:bot:{bot.id}", "previous_secret_until", now_ms() - 1)
    verify(store, loopback_network(), bot.id)
    assert store.verifications.get(bot.id).state == "failed"
    assert program.signed == [False]


def test_every_verification_leads_to_further_checks(store, bot):
    verify(store, loopback_network(), bot.id)
    assert store.info()["due"] == 1


def test_every_bot_that_plays_is_checked_in_ten_days_at_the_latest(store, bot):
    match = a_match(bot, store.bots.create(a_bot("other")))
    for at in (1, 2):
        note_match(store, match, [started(), {**finished(result_of(1, 2)), "at": at - EVERY_MS}])
    assert sorted(task.payload["bot"] for task in store.due.take()) == sorted(p.bot for p in match.players)


@pytest.mark.parametrize(("silent_ms", "state"), [(0, BotState.ACTIVE), (10**9, BotState.PAUSED)])
def test_a_paused_bot_that_polls_is_well_when_it_polls(store, silent_ms, state):
    bot = store.bots.create(a_bot(url=None, transport="poll"))
    store.db.run("HSET", f"{{accounts}}:bot:{bot.id}", "last_poll_at", now_ms() - silent_ms)
    paused(store, bot)
    check(store, loopback_network(), bot.id)
    check(store, loopback_network(), bot.id)
    assert store.bots.get(bot.id).state is state

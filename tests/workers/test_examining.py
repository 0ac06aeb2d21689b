"""Examinations of registered bots: over real HTTP, through the mailbox, and what they may not do."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager

import pytest

from bots.samples import random_bot
from engines.clock import Control
from engines.registry import GAMES
from service.errors import Unavailable
from service.ids import new_id
from service.models import BotState, Examination, ExaminationState
from service.store import keys
from service.store.bots import new_secret
from service.store.examinations import Bounds
from service.store.owners import now_ms
from service.store.verifications import TRIES
from tests.clockwork import loopback_network
from tests.hostile import hostile
from tests.service.store.make import a_bot, a_match
from workers import examining
from workers.examining import BUSY, GAVE_UP, make_examination

SECRET = new_secret()
UNHURRIED = Control("per_move", base_ms=5000)
AT_HOME = {"verification", "signature", "unasked", "keep-alive", "one-piece"}  # of a bot with an address
EVERYBODY = {"start", "match", "end", "positions", "again", "hurry", "concurrency", "pace"}


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch):
    monkeypatch.setattr("workers.doctor.checks.HURRY", UNHURRIED)  # a busy machine is not the bot's fault


@pytest.fixture
def store(redis_url):
    from service.store import Store

    opened = Store.connect(redis_url)
    yield opened
    opened.close()


def asked(store, bot, *games: str, clock: Control = UNHURRIED) -> Examination:
    draft = Examination(new_id("c"), bot.id, bot.owner, games or bot.games, clock.to_json(), now_ms())
    return store.examinations.ask(draft, None, Bounds(100, 100), None)


def made(store, examination, stopping=lambda: False) -> tuple[Examination, dict]:
    """How it stands with an examination after a worker was told of it, and its findings by check."""
    make_examination(store, loopback_network(), examination.id, stopping)
    after = store.examinations.get(examination.bot, examination.id)
    return after, {finding["check"]: finding for finding in store.examinations.findings(examination.id)}


@pytest.fixture
def healthy():
    with random_bot.make().listen(secret=SECRET) as server:
        yield server.url


def test_a_healthy_bot_is_put_through_everything_in_each_of_its_games(store, healthy):
    bot = store.bots.create(
        a_bot(url=healthy, secret=SECRET, verified_at=5, concurrency=2, games=("quixo", "sorry"))
    )
    after, _ = made(store, asked(store, bot))
    findings = store.examinations.findings(after.id)
    assert (after.state, after.detail) == (ExaminationState.DONE, None)
    assert after.requests > 50
    for game in bot.games:
        assert {f["check"] for f in findings if f["game"] == game} == AT_HOME | EVERYBODY
    assert {f["level"] for f in findings} == {"ok", "note"}
    assert store.schedule.open_matches(bot.id) == 0, "its places are free again"


def test_a_secret_that_is_being_rotated_counts(store, healthy):
    bot = store.bots.create(a_bot(url=healthy, secret=SECRET, verified_at=5))
    store.bots.rotate_secret(bot.id)
    _, found = made(store, asked(store, bot))
    assert found["verification"]["level"] == "ok"


def test_an_unverified_bot_is_verified_by_its_check(store, healthy):
    bot = store.bots.create(a_bot(url=healthy, secret=SECRET, state=BotState.UNVERIFIED))
    _, found = made(store, asked(store, bot))
    assert found["match"]["level"] == "ok"
    assert store.bots.get(bot.id).state is BotState.ACTIVE
    assert store.verifications.get(bot.id).state == "passed"


def test_an_address_that_was_changed_before_the_proof_is_not_called(store, healthy):
    with hostile("HTML") as stranger:
        bot = store.bots.create(a_bot(url=stranger.url, secret=SECRET, state=BotState.UNVERIFIED))
        moves = iter([lambda: store.bots.update(bot.id, {"url": healthy})])
        _, found = made(store, asked(store, bot), stopping=lambda: bool(next(moves, bool)() and False))
        assert (set(found), stranger.requests) == ({"later"}, [])
    assert store.bots.get(bot.id).state is BotState.ACTIVE


def test_places_of_a_check_stay_with_the_worker_that_took_it_over(store, healthy):
    """F3: one that slept for longer than its hold gives nothing back when it wakes."""
    bot = store.bots.create(a_bot(url=healthy, secret=SECRET, verified_at=5))
    examination = asked(store, bot)

    def taken_over() -> bool:
        store.db.run("HSET", keys.examination(examination.id), "held_until", 0)
        if store.examinations.begin(examination.id):
            assert store.schedule.visit(examination.id, bot, 1) == 1
        return False

    after, _ = made(store, examination, taken_over)
    assert after.state is ExaminationState.RUNNING
    assert store.schedule.open_matches(bot.id) == 1


def test_an_unverified_address_gets_one_request_a_check(store):
    with hostile("HTML") as program:
        bot = store.bots.create(a_bot(url=program.url, secret=SECRET, state=BotState.UNVERIFIED))
        for number in range(1, TRIES + 1):
            _, found = made(store, asked(store, bot))
            assert len(program.requests) == number
        assert set(found) == {"verification", "later"}
        assert found["verification"]["level"] == "error"
        assert "HMAC-SHA256" in found["verification"]["expected"]
        _, found = made(store, asked(store, bot))
        assert len(program.requests) == TRIES, "that was all for today"
        assert "3 requests were sent to this address" in found["verification"]["summary"]
    assert store.bots.get(bot.id).state is BotState.UNVERIFIED


def test_a_bot_that_says_gone_when_it_is_to_be_verified_is_told_so(store):
    with hostile("410") as program:
        bot = store.bots.create(a_bot(url=program.url, secret=SECRET, state=BotState.UNVERIFIED))
        _, found = made(store, asked(store, bot))
    assert found["verification"]["reason"] == "http-error"
    assert store.checks.get(bot.id).gone


def test_addresses_that_the_service_does_not_call_are_not_called(store):
    bot = store.bots.create(a_bot(url="http://10.0.0.1/", secret=SECRET, verified_at=5))
    after, found = made(store, asked(store, bot))
    assert after.state is ExaminationState.DONE
    assert set(found) == {"reach"}
    assert "10.0.0.1" in found["reach"]["summary"]


def test_a_bot_without_a_place_left_waits_for_one(store, healthy, monkeypatch):
    bot, other = (
        store.bots.create(a_bot(name, url=healthy, secret=SECRET, verified_at=5)) for name in ("one", "other")
    )
    store.workers.beat("w", "matches", 50, 0)
    (match,) = store.matches.create([a_match(bot, other)])
    assert store.schedule.ready() == [match.id]
    examination = asked(store, bot)
    after, found = made(store, examination)
    assert (after.state, after.detail, found) == (ExaminationState.WAITING, BUSY, {})
    monkeypatch.setattr(examining, "BUSY_MOST_MS", -1)
    after, _ = made(store, examination)
    assert (after.state, after.detail) == (ExaminationState.FAILED, GAVE_UP)
    store.schedule.release([match.id])
    after, found = made(store, asked(store, bot))
    assert after.state is ExaminationState.DONE
    assert "concurrency" not in found, "F3: it declared one match at a time"


def test_places_that_matches_take_are_left_to_them(store, healthy):
    """F3: of two places one is taken, so the doctor plays one match at a time, and says so."""
    bot, other = (
        store.bots.create(a_bot(name, url=healthy, secret=SECRET, verified_at=5, concurrency=2))
        for name in ("one", "other")
    )
    store.workers.beat("w", "matches", 50, 0)
    store.matches.create([a_match(bot, other)])
    assert len(store.schedule.ready()) == 1
    after, found = made(store, asked(store, bot))
    assert after.state is ExaminationState.DONE
    assert (found["concurrency"]["level"], "one place free" in found["concurrency"]["summary"]) == (
        "note",
        True,
    )
    assert store.schedule.open_matches(bot.id) == 1


def test_a_bot_that_was_retired_meanwhile_is_not_called(store, healthy):
    bot = store.bots.create(a_bot(url=healthy, secret=SECRET, verified_at=5))
    examination = asked(store, bot)
    store.bots.set_state(bot.id, BotState.RETIRED)
    after, found = made(store, examination)
    assert (after.state, after.detail, found) == (
        ExaminationState.FAILED,
        "the bot was retired meanwhile",
        {},
    )


def test_a_check_ends_when_its_time_is_up(store, healthy, monkeypatch):
    monkeypatch.setattr(examining, "BUDGET_S", 0.0)
    bot = store.bots.create(a_bot(url=healthy, secret=SECRET, verified_at=5))
    after, found = made(store, asked(store, bot))
    assert (after.state, set(found)) == (ExaminationState.DONE, {"time"})


def test_a_worker_that_stops_leaves_it_to_another(store, healthy):
    bot = store.bots.create(a_bot(url=healthy, secret=SECRET, verified_at=5))
    examination = asked(store, bot)
    after, _ = made(store, examination, stopping=lambda: True)
    assert after.state is ExaminationState.WAITING
    assert store.schedule.open_matches(bot.id) == 0
    assert made(store, examination)[0].state is ExaminationState.DONE


def test_while_redis_is_away_a_check_is_left_for_later(store, healthy):
    bot = store.bots.create(a_bot(url=healthy, secret=SECRET, verified_at=5))
    examination = asked(store, bot)
    asks = iter(range(1000))

    def stopping() -> bool:
        """Seen before every message: at the sixth Redis is away."""
        if next(asks) == 5:
            raise Unavailable("Redis does not answer")
        return False

    after, _ = made(store, examination, stopping)
    assert after.state is ExaminationState.RUNNING
    store.db.run("HSET", keys.examination(examination.id), "held_until", 1)
    assert made(store, examination)[0].state is ExaminationState.DONE


# Bots without an address


@contextmanager
def polling(store, bot, deaf_to: str = "", fetches: bool = True):
    """A bot that fetches its messages from the store, as the API does for it."""
    player, stop = random_bot.make(), threading.Event()
    store.desk.open()

    def poll() -> None:
        while not stop.wait(0 if fetches else 0.1):
            store.desk.beat()
            for mail in store.mailbox.fetch(bot.id, 8, 200, lambda: None) if fetches else []:
                message = json.loads(mail.body)
                if message["type"] != deaf_to:
                    reply = json.dumps(player.answer(message, None).reply).encode()
                    store.mailbox.reply(bot.id, mail.id, reply, 0)

    thread = threading.Thread(target=poll)
    store.bots.polled(bot.id)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.fixture
def poller(store):
    return store.bots.create(
        a_bot(url=None, transport="poll", secret=SECRET, games=tuple(GAMES), concurrency=3)
    )


def test_a_bot_that_polls_is_asked_through_its_mailbox(store, poller):
    with polling(store, poller):
        after, found = made(store, asked(store, poller, "sorry-teams"))
    assert after.state is ExaminationState.DONE
    assert set(found) == EVERYBODY
    assert {f["level"] for f in found.values()} == {"ok", "note"}


def test_a_bot_that_has_not_polled_is_one_finding(store, poller):
    begun = time.monotonic()
    _, found = made(store, asked(store, poller, "quixo"))
    assert set(found) == {"reach"}
    assert "start the bot" in found["reach"]["mend"]
    assert time.monotonic() - begun < 5


def test_a_bot_that_fetches_and_does_not_answer_is_named(store, poller):
    quick = Control("per_move", base_ms=100, allowance_ms=50)
    with polling(store, poller, deaf_to="move"):
        _, found = made(store, asked(store, poller, "quixo", clock=quick))
    assert (found["start"]["level"], found["match"]["level"]) == ("ok", "error")
    assert found["match"]["reason"] == "timeout"
    assert "no reply came" in found["match"]["summary"]


def test_a_bot_that_stopped_polling_is_told_to_poll_at_all_times(store, poller, monkeypatch):
    monkeypatch.setattr(examining, "WAIT_US", 100_000)
    quick = Control("per_move", base_ms=100, allowance_ms=50)
    with polling(store, poller, fetches=False):
        _, found = made(store, asked(store, poller, "quixo", clock=quick))
    assert "does not poll" in found["match"]["summary"]
    assert found["match"]["mend"].startswith("let a poll wait at all times")

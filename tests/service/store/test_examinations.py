"""Examinations by the doctor: one at a time for a bot, bounded, held by one worker, lost by nobody."""

from __future__ import annotations

import pytest

from engines.clock import PRESETS
from service.errors import NotFound, Refused
from service.ids import new_id
from service.models import Examination, ExaminationState
from service.store import Once, keys
from service.store.examinations import AT_ONCE, SPENT, TRIES, Bounds
from service.store.owners import now_ms
from tests.service.store.make import a_bot, a_match
from workers.sweep import end_visits

PLENTY = Bounds(owner=100, host=100)


def asked(
    store, bot: str = "b_1", owner: str = "o_1", host: str | None = "bots.example", **more
) -> Examination:
    draft = Examination(new_id("c"), bot, owner, ("quixo",), PRESETS["course"].to_json(), now_ms())
    return store.examinations.ask(draft, host, more.get("bounds", PLENTY), more.get("once"))


def over(store, examination) -> None:
    store.examinations.finish(store.examinations.begin(examination.id), 1)


def silent(store, examination) -> None:
    """Whoever had it has not been heard of for a long time."""
    store.db.run("HSET", keys.examination(examination.id), "held_until", 1)


def test_one_that_is_under_way_is_the_answer_and_the_next_is_a_new_one(store):
    first = asked(store)
    assert (first.state, asked(store).id) == (ExaminationState.WAITING, first.id)
    held = store.examinations.begin(first.id)
    assert asked(store).id == first.id
    store.examinations.finish(held, 7)
    after = store.examinations.get("b_1", first.id)
    assert (after.state, after.requests, after.finished_at is not None) == (ExaminationState.DONE, 7, True)
    second = asked(store)
    assert second.id != first.id
    assert store.examinations.latest("b_1") == second


def test_a_request_that_comes_again_makes_nothing_new(store):
    once = Once("o_1", "key-0123", "payload")
    first = asked(store, once=once)
    over(store, first)
    assert asked(store, once=once).id == first.id
    with pytest.raises(Refused) as refused:
        asked(store, once=Once("o_1", "key-0123", "another payload"))
    assert refused.value.problem == "idempotency-key-reused"


def test_an_owner_has_few_at_once(store):
    first, *_ = [asked(store, bot=f"b_{n}") for n in range(AT_ONCE)]
    with pytest.raises(Refused, match="wait until one is over"):
        asked(store, bot="b_more")
    assert asked(store, bot="b_more", owner="o_2").state is ExaminationState.WAITING
    over(store, first)
    assert asked(store, bot="b_more").state is ExaminationState.WAITING


def test_an_owner_and_a_host_have_so_many_a_day(store):
    for n in range(2):
        over(store, asked(store, bot=f"b_{n}", bounds=Bounds(2, 3)))
    with pytest.raises(Refused, match="you have had 2 checks today") as refused:
        asked(store, bounds=Bounds(2, 3))
    assert refused.value.problem == "checks-used-up"
    over(store, asked(store, bot="b_a", owner="o_2", bounds=Bounds(2, 3)))
    with pytest.raises(Refused, match=r"bots on bots\.example have had 3 checks today"):
        asked(store, bot="b_b", owner="o_2", bounds=Bounds(2, 3))
    assert asked(store, bot="b_c", owner="o_2", host=None, bounds=Bounds(2, 3)).bot == "b_c"


def test_findings_come_in_their_order_and_once(store):
    held = store.examinations.begin(asked(store).id)
    assert store.examinations.found(held, 1, {"check": "start"})
    assert store.examinations.found(held, 1, {"check": "start"}), "the same call again"
    assert store.examinations.found(held, 2, {"check": "match"})
    assert store.examinations.renew(held, "quixo", 5)
    seen = store.examinations.get("b_1", held.examination.id)
    assert (seen.state, seen.game, seen.requests) == (ExaminationState.RUNNING, "quixo", 5)
    assert [f["check"] for f in store.examinations.findings(seen.id)] == ["start", "match"]


def test_whoever_falls_silent_loses_it_to_the_next_who_begins_anew(store):
    examination = asked(store)
    first = store.examinations.begin(examination.id)
    store.examinations.found(first, 1, {"check": "start"})
    assert store.examinations.begin(examination.id) is None, "somebody has it"
    silent(store, examination)
    second = store.examinations.begin(examination.id)
    assert second is not None
    assert not store.examinations.found(first, 2, {"check": "match"})
    store.examinations.finish(first, 9)
    assert store.examinations.get("b_1", examination.id).state is ExaminationState.RUNNING
    assert store.examinations.findings(examination.id) == []


def test_what_was_begun_in_vain_too_often_has_failed(store):
    examination = asked(store)
    for _ in range(TRIES):
        assert store.examinations.begin(examination.id)
        silent(store, examination)
    assert store.examinations.begin(examination.id) is None
    failed = store.examinations.get("b_1", examination.id)
    assert (failed.state, failed.detail) == (ExaminationState.FAILED, SPENT)


def test_what_is_put_off_without_blame_may_be_begun_any_number_of_times(store):
    examination = asked(store)
    for _ in range(TRIES + 1):
        held = store.examinations.begin(examination.id)
        store.examinations.put_off(held, "the bot is busy", 0, blame=False)
    waiting = store.examinations.get("b_1", examination.id)
    assert (waiting.state, waiting.detail) == (ExaminationState.WAITING, "the bot is busy")


def test_workers_are_told_now_and_then_of_what_waits(store):
    examination = asked(store)
    assert store.examinations.overdue() == [examination.id]
    assert store.examinations.overdue() == []
    store.examinations.put_off(store.examinations.begin(examination.id), "busy", 0, blame=False)
    assert store.examinations.overdue() == [examination.id]
    over(store, examination)
    assert store.examinations.open([examination.id]) == [False]
    assert store.examinations.overdue() == []


def test_somebody_elses_bot_has_no_such_check(store):
    with pytest.raises(NotFound):
        store.examinations.get("b_2", asked(store).id)


def test_a_visit_takes_places_like_matches_and_never_more_than_the_bot_declared(store):
    bot, other = (store.bots.create(a_bot(name, concurrency=3)) for name in ("one", "other"))
    store.workers.beat("w", "matches", 50, 0)
    made = store.matches.create([a_match(bot, other) for _ in range(4)])
    assert len(store.schedule.ready(1)) == 1
    assert store.schedule.visit("c_1", bot, 4) == 2, "F3: one place is taken by a match"
    assert store.schedule.visit("c_1", bot, 4) == 2, "the same call again"
    assert store.schedule.visit("c_2", bot, 1) == 0
    assert store.schedule.ready() == [], "the others wait"
    store.schedule.leave("c_1")
    store.schedule.leave("c_1")
    assert len(store.schedule.ready()) == 2
    assert len(made) == 4


def test_places_that_a_lost_worker_has_taken_are_given_back(store):
    bot = store.bots.create(a_bot())
    examination = asked(store, bot=bot.id)
    store.schedule.visit(examination.id, bot, 1)
    end_visits(store)
    assert store.schedule.open_matches(bot.id) == 1, "it is not over"
    over(store, examination)
    end_visits(store)
    assert store.schedule.open_matches(bot.id) == 0

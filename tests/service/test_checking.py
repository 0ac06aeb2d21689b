"""When bots are checked: every ten days in use, and while paused, more and more seldom, up to ten times."""

from itertools import pairwise

import pytest

from service.checking import AGAIN_MS, EVERY_MS, PROBES_MS, SECOND_MS, begin_probing, keep_checking, look
from service.config import Settings
from service.due import Desk, do_due
from service.jobs import Jobs
from service.models import CONTROL_QUEUE, BotState
from service.store import keys
from service.store.owners import now_ms
from tests.service.store.make import a_bot

DAY = 24 * 3600 * 1000


@pytest.fixture
def jobs(redis_server):
    return Jobs.at(redis_server.url)


def asked(store) -> int:
    """How many checks the workers have been asked for."""
    return store.db.run("LLEN", CONTROL_QUEUE)


def a_used_bot(store, now, **members):
    bot = store.bots.create(a_bot(**{"verified_at": now - EVERY_MS - 1, **members}))
    store.health.note(now - DAY, {bot.id: ([(1, 1)], {})})
    return bot


def paused(store, **members):
    bot = store.bots.create(a_bot(verified_at=5, **members))
    for _ in range(5):
        store.bots.failed(bot.id, "timeout")
    return bot


def test_a_bot_in_use_is_checked_ten_days_after_its_last_proof(store, jobs):
    now = now_ms()
    bot = a_used_bot(store, now, verified_at=now - 9 * DAY)
    assert look(store, jobs, bot.id, now) == now + DAY
    assert asked(store) == 0
    assert look(store, jobs, bot.id, now + DAY) == now + DAY + AGAIN_MS
    assert asked(store) == 1


def test_a_check_that_was_passed_is_followed_by_the_next_in_ten_days(store, jobs):
    now = now_ms()
    bot = a_used_bot(store, now)
    look(store, jobs, bot.id, now)
    verified = store.checks.passed(bot).verified_at
    assert look(store, jobs, bot.id, now + AGAIN_MS) == verified + EVERY_MS
    assert asked(store) == 1


def test_a_bot_that_nobody_uses_is_left_in_peace_until_it_is_used(store, jobs):
    now = now_ms()
    bot = store.bots.create(a_bot(verified_at=5))
    assert look(store, jobs, bot.id, now) == now + DAY
    assert asked(store) == 0
    store.health.note(now, {bot.id: ([(1, 1)], {})})
    look(store, jobs, bot.id, now + DAY)
    assert asked(store) == 1


@pytest.mark.parametrize(
    "members",
    [{"state": BotState.UNVERIFIED}, {"state": BotState.RETIRED}, {"url": None, "transport": "poll"}],
)
def test_others_are_not_looked_at_any_more(store, jobs, members):
    now = now_ms()
    bot = a_used_bot(store, now, **members)
    assert look(store, jobs, bot.id, now) is None
    assert asked(store) == 0


def test_a_paused_bot_is_probed_more_and_more_seldom_and_not_for_ever(store, jobs):
    bot = paused(store)
    begin_probing(store, bot.id, now_ms())
    now, gaps = now_ms(), []
    while (again := look(store, jobs, bot.id, now)) is not None:
        made = store.checks.get(bot.id).made
        if made > len(gaps):  # it was asked for just now
            gaps.append(now)
            store.db.run("HSET", keys.checks(bot.id), "asked_at", now)  # as the clock of this test has it
            store.checks.failed(bot.id, "timeout")
        now = again
    assert asked(store) == len(PROBES_MS) == 10
    waits = [later - sooner for sooner, later in pairwise(gaps)]
    assert waits == [max(SECOND_MS, wait) for wait in PROBES_MS[1:]]
    assert store.bots.get(bot.id).state is BotState.PAUSED


def test_a_good_probe_is_followed_by_a_second_one_soon(store, jobs):
    bot = paused(store)
    begin_probing(store, bot.id, now_ms())
    begun = store.checks.get(bot.id).asked_at
    assert look(store, jobs, bot.id, begun) == begun + PROBES_MS[0]
    assert look(store, jobs, bot.id, begun + PROBES_MS[0]) == begun + PROBES_MS[0] + SECOND_MS
    store.checks.passed(bot)
    first = store.checks.get(bot.id).asked_at
    assert look(store, jobs, bot.id, first) == first + SECOND_MS
    look(store, jobs, bot.id, first + SECOND_MS)
    assert asked(store) == 2
    assert store.checks.passed(bot).state is BotState.ACTIVE


def test_a_bot_that_is_gone_is_not_probed(store, jobs):
    bot = store.bots.create(a_bot(verified_at=5))
    store.checks.gone(bot.id)
    assert look(store, jobs, bot.id, now_ms() + DAY) is None
    assert asked(store) == 0


def test_probing_begins_even_if_whoever_paused_it_died(store, jobs):
    bot = paused(store)
    keep_checking(store, 1 - EVERY_MS, bot.id)
    do_due(Desk(store, jobs, Settings(), now_ms()))
    assert store.checks.get(bot.id).probing


def test_what_is_due_is_done_and_comes_again(store, jobs):
    now = now_ms()
    bot = a_used_bot(store, now)
    keep_checking(store, 1 - EVERY_MS, bot.id)
    assert do_due(Desk(store, jobs, Settings(), now)) == 1
    assert asked(store) == 1
    assert store.info()["due"] == 1
    store.bots.set_state(bot.id, BotState.RETIRED)
    store.due.add("check", {"bot": bot.id}, 1)
    do_due(Desk(store, jobs, Settings(), now))
    assert store.info()["due"] == 0

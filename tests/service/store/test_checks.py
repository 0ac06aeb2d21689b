"""What the service's own checks of a bot lead to: paused, probed, active again, or left alone for good."""

import pytest

from service.models import BotState
from service.store.checks import FAILED_TO_PAUSE, GONE, Course
from tests.service.store.make import a_bot


def letters(store) -> list[str]:
    return [letter.item["event"] for letter in store.outbox.take() if letter.item["kind"] == "webhook"]


@pytest.fixture
def bot(store):
    return store.bots.create(a_bot(verified_at=5))


def test_the_fifth_failed_check_in_a_row_pauses_with_the_reason(store, bot):
    for number in range(1, FAILED_TO_PAUSE):
        assert store.checks.failed(bot.id, "timeout").state is BotState.ACTIVE, number
    store.checks.passed(bot)
    for number in range(1, FAILED_TO_PAUSE):
        assert store.checks.failed(bot.id, "timeout").state is BotState.ACTIVE, number
    paused = store.checks.failed(bot.id, "unreachable: nobody there")
    assert paused.state is BotState.PAUSED
    assert paused.state_reason == "5 checks in a row failed, the last: unreachable: nobody there"
    assert letters(store) == ["bot.paused"]
    assert store.schedule.room([bot.id])[0] == [0], "no match of it starts any more"


def test_a_check_that_was_passed_counts_as_a_proof_of_today(store, bot):
    after = store.checks.passed(bot)
    assert after.state is BotState.ACTIVE
    assert after.verified_at > 5
    assert store.checks.get(bot.id) == Course()


def test_two_good_probes_in_a_row_resume_a_paused_bot(store, bot):
    for _ in range(5):
        store.bots.failed(bot.id, "timeout")
    assert store.checks.begin(bot.id)
    assert not store.checks.begin(bot.id), "it is being probed already"
    assert store.checks.passed(bot).state is BotState.PAUSED
    assert store.checks.failed(bot.id, "timeout").state is BotState.PAUSED
    assert store.checks.passed(bot).state is BotState.PAUSED
    back = store.checks.passed(bot)
    assert (back.state, back.failures, back.state_reason) == (BotState.ACTIVE, 0, None)
    assert store.checks.get(bot.id) == Course()


@pytest.mark.parametrize("state", [BotState.ACTIVE, BotState.AWAY])
def test_410_pauses_at_once_and_for_good(store, bot, state):
    store.bots.set_state(bot.id, state)
    gone = store.checks.gone(bot.id)
    assert (gone.state, gone.state_reason) == (BotState.PAUSED, GONE)
    assert letters(store) == ["bot.paused"]
    assert not store.checks.begin(bot.id), "nobody probes it"
    store.checks.gone(bot.id)
    assert letters(store) == []
    store.verifications.passed(bot)
    assert store.bots.get(bot.id).state is BotState.ACTIVE, "its owner's check helps"
    assert not store.checks.get(bot.id).gone


def test_410_ends_probing(store, bot):
    for _ in range(5):
        store.bots.failed(bot.id, "timeout")
    store.checks.begin(bot.id)
    store.checks.gone(bot.id)
    course = store.checks.get(bot.id)
    assert (course.probing, course.gone) == (False, True)
    assert "timeout" in store.bots.get(bot.id).state_reason


@pytest.mark.parametrize("state", [BotState.UNVERIFIED, BotState.RETIRED])
def test_others_are_not_paused(store, bot, state):
    store.bots.set_state(bot.id, state)
    for _ in range(FAILED_TO_PAUSE):
        assert store.checks.failed(bot.id, "timeout").state is state
    assert store.checks.gone(bot.id).state is state
    assert letters(store) == []


def test_ensured_work_keeps_its_time(store):
    store.due.ensure("check", 1, {"bot": "b_1"})
    store.due.ensure("check", 9_999_999_999_999, {"bot": "b_1"})
    assert [task.payload for task in store.due.take()] == [{"bot": "b_1"}]

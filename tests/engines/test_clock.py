"""The clocks: facts of every control, the rule for equality, and laws that hold for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.clock import CONTROLS, PRESETS, Clock, Control, Flagged
from engines.errors import BadOption

MS = 1000


def clock(name, **times):
    return Clock.start(Control.from_json({"control": name, "allowance_ms": 0, **times}), 2)


FISCHER = ("fischer", {"base_ms": 1000, "increment_ms": 200})
DELAY = ("delay", {"base_ms": 1000, "delay_ms": 2000})
BYOYOMI = ("byoyomi", {"base_ms": 1000, "periods": 3, "period_ms": 500})

# control and its times, spent in ms, left in ms (None: flagged)
SPENDING = [
    (FISCHER, 400, 800),
    (FISCHER, 1000, 200),
    (FISCHER, 1001, None),
    (DELAY, 500, 1000),
    (DELAY, 2000, 1000),
    (DELAY, 2400, 600),
    (DELAY, 3000, 0),
    (DELAY, 3001, None),
    (("bronstein", {"base_ms": 1000, "delay_ms": 2000}), 999, 1000),
    (("bronstein", {"base_ms": 3000, "delay_ms": 2000}), 2500, 2500),
    (("bronstein", {"base_ms": 1000, "delay_ms": 2000}), 2000, None),
    (("per_move", {"base_ms": 1000}), 1000, 1000),
    (("per_move", {"base_ms": 1000}), 1001, None),
    (BYOYOMI, 1000, 0),
    (BYOYOMI, 2500, 0),
    (BYOYOMI, 2501, None),
]


@pytest.mark.parametrize(("control", "spent", "left"), SPENDING)
def test_spending(control, spent, left):
    start = clock(control[0], **control[1])
    if left is None:
        with pytest.raises(Flagged):
            start.spend(1, spent * MS)
        return
    after = start.spend(1, spent * MS)
    assert after.remaining_us == (start.remaining_us[0], left * MS)


@pytest.mark.parametrize(
    ("spent", "periods"), [(1000, 3), (1001, 3), (1500, 3), (1501, 2), (2000, 2), (2001, 1), (2500, 1)]
)
def test_a_period_is_whole_again_when_the_turn_ends_within_it(spent, periods):
    after = clock(BYOYOMI[0], **BYOYOMI[1]).spend(0, spent * MS)
    assert after.periods_left == (periods, 3)
    assert after.remaining_us[0] == 0


@pytest.mark.parametrize("name", CONTROLS)
def test_equality_is_in_time_and_a_microsecond_more_is_not(name):
    needs = {"byoyomi": {"periods": 2, "period_ms": 300}}.get(name, {"base_ms": 700})
    extra = {"delay": {"delay_ms": 50}, "bronstein": {"delay_ms": 50}}.get(name, {})
    control = Control.from_json({"control": name, "allowance_ms": 40, **needs, **extra})
    start = Clock.start(control, 2)
    allowed = start.allowed_us(0)
    assert allowed == start.limit_us(0) + 40 * MS
    start.spend(0, allowed - MS)
    start.spend(0, allowed)
    for late in (allowed + 1, allowed + MS):
        with pytest.raises(Flagged) as flagged:
            start.spend(0, late)
        assert (flagged.value.seat, flagged.value.allowed_us) == (0, allowed)


def test_what_the_allowance_lends_is_not_owed():
    start = Clock.start(Control("fischer", base_ms=100, increment_ms=10, allowance_ms=50), 2)
    assert start.spend(0, 140 * MS).remaining_us[0] == 10 * MS


def test_a_cap_bounds_one_turn():
    start = clock("fischer", base_ms=1000, cap_ms=300)
    assert start.limit_us(0) == 300 * MS
    assert start.spend(0, 300 * MS).remaining_us[0] == 700 * MS
    with pytest.raises(Flagged):
        start.spend(0, 301 * MS)


def test_json_is_rounded_down_and_complete():
    start = Clock.start(Control("delay", base_ms=10, delay_ms=3, allowance_ms=100), 2)
    seen = start.spend(0, 3_001).to_json(0)
    assert seen == {
        "control": "delay",
        "base_ms": 10,
        "increment_ms": 0,
        "delay_ms": 3,
        "periods": 0,
        "period_ms": 0,
        "cap_ms": None,
        "allowance_ms": 100,
        "remaining_ms": [9, 10],
        "periods_left": [0, 0],
        "limit_ms": 12,
    }


BAD = [
    ("sudden", "clock", "bullet, blitz, rapid, course"),
    (7, "clock", "preset"),
    ({"control": "hourglass"}, "clock.control", "one of"),
    ({"control": "fischer"}, "clock.base_ms", "at least 1"),
    ({"control": "fischer", "base_ms": -1}, "clock.base_ms", "from 0"),
    ({"control": "fischer", "base_ms": True}, "clock.base_ms", "integer"),
    ({"control": "fischer", "base_ms": 1, "delay_ms": 5}, "clock.delay_ms", "no meaning"),
    ({"control": "byoyomi", "period_ms": 5}, "clock.periods", "at least 1"),
    ({"control": "per_move", "base_ms": 5, "cap_ms": 0}, "clock.cap_ms", "from 1"),
    ({"control": "per_move", "base_ms": 5, "speed": 1}, "clock.speed", "unknown"),
]


@pytest.mark.parametrize(("data", "field", "words"), BAD)
def test_a_bad_control_is_refused_with_the_member_at_fault(data, field, words):
    with pytest.raises(BadOption, match=words) as refused:
        Control.from_json(data)
    assert refused.value.field == field


@pytest.mark.parametrize("name", PRESETS)
def test_presets_round_trip(name):
    assert Control.from_json(PRESETS[name].to_json()) == PRESETS[name] == Control.from_json(name)


CONTROLS_TO_TRY = [
    {"control": "fischer", "base_ms": 900, "increment_ms": 70},
    {"control": "delay", "base_ms": 900, "delay_ms": 70},
    {"control": "bronstein", "base_ms": 900, "delay_ms": 70},
    {"control": "byoyomi", "base_ms": 300, "periods": 4, "period_ms": 100},
    {"control": "per_move", "base_ms": 300, "cap_ms": 200},
]


@given(
    st.sampled_from(CONTROLS_TO_TRY),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 400_000)), max_size=40),
)
def test_no_clock_goes_below_zero_and_no_turn_touches_another_seat(control, turns):
    now = Clock.start(Control.from_json(control), 2)
    for seat, spent in turns:
        before = now
        try:
            now = now.spend(seat, spent)
        except Flagged:
            assert spent > before.allowed_us(seat)
            now = now.run_out(seat)
        assert min(now.remaining_us) >= 0
        assert min(now.periods_left) >= 0
        assert now.remaining_us[1 - seat] == before.remaining_us[1 - seat]
        assert now.periods_left[1 - seat] == before.periods_left[1 - seat]

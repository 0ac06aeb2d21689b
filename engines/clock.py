"""Chess clocks as immutable values: told what was spent, reading no time themselves.

Whole microseconds inside, milliseconds (rounded down) outside. A seat is flagged if and only if what it is
charged is *more* than what its control allows this turn plus the allowance for the network, which is the
same for all (equality is in time).

    control    a turn may take              left afterwards (R before, u charged)
    fischer    R                            R − u + increment
    delay      R + delay                    R − max(0, u − delay)         (US or simple delay)
    bronstein  R                            R − u + min(u, delay)
    byoyomi    R + the periods left         main time first; then every whole period used up is lost, and
                                            the last one is whole again when the turn ends within it
    per_move   base                         base, every turn

A cap bounds a single turn under any control.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from engines.errors import BadOption

CONTROLS = ("fischer", "delay", "bronstein", "byoyomi", "per_move")
MAX_MS = 24 * 3600 * 1000
_NEEDS = {
    "fischer": ("base_ms",),
    "delay": ("base_ms", "delay_ms"),
    "bronstein": ("base_ms", "delay_ms"),
    "byoyomi": ("periods", "period_ms"),
    "per_move": ("base_ms",),
}
_TAKES = {
    "fischer": {"base_ms", "increment_ms"},
    "delay": {"base_ms", "delay_ms"},
    "bronstein": {"base_ms", "delay_ms"},
    "byoyomi": {"base_ms", "periods", "period_ms"},
    "per_move": {"base_ms"},
}


class Flagged(Exception):
    """The seat took longer than its clock allows; `allowed_us` was its limit with the allowance."""

    def __init__(self, seat: int, charged_us: int, allowed_us: int) -> None:
        super().__init__(f"seat {seat} took {charged_us} µs of {allowed_us} µs")
        self.seat = seat
        self.charged_us = charged_us
        self.allowed_us = allowed_us


@dataclass(frozen=True, slots=True)
class Control:
    """A time control. `cap_ms` bounds a single turn; `allowance_ms` is for the network, on every turn."""

    control: str = "fischer"
    base_ms: int = 0
    increment_ms: int = 0
    delay_ms: int = 0
    periods: int = 0
    period_ms: int = 0
    cap_ms: int | None = None
    allowance_ms: int = 100

    def to_json(self) -> dict[str, Any]:
        """All members, as `from_json` takes them."""
        return {name: getattr(self, name) for name in _MEMBERS}

    @classmethod
    def from_json(cls, data: object) -> Control:
        """A control from a preset's name or its members; raises BadOption with the member at fault."""
        if isinstance(data, str):
            if data not in PRESETS:
                raise BadOption("clock", f"there is no preset {data!r}; there are: {', '.join(PRESETS)}")
            return PRESETS[data]
        if not isinstance(data, Mapping):
            raise BadOption("clock", "must be a preset's name or an object with `control` and its times")
        for name in data:
            if name not in _MEMBERS:
                raise BadOption(f"clock.{name}", f"is unknown; known are: {', '.join(_MEMBERS)}")
        control = cls(**data)
        control._check()
        return control

    def _check(self) -> None:
        if self.control not in CONTROLS:
            raise BadOption("clock.control", f"must be one of {', '.join(CONTROLS)}, not {self.control!r}")
        for name in ("base_ms", "increment_ms", "delay_ms", "periods", "period_ms", "allowance_ms"):
            _check_range(name, getattr(self, name), 0, MAX_MS)
        if self.cap_ms is not None:
            _check_range("cap_ms", self.cap_ms, 1, MAX_MS)
        for name in _NEEDS[self.control]:
            if getattr(self, name) < 1:
                raise BadOption(f"clock.{name}", f"must be at least 1 under {self.control}")
        for name in ("base_ms", "increment_ms", "delay_ms", "periods", "period_ms"):
            if getattr(self, name) and name not in _TAKES[self.control]:
                raise BadOption(f"clock.{name}", f"has no meaning under {self.control}")


_MEMBERS = tuple(member.name for member in fields(Control))


def _check_range(name: str, value: object, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise BadOption(f"clock.{name}", f"must be an integer from {low} to {high}, not {value!r}")


PRESETS: Mapping[str, Control] = {
    "bullet": Control("fischer", base_ms=10_000, increment_ms=100),
    "blitz": Control("fischer", base_ms=60_000, increment_ms=1_000),
    "rapid": Control("fischer", base_ms=300_000, increment_ms=3_000),
    "course": Control("per_move", base_ms=5_000),
}


@dataclass(frozen=True, slots=True)
class Clock:
    """The clocks of all seats: `remaining_us` and, under byoyomi, `periods_left`, by seat."""

    control: Control
    remaining_us: tuple[int, ...]
    periods_left: tuple[int, ...]

    @classmethod
    def start(cls, control: Control, seats: int) -> Clock:
        """Full clocks for `seats` seats."""
        return cls(control, (control.base_ms * 1000,) * seats, (control.periods,) * seats)

    def limit_us(self, seat: int) -> int:
        """What this turn of `seat` may take, the allowance not counted."""
        c = self.control
        limit = self.remaining_us[seat]
        if c.control == "delay":
            limit += c.delay_ms * 1000
        elif c.control == "byoyomi":
            limit += self.periods_left[seat] * c.period_ms * 1000
        return limit if c.cap_ms is None else min(limit, c.cap_ms * 1000)

    def allowed_us(self, seat: int) -> int:
        """What this turn of `seat` may take before it is flagged: the limit and the allowance."""
        return self.limit_us(seat) + self.control.allowance_ms * 1000

    def spend(self, seat: int, charged_us: int) -> Clock:
        """The clocks after `seat` took `charged_us`; raises Flagged if that was too much."""
        if charged_us > self.allowed_us(seat):
            raise Flagged(seat, charged_us, self.allowed_us(seat))
        # What the allowance lends is never owed: a clock does not go below zero.
        return self._after(seat, min(charged_us, self.limit_us(seat)))

    def run_out(self, seat: int) -> Clock:
        """The clocks with nothing left for `seat`: it was flagged or fell out."""
        return self._with(seat, 0, 0)

    def _after(self, seat: int, used: int) -> Clock:
        c, left, periods = self.control, self.remaining_us[seat], self.periods_left[seat]
        if c.control == "fischer":
            left += c.increment_ms * 1000 - used
        elif c.control == "delay":
            left -= max(0, used - c.delay_ms * 1000)
        elif c.control == "bronstein":
            left += min(used, c.delay_ms * 1000) - used
        elif c.control == "byoyomi":
            left, periods = _byoyomi(left, periods, c.period_ms * 1000, used)
        return self._with(seat, left, periods)

    def _with(self, seat: int, left: int, periods: int) -> Clock:
        remaining, counts = list(self.remaining_us), list(self.periods_left)
        remaining[seat], counts[seat] = left, periods
        return Clock(self.control, tuple(remaining), tuple(counts))

    def to_json(self, seat: int) -> dict[str, Any]:
        """The `clock` member of a move request to `seat`: milliseconds, rounded down."""
        out = self.control.to_json()
        out["remaining_ms"] = [us // 1000 for us in self.remaining_us]
        out["periods_left"] = list(self.periods_left)
        out["limit_ms"] = self.limit_us(seat) // 1000
        return out


def _byoyomi(left: int, periods: int, period_us: int, used: int) -> tuple[int, int]:
    """Main time and periods after a turn: a turn that ends exactly with a period has not used it up."""
    if used <= left:
        return left - used, periods
    over = used - left
    lost = (over - 1) // period_us  # the period that the turn ends in is whole again
    return 0, periods - lost

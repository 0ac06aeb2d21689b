"""Instants, and what lies between two of them: the arithmetic that decides what a bot is charged (C1, C2)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from workers.bot_client.receipts import Stamp

MAX_MOVED_NS = 2_000_000  # C2: beyond this the wall clock was set, and the kernel's stamps mean nothing
_TORN_NS = 100_000
_TRIES = 4


class Instant(NamedTuple):
    """One moment on both clocks, in nanoseconds."""

    mono_ns: int
    wall_ns: int


class Arrival(NamedTuple):
    """When bytes were seen by this process and, if it says so, when the kernel received the last of them."""

    seen: Instant
    kernel_ns: int | None


@dataclass(frozen=True, slots=True)
class Clocks:
    """The two clocks that turns are measured by; tests hand in their own."""

    monotonic_ns: Callable[[], int] = time.monotonic_ns
    time_ns: Callable[[], int] = time.time_ns

    def now(self) -> Instant:
        """Both clocks at one moment: a reading that another thread tore apart is repeated."""
        for _ in range(_TRIES):
            before = self.monotonic_ns()
            wall = self.time_ns()
            after = self.monotonic_ns()
            if after - before <= _TORN_NS:
                break
        return Instant(before, wall)


class Span(NamedTuple):
    """What lies between two moments, the clock it comes from, and how much later this process saw the end."""

    us: int
    stamp: Stamp
    stall_us: int


def span(start: Instant, arrival: Arrival) -> Span:
    """From `start` to `arrival`: the smaller of monotonic and kernel time, in whole microseconds (C2)."""
    seen_us = max(0, arrival.seen.mono_ns - start.mono_ns) // 1000
    kernel_ns = _kernel_ns(start, arrival)
    if kernel_ns is None:
        return Span(seen_us, "monotonic", 0)
    us = min(seen_us, kernel_ns // 1000)
    return Span(us, "kernel", seen_us - us)


def _kernel_ns(start: Instant, arrival: Arrival) -> int | None:
    """From `start` to the kernel's stamp, or None if there is none or the wall clock cannot be trusted."""
    seen, kernel_ns = arrival
    if kernel_ns is None:
        return None
    moved = (seen.wall_ns - seen.mono_ns) - (start.wall_ns - start.mono_ns)
    took = kernel_ns - start.wall_ns
    if abs(moved) > MAX_MOVED_NS or took < -MAX_MOVED_NS or kernel_ns > seen.wall_ns + MAX_MOVED_NS:
        return None
    return max(0, took)


class DeadlinePassed(Exception):
    """Nothing came within a deadline."""


class Deadline(NamedTuple):
    """A limit on everything from `start` on, however many waits it takes (C3)."""

    start: Instant
    limit_us: int
    clocks: Clocks

    def left_ms(self) -> float:
        """Milliseconds until it has passed, which is one microsecond *after* the limit; never negative."""
        end_ns = self.start.mono_ns + (self.limit_us + 1) * 1000
        return max(0.0, (end_ns - self.clocks.monotonic_ns()) / 1e6)

    def missed(self, arrival: Arrival) -> bool:
        """Whether these bytes arrived too late, not merely were seen too late."""
        if arrival.seen.mono_ns - self.start.mono_ns <= self.limit_us * 1000:
            return False
        return span(self.start, arrival).us > self.limit_us

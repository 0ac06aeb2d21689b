"""Keeps the threads of a worker on one core, the one with most time to spare (Linux).

Only one thread of a process runs Python at a time. On several cores they fight for that right at every call
of the system, and lose a quarter of the worker's time to it; on one core they take turns. More cores are for
more workers. Who wants a certain core gives a worker only that one (`taskset`, a container's cpuset).
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import structlog

_log = structlog.get_logger(__name__)
_STAT = Path("/proc/stat")
_GAIN = 0.25  # of a core: for less it is not worth losing what the caches hold
_FIRST_LOOK_S = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")


class Reading(NamedTuple):
    """Seconds so far: each core's idle time, the time that this process used, the monotonic clock."""

    idle: Mapping[int, float]
    own: float
    at: float


class Core:
    """`look`, called every few seconds by one thread, moves all threads to where more time is to be had."""

    def __init__(self) -> None:
        can = hasattr(os, "sched_setaffinity") and _STAT.exists()
        self._cores = os.sched_getaffinity(0) if can else set()
        self._here: int | None = None
        self._last = read()

    def settle(self) -> None:
        """Choose a core; threads that are started later stay on it too."""
        time.sleep(_FIRST_LOOK_S)
        self.look()

    def look(self) -> None:
        """See what each core had to spare since the last look, and move if another one has clearly more."""
        if len(self._cores) < 2:
            return
        before, self._last = self._last, read()
        passed = max(self._last.at - before.at, 1e-3)
        idle = {core: self._last.idle.get(core, 0) - before.idle.get(core, 0) for core in self._cores}
        core = chosen(idle, self._here, self._last.own - before.own, passed * _GAIN)
        # A coin, so that two workers that share a core do not both leave it for the same other one.
        if core is not None and (self._here is None or random.random() < 0.5):
            self._move(core)

    def _move(self, core: int) -> None:
        _log.debug("on another core", core=core, before=self._here)
        self._here = core
        for thread in Path("/proc/self/task").iterdir():
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.sched_setaffinity(int(thread.name), {core})


def chosen(idle: Mapping[int, float], here: int | None, own: float, gain: float) -> int | None:
    """The core to move to, if one was idle for `gain` seconds longer than `here` was idle or ours."""
    had = idle[here] + own if here is not None else -gain
    best = [core for core, spare in idle.items() if spare >= max(idle.values()) - gain / 2]
    return random.choice(best) if max(idle.values()) >= had + gain else None


def read() -> Reading:
    """How things stand now."""
    rows = (line.split() for line in _STAT.read_text().splitlines()) if _STAT.exists() else ()
    cores = (row for row in rows if row[0].startswith("cpu") and row[0] != "cpu")
    idle = {
        int(row[0][3:]): (int(row[4]) + int(row[5])) / _TICKS for row in cores
    }  # waiting for disks is idle
    return Reading(idle, time.process_time(), time.monotonic())

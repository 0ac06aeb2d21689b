"""`bench referee`'s matches in flight: what a thinking bot is charged too much, and what a worker weighs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from service.models import Match
from tests.bench.arena import Arena, arena
from tests.bench.table import Row
from tests.chaos.soak import resident_mib
from tests.chaos.table import percentile


@contextmanager
def thinker(think_ms: int) -> Iterator[str]:
    """The address of a bot that thinks."""
    command = [sys.executable, "-m", "tests.bench.thinker", str(think_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.kill()


@contextmanager
def in_flight(count: int, think_ms: int) -> Iterator[tuple[Arena, list[Match]]]:
    """As many matches as one worker plays at once."""
    with arena(count) as place, thinker(think_ms) as url:
        yield place, place.create(place.bots("quixo", url), count)


def charges(count: int = 100) -> list[Row]:
    """What a bot that thinks for 100 ms is charged beyond what it took, and would be by a stamp in Python."""
    with in_flight(count, 100) as (place, matches):
        place.wait(matches)
        moves: list[dict[str, Any]] = place.moves(matches)
    over = [(move["charged_us"] - int(move["comment"])) / 1000 for move in moves]
    stamped = [ms + move["receipt"]["stall_us"] / 1000 for ms, move in zip(over, moves, strict=True)]
    return [
        (f"{count} matches at once, a 100 ms bot: over-charge, p99, ms", percentile(over, 0.99), "<=", 5),
        ("the same turns by a stamp taken in Python", percentile(stamped, 0.99), "<=", 0),
        ("the most that one of them was charged too little, ms", max(0, -min(over)), "<=", 0),
    ]


def weight(count: int = 200) -> list[Row]:
    """The memory of a worker that plays many matches at once."""
    with in_flight(count, 500) as (place, _):
        place.stack.wait_until(lambda: place.store.workers.alive()[0].running == count, "that many matches")
        time.sleep(3)
        mib = resident_mib(place.worker)
    return [(f"resident memory of a worker with {count} matches in flight, MiB", mib, "<=", 150)]

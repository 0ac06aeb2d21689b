"""Ten minutes of play under load (reliability row 18): memory, files, keys and answers stay as they were.

python -m tests.chaos soak [--minutes 10]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import requests

from service.models import MatchState
from tests.chaos.arena import OVER, Arena, arena
from tests.chaos.background import Background
from tests.chaos.redis_away import start_api
from tests.chaos.table import Row, percentile, show

AT_ONCE = 60
PER_SECOND = 50
MORE_FILES = 16  # connections to Redis that are kept
PATHS = ("/v1/ratings/quixo", "/v1/matches?limit=20", "/readyz", "/v1/games", "/v1/bots?limit=20")


@dataclass(eq=False)  # it is told apart as threads are
class Load(Background):
    """Asks the API so many times a second; how long each answer took, in seconds."""

    base: str
    took: list[float] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def run(self) -> None:
        with requests.Session() as session:
            number, begun = 0, time.monotonic()
            while not self.stopped.wait(max(0.0, begun + number / PER_SECOND - time.monotonic())):
                asked = time.monotonic()
                answer = session.get(self.base + PATHS[number % len(PATHS)], timeout=10)
                self.took.append(time.monotonic() - asked)
                if answer.status_code != 200:
                    self.wrong.append(answer.status_code)
                number += 1


@dataclass(frozen=True)
class Size:
    """What a part of the service takes, with the processes that it has started."""

    mib: float
    files: int


def size_of(pid: int) -> Size:
    pids = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    files = sum(1 for one in pids for _ in Path(f"/proc/{one}/fd").iterdir())
    return Size(sum(map(resident_mib, pids)), files)


def resident_mib(pid: int) -> float:
    """Resident memory of a process."""
    line = next(x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def play(place: Arena, seconds: float) -> int:
    """Keep so many matches waiting or running for so long; how many were finished."""
    deadline, finished, open_ = time.monotonic() + seconds, 0, []
    while time.monotonic() < deadline:
        states = place.now(open_)
        finished += sum(m.state is MatchState.FINISHED for m in states)
        open_ = [m for m in states if m.state not in OVER]
        if len(open_) < AT_ONCE:
            open_ += place.ask(AT_ONCE - len(open_))
        time.sleep(0.2)
    return finished + sum(m.state is MatchState.FINISHED for m in place.wait_over(open_, 60))


def soak(minutes: float) -> list[Row]:
    with arena() as place:
        place.stack.environ |= {"ARBITER_RATE_READS": "1000000 per minute"}
        base = start_api(place)
        worker = place.start_worker()
        place.add_bots("quixo", 20, pause_s=0.02)
        with Load(base):
            warm = play(place, 20)
        pids = {name: place.stack.parts[name].pid for name in ("api", worker, "sweep")}
        before, keys = {name: size_of(pid) for name, pid in pids.items()}, place.store.info()["keys"]
        with Load(base) as load:
            finished = play(place, 60 * minutes)
        after = {name: size_of(pid) for name, pid in pids.items()}
        per_match = (place.store.info()["keys"] - keys) / finished
        p99_ms = percentile(load.took, 0.99) * 1000
        enough = int(200 * minutes)
        return [
            Row("matches finished", f"{finished} (and {warm} to warm up)", f"≥ {enough}", finished >= enough),
            *(row for name in pids for row in _grown(name, before[name], after[name], finished)),
            Row("keys per finished match", f"{per_match:.2f}", "≤ 2.5", per_match <= 2.5),
            Row(f"API p99 at {PER_SECOND}/s", f"{p99_ms:.0f} ms", "≤ 100 ms", p99_ms <= 100),
            Row("answers but 200", str(load.wrong[:5] or 0), "0", not load.wrong),
            Row("audit's differences", str(place.differences()), "0", place.differences() == 0),
        ]


def _grown(name: str, before: Size, after: Size, matches: int) -> list[Row]:
    mib, files = (after.mib - before.mib) / matches * 1000, after.files - before.files
    sizes, counts = f"{before.mib:.0f} to {after.mib:.0f} MiB", f"{before.files} to {after.files}"
    return [
        Row(f"{name}: memory per 1 000 matches", f"{mib:.2f} MiB ({sizes})", "≤ 1 MiB", mib <= 1),
        Row(f"{name}: open files", counts, f"≤ + {MORE_FILES}", files <= MORE_FILES),
    ]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="chaos soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    return show(soak(parser.parse_args(argv).minutes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

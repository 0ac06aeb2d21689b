"""Redis paused or gone for 1, 5 and 30 s: store calls fail in time, and all is well after (row 16).

python -m tests.chaos store_away [SECONDS ...]
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from service.errors import Unavailable
from service.store import Store
from tests.chaos.store_players import Player, crowd_of, server_of, some_matches, wrong_in
from tests.chaos.table import Row, show
from tests.servers import RedisServer, kinds
from tests.service.store.make import workers_there

TIMEOUT_S = 0.5
SLOWEST_S = 3.0  # two tries of half a second, and a machine that is busy
WELL_WITHIN_S = 10.0


@dataclass
class Outcome:
    """The slowest refusal, how long after its return the first call worked, and what was lost or wrong."""

    slowest_s: float = 0.0
    refused: int = 0
    well_after_s: float = 0.0
    wrong: list[str] = field(default_factory=list)


def run(server: RedisServer, seconds: float, gone: bool) -> Outcome:
    """A match is under way while Redis is stopped (or killed and started again later)."""
    store = Store.connect(server.url, timeout_s=TIMEOUT_S, retries=1)
    workers_there(store)
    games = some_matches(crowd_of(store, 4), 6, seed=11)
    store.matches.create(games)
    players = [Player(Store.connect(server.url, TIMEOUT_S, 1), f"w{i}", 60_000, 200) for i in range(3)]
    ready = store.schedule.ready(3)
    threads = [threading.Thread(target=p.play, args=(i,)) for p, i in zip(players, ready, strict=True)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    outcome = _away(server, store, seconds, gone)
    for thread in threads:
        thread.join()
    lost = [i for player, i in zip(players, ready, strict=True) if i not in player.confirmed]
    outcome.wrong = [f"{match_id} was not finished" for match_id in lost] + wrong_in(store)
    return outcome


def _away(server: RedisServer, store: Store, seconds: float, gone: bool) -> Outcome:
    outcome = Outcome()
    server.kill() if gone else server.pause()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        try:
            store.ping()
        except Unavailable as refused:
            outcome.refused += refused.retry_after_s > 0
            outcome.slowest_s = max(outcome.slowest_s, time.monotonic() - begun)
        time.sleep(0.05)
    server.start() if gone else server.go_on()
    back = time.monotonic()
    while True:
        try:
            store.ping()
            break
        except Unavailable:
            continue
    outcome.well_after_s = time.monotonic() - back
    return outcome


def main(argv: Sequence[str]) -> int:
    rows = []
    for kind in kinds():
        for seconds in map(float, argv or ("1", "5", "30")):
            for gone in (False, True):
                with tempfile.TemporaryDirectory() as folder, server_of(kind, Path(folder)) as server:
                    rows += _rows(kind, seconds, gone, run(server, seconds, gone))
    return show(rows)


def _rows(kind: str, seconds: float, gone: bool, outcome: Outcome) -> list[Row]:
    name = f"{kind}: {'gone' if gone else 'paused'} for {seconds:.0f} s"
    return [
        Row(f"{name}: calls refused", str(outcome.refused), "≥ 1", outcome.refused > 0),
        Row(
            f"{name}: slowest refusal",
            f"{outcome.slowest_s:.2f} s",
            f"≤ {SLOWEST_S:.0f} s",
            outcome.slowest_s <= SLOWEST_S,
        ),
        Row(
            f"{name}: well again after",
            f"{outcome.well_after_s:.2f} s",
            f"≤ {WELL_WITHIN_S:.0f} s",
            outcome.well_after_s <= WELL_WITHIN_S,
        ),
        Row(f"{name}: lost or wrong", str(len(outcome.wrong)), "0", not outcome.wrong),
    ]

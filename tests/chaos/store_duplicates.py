"""Every hint delivered five times to eight workers: every match is applied exactly once (row 7).

python -m tests.chaos store_duplicates [MATCHES]
"""

from __future__ import annotations

import multiprocessing
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.models import Written
from service.store import Store
from tests.chaos.store_players import Player, crowd_of, server_of, some_matches, wrong_in
from tests.chaos.table import Row, show
from tests.servers import kinds
from tests.service.store.make import workers_there

WORKERS = 8
COPIES = 5


@dataclass(frozen=True)
class Outcome:
    """How many finishes were applied, entries the ledger has, and what is not as it must be."""

    applied: int
    entries: int
    wrong: list[str]


def work(url: str, name: str, hints: Sequence[str], answers: Any) -> None:
    """One worker process: play whatever it is told of."""
    player = Player(Store.connect(url), name, moves=2)
    finished = [match_id for match_id in hints if player.play(match_id)]
    answers.put((finished, Counter(player.written)[Written.FENCED]))


def run(url: str, matches: int) -> Outcome:
    """Deliver all hints in a random order, dealt out to the workers."""
    store = Store.connect(url)
    games = some_matches(crowd_of(store, 8), matches, seed=8)
    store.matches.create(games)
    workers_there(store, 10 * matches)
    hints = [match_id for match_id in store.schedule.ready(matches) for _ in range(COPIES)]
    random.Random(9).shuffle(hints)
    answers: Any = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=work, args=(url, f"w{i}", hints[i::WORKERS], answers))
        for i in range(WORKERS)
    ]
    for worker in workers:
        worker.start()
    finished = [match_id for _ in workers for match_id in answers.get(timeout=120)[0]]
    for worker in workers:
        worker.join()
    return Outcome(len(finished), store.ledger.length("quixo"), wrong_in(store))


def main(argv: Sequence[str]) -> int:
    matches = int(argv[0]) if argv else 500
    rows = []
    for kind in kinds():
        with tempfile.TemporaryDirectory() as folder, server_of(kind, Path(folder)) as server:
            outcome = run(server.url, matches)
        name = f"{kind}: {matches} matches, each hint {COPIES} times, {WORKERS} workers"
        required = str(matches)
        rows += [
            Row(f"{name}: applied", str(outcome.applied), required, outcome.applied == matches),
            Row(f"{name}: ledger entries", str(outcome.entries), required, outcome.entries == matches),
            Row(f"{name}: audit differences", str(len(outcome.wrong)), "0", not outcome.wrong),
        ]
    return show(rows)

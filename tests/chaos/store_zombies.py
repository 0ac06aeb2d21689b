"""SIGSTOP a worker for twice its lease and wake it: its write is refused and has no effect (row 8).

python -m tests.chaos store_zombies [TIMES]
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from service.models import Written
from service.store import Store
from tests.chaos.store_players import Player, crowd_of, script, server_of, some_matches, wrong_in
from tests.chaos.table import Row, show
from tests.servers import kinds
from tests.service.store.make import workers_there

LEASE_MS = 400


def zombie(url: str, match_id: str, pipe: Any) -> None:
    """Claim a match, write its start, say so; then (it is stopped meanwhile) write the first move."""
    store = Store.connect(url)
    claim = store.matches.claim(match_id, "zombie", LEASE_MS)
    assert claim is not None
    begun, first, *_ = script(match_id, 6)
    store.matches.append(claim, 1, [begun])
    pipe.send("begun")
    pipe.recv()
    pipe.send(str(store.matches.append(claim, 2, [{**first, "move": "a1E", "seat": 1}])))


def once(store: Store, url: str, match_id: str) -> bool:
    """Whether the woken worker's write was refused, and the match is as its successor played it."""
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.Process(target=zombie, args=(url, match_id, theirs))
    worker.start()
    assert worker.pid is not None
    ours.recv()
    os.kill(worker.pid, signal.SIGSTOP)
    time.sleep(2 * LEASE_MS / 1000)
    successor = Player(store, "successor")
    finished = match_id in store.sweep.hints() and successor.play(match_id)
    os.kill(worker.pid, signal.SIGCONT)
    ours.send("write")
    answer = ours.recv()
    worker.join()
    events = store.matches.record(match_id)
    return finished and answer == Written.FENCED and events[:-1] == script(match_id, successor.moves)


def run(url: str, times: int) -> tuple[int, list[str]]:
    """How many writes were refused without effect, and what is not as it must be."""
    store = Store.connect(url)
    games = some_matches(crowd_of(store, 4), times, seed=10)
    store.matches.create(games)
    refused = 0
    for _ in range(times):
        workers_there(store)
        refused += once(store, url, store.schedule.ready(1)[0])
    return refused, wrong_in(store)


def main(argv: Sequence[str]) -> int:
    times = int(argv[0]) if argv else 20
    rows = []
    for kind in kinds():
        with tempfile.TemporaryDirectory() as folder, server_of(kind, Path(folder)) as server:
            refused, wrong = run(server.url, times)
        rows += [
            Row(f"{kind}: writes of woken workers refused", str(refused), str(times), refused == times),
            Row(f"{kind}: audit differences", str(len(wrong)), "0", not wrong),
        ]
    return show(rows)

"""Cut the append-only file's tail anywhere: the server starts, and nothing is half applied (row 6).

python -m tests.chaos store_aof [CUTS]
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from service.store import Store
from tests.chaos.store_players import Player, crowd_of, server_of, some_matches, wrong_in
from tests.chaos.table import Row, show
from tests.servers import RedisServer, kinds
from tests.service.store.make import workers_there


def fill(server: RedisServer, matches: int) -> None:
    """Play some matches, void some, leave some under way; then stop in order."""
    store = Store.connect(server.url)
    workers_there(store)
    games = some_matches(crowd_of(store, 5), matches, seed=6)
    store.matches.create(games)
    player = Player(store, "w", moves=3)
    ready = store.schedule.ready(matches)
    for number, match_id in enumerate(ready):
        if number % 11 == 10:
            store.matches.claim(match_id, "w", 2_000)
        else:
            player.play(match_id)
        if number % 9 == 8:
            store.matches.void(ready[number - 1], "for the test", "o_1")
    store.close()
    server.stop()


def cut(server: RedisServer, folder: Path, rng: random.Random) -> list[str]:
    """Start a copy of the data whose last part is cut at a random place; what is wrong with it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(server.folder, folder)
    copy = RedisServer(folder, server.binary, server.options)
    size = copy.aof.stat().st_size
    with copy.aof.open("r+b") as file:
        file.truncate(rng.randrange(size))
    copy.start()
    try:
        store = Store.connect(copy.url)
        wrong = wrong_in(store)
        store.close()
        return wrong
    finally:
        copy.kill()


def run(kind: str, folder: Path, cuts: int, matches: int) -> list[str]:
    """Everything that was wrong after any of the cuts."""
    with server_of(kind, folder / "data") as server:
        fill(server, matches)
    rng = random.Random(7)
    return [wrong for _ in range(cuts) for wrong in cut(server, folder / "copy", rng)]


def main(argv: Sequence[str]) -> int:
    cuts = int(argv[0]) if argv else 200
    rows = []
    for kind in kinds():
        with tempfile.TemporaryDirectory() as folder:
            wrong = run(kind, Path(folder), cuts, matches=60)
        rows.append(Row(f"{kind}: {cuts} cuts: half applied", str(len(wrong)), "0", not wrong))
    return show(rows)

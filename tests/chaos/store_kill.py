"""SIGKILL Redis under load: no confirmed result is lost, the ratings equal the ledger's fold (row 5).

python -m tests.chaos store_kill [KILLS]
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from service.models import MatchState
from service.store import Store
from tests.chaos.store_players import Player, crowd_of, insist, server_of, some_matches, wrong_in
from tests.chaos.table import Row, show
from tests.servers import RedisServer, kinds
from tests.service.store.make import workers_there

WRITERS = 6
BETWEEN_KILLS_S = 0.4
PATIENCE_S = 30.0  # a hint that was lost comes again after 8 s


@dataclass(frozen=True)
class Outcome:
    """What was confirmed to writers, which of it is gone, and what is not as it must be."""

    confirmed: int
    lost: list[str]
    wrong: list[str]
    unfinished: int


def run(server: RedisServer, kills: int, matches: int) -> Outcome:
    """Play matches with several writers while the server is killed again and again."""
    store = Store.connect(server.url, timeout_s=1)
    games = some_matches(crowd_of(store, 8), matches, seed=5)
    for start in range(0, matches, 100):
        store.matches.create(games[start : start + 100])
    over = threading.Event()
    players = [Player(Store.connect(server.url, timeout_s=1), f"w{i}") for i in range(WRITERS)]
    threads = [threading.Thread(target=_work, args=(player, over)) for player in players]
    for thread in threads:
        thread.start()
    for _ in range(kills):
        time.sleep(BETWEEN_KILLS_S)
        server.restart()
    over.set()
    for thread in threads:
        thread.join()
    _finish_all(players[0])
    return _judge(store, players, [game.id for game in games])


def _work(player: Player, over: threading.Event) -> None:
    while not over.is_set():
        _round(player)


def _round(player: Player) -> int:
    insist(lambda: workers_there(player.store, 1_000))
    ready = insist(lambda: player.store.schedule.ready(3)) + insist(lambda: player.store.sweep.hints(3))
    for match_id in ready:
        player.play(match_id)
    return len(ready)


def _finish_all(player: Player) -> None:
    """Play what is left, as the sweep finds it, until nothing has been found for long."""
    moved = time.monotonic()
    while time.monotonic() - moved < PATIENCE_S:
        if _round(player):
            moved = time.monotonic()
            continue
        player.store.sweep.mend()
        info = player.store.info()
        if not info["queued"] + info["running"]:
            return
        time.sleep(0.1)


def _judge(store: Store, players: Sequence[Player], ids: Sequence[str]) -> Outcome:
    confirmed = set().union(*(player.confirmed for player in players))
    found = dict(zip(ids, store.matches.get_many(ids), strict=True))
    done = {i for i, match in found.items() if match and match.state is MatchState.FINISHED}
    return Outcome(len(confirmed), sorted(confirmed - done), wrong_in(store), len(ids) - len(done))


def main(argv: Sequence[str]) -> int:
    kills = int(argv[0]) if argv else 10
    rows = []
    for kind in kinds():
        with tempfile.TemporaryDirectory() as folder, server_of(kind, Path(folder)) as server:
            outcome = run(server, kills, matches=kills * 200)
        name = f"{kind}: {kills} kills, {outcome.confirmed} results confirmed"
        rows += [
            Row(f"{name}: lost", str(len(outcome.lost)), "0", not outcome.lost),
            Row(f"{name}: audit differences", str(len(outcome.wrong)), "0", not outcome.wrong),
            Row(f"{name}: unfinished", str(outcome.unfinished), "0", not outcome.unfinished),
        ]
    return show(rows)

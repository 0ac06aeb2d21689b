"""`./run bench schedule`: dispatch, busy bots, big tournaments, ladders, the fit, what duplicate deals save.

python -m tests.bench schedule [--bots 200] [--pairs 300] [--only NAME ...]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from service.store import Store
from tests.bench import schedule_deals, schedule_fit, schedule_ladder, schedule_play
from tests.bench.schedule_fit import Row
from tests.servers import RedisServer


def on_a_store(work: Callable[[Store], Iterable[Row]]) -> list[Row]:
    """The lines that `work` measures on an empty server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(Path(folder)).start()
        try:
            return list(work(Store.connect(server.url)))
        finally:
            server.stop()


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench schedule", description=__doc__)
    parser.add_argument("--bots", type=int, default=200, help="in the simulation of busy bots")
    parser.add_argument("--pairs", type=int, default=300, help="of games, for the duplicate deals")
    parser.add_argument("--only", nargs="*", help="some of the parts")
    options = parser.parse_args(argv)
    parts: dict[str, Callable[[], list[Row]]] = {
        "dispatch": lambda: on_a_store(lambda store: [schedule_play.dispatch_row(store)]),
        "busy": lambda: on_a_store(lambda store: schedule_play.busy_rows(store, options.bots)),
        "big": lambda: on_a_store(schedule_play.big_rows),
        "standings": lambda: on_a_store(lambda store: [schedule_play.standings_row(store)]),
        "ladder": lambda: on_a_store(schedule_ladder.rows),
        "fit": schedule_fit.rows,
        "deals": lambda: schedule_deals.rows(options.pairs),
    }
    table = Table("what", "reached", "beside it", "required")
    for name in options.only or parts:
        for row in parts[name]():
            table.add_row(*row)
    Console().print(table)
    return 0

"""The part of `./run bench schedule` on ladders: a page of 50 and a bot's rank out of 100 000."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from service.ids import new_id
from service.store import Store, keys
from service.store.fits import FitLine, FitReport
from tests.bench.schedule_fit import Row

BOTS = 100_000
READS = 2_000


def fill(store: Store) -> list[str]:
    """A ladder of so many bots, each with a rating and a fitted line; the bots."""
    dice = random.Random(4)
    bots = [new_id("b") for _ in range(BOTS)]
    for start in range(0, BOTS, 1_000):
        commands = []
        for bot in bots[start : start + 1_000]:
            rating = round(dice.gauss(1_500_000, 200_000))
            line = f"{rating} {dice.randint(1, 500)} 1 0 1"
            members = ("v:1", line, "current", "1", "as_of", "0")
            commands.append(("HSET", keys.rating("quixo", "0", bot), *members))
            commands.append(("ZADD", keys.table("quixo", "0"), rating, bot))
        store.db.many(commands)
    fitted = {(bot, "1"): FitLine(1500.0, 50.0, 10, 5, 0, True, n, 0) for n, bot in enumerate(bots)}
    store.fits.keep("quixo", FitReport(1, 1, 1, 1, BOTS, 0, None, None, ((BOTS, True),)), fitted, b"")
    return bots


def p99_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(READS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return sorted(times)[int(0.99 * READS)] * 1000


def rows(store: Store) -> Iterator[Row]:
    dice, bots = random.Random(5), fill(store)

    def page() -> None:
        found = store.ratings.table("quixo", str(dice.randrange(BOTS - 50)), 50).items
        store.fits.lines("quixo", [(rating.bot, rating.version) for rating in found])

    def rank() -> None:
        rating = store.ratings.get("quixo", dice.choice(bots))
        store.fits.lines("quixo", [(rating.bot, rating.version)])

    what = f"of {BOTS} bots, intervals included, p99"
    yield f"a ladder page of 50 {what}", f"{p99_ms(page):.1f} ms", "-", "<= 5 ms"
    yield f"a bot's rank {what}", f"{p99_ms(rank):.1f} ms", "-", "<= 5 ms"

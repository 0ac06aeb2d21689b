"""Rotating partners: everybody partners everybody else equally often, and opposes everybody twice as often.

A whist design (each pair partners once and opposes twice) exists where the entrants divide by 4 with rest
0 or 1. For the other numbers every pair partners twice and opposes four times. A game is written as its
two sides one behind the other: (a, b, c, d) is a and b against c and d. The base games are developed as
in `designs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engines.errors import BadOption
from service.tournaments.cycles import Cycle, Listed, Table
from service.tournaments.designs import Base, into_rounds

WHIST = {  # by entrants
    4: Base(3, 1, ((3, 0, 1, 2),)),
    5: Base(5, 1, ((1, 4, 2, 3),)),
    6: Base(5, 1, ((0, 1, 3, 5), (0, 1, 2, 4), (0, 2, 1, 5))),
    7: Base(7, 1, ((0, 1, 4, 5), (0, 2, 1, 3), (0, 3, 1, 5))),
    8: Base(7, 1, ((7, 0, 1, 3), (2, 6, 4, 5))),
    9: Base(3, 3, ((1, 2, 3, 6), (4, 8, 5, 7), (4, 5, 6, 0), (7, 2, 8, 1), (7, 8, 0, 3), (1, 5, 2, 4))),
    10: Base(9, 1, ((0, 1, 2, 6), (0, 1, 3, 9), (0, 2, 5, 9), (0, 2, 1, 6), (0, 3, 2, 5))),
    11: Base(11, 1, ((0, 1, 2, 3), (0, 2, 6, 10), (0, 2, 3, 7), (0, 3, 5, 8), (0, 5, 1, 7))),
    12: Base(11, 1, ((11, 0, 1, 3), (2, 9, 6, 7), (4, 10, 5, 8))),
    13: Base(13, 1, ((1, 4, 2, 7), (3, 12, 6, 8), (5, 11, 9, 10))),
    14: Base(13, 1, (
        (0, 1, 7, 11), (0, 1, 6, 13), (0, 2, 8, 11), (0, 2, 1, 5), (0, 3, 2, 13), (0, 5, 1, 8), (0, 5, 3, 9),
    )),
    15: Base(15, 1, (
        (0, 1, 4, 13), (0, 1, 4, 9), (0, 2, 1, 4), (0, 2, 7, 10), (0, 4, 6, 14), (0, 4, 8, 13), (0, 6, 5, 12),
    )),
    16: Base(15, 1, ((15, 0, 1, 2), (14, 5, 6, 9), (13, 8, 4, 11), (12, 10, 3, 7))),
}  # fmt: skip


@lru_cache(maxsize=16)
def whist(entrants: int) -> Cycle:
    """One cycle for 4 to 16 entrants; raises BadOption for more.

    Seats 0 and 2 are partners, as are 1 and 3; every entrant is in each seat equally often, ±1 (with 4
    entrants and their three games that cannot be: somebody stays on one side throughout).
    """
    if entrants not in WHIST:
        raise BadOption(
            "partners",
            f"partners rotate among 4 to {max(WHIST)} entrants, not {entrants}: enter fixed teams instead",
        )
    rounds = into_rounds(_reseated([(a, c, b, d) for a, b, c, d in WHIST[entrants].developed()]))
    often = ("once", "twice") if entrants % 4 < 2 else ("twice", "four times")
    note = f"every two entrants are partners {often[0]} and opponents {often[1]} in a cycle"
    uneven = ("with 4 entrants one of them keeps to one side in a cycle",) if entrants == 4 else ()
    return Listed(entrants, rounds, (note, *uneven))


def _reseated(tables: Sequence[Table]) -> list[Table]:
    """The tables with partners kept and seats evened out, from the best of eight ways to begin."""
    starts = (
        [list(_same_sides(table))[number * stride % 8] for number, table in enumerate(tables)]
        for stride in range(8)
    )
    return min((_evened(start) for start in starts), key=_spread)


def _evened(tables: list[Table]) -> list[Table]:
    """Seats evened out by changing one table at a time, as long as that lowers the sum of squared counts."""
    sat = Counter((player, seat) for table in tables for seat, player in enumerate(table))

    def crowding(way: Table) -> int:
        return sum(sat[player, seat] for seat, player in enumerate(way))

    improved = True
    while improved:
        improved = False
        for number, table in enumerate(tables):
            sat.subtract((player, seat) for seat, player in enumerate(table))
            best = min(_same_sides(table), key=crowding)
            if crowding(best) < crowding(table):
                tables[number], improved = best, True
            sat.update((player, seat) for seat, player in enumerate(tables[number]))
    return tables


def _spread(tables: Sequence[Table]) -> int:
    """The largest difference between an entrant's counts of two seats."""
    sat = Counter((player, seat) for table in tables for seat, player in enumerate(table))
    counts = ([sat[player, seat] for seat in range(4)] for player in {p for table in tables for p in table})
    return max(max(count) - min(count) for count in counts)


def _same_sides(table: Table) -> Iterator[Table]:
    """The eight ways to seat two pairs of partners opposite each other, the given one first."""
    a, b, c, d = table
    for first, third in ((a, c), (c, a)):
        for second, fourth in ((b, d), (d, b)):
            yield first, second, third, fourth
            yield second, first, fourth, third

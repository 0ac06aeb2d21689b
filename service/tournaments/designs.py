"""Tables of 3 and 4: up to 16 entrants every pair meets equally often, beyond that once or a little more.

A design is developed from base tables: shift t adds t, modulo the modulus, to every player of every base
table. Players beyond the modulus lie in further copies of the same residues; a last one that fills no
copy is the fixed point, which no shift moves. (7, 3) is Fano's plane, (9, 3) and (16, 4) are the affine
planes of order 3 and 4, (15, 3) is Kirkman's schoolgirls, (13, 4) the projective plane of order 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from service.tournaments.cycles import Cycle, Even, Lineups, Listed, Table
from service.tournaments.seats import balanced

LISTED_UP_TO = 16


@dataclass(frozen=True, slots=True)
class Base:
    """The tables that a design is developed from."""

    modulus: int
    copies: int
    tables: tuple[Table, ...]

    def developed(self) -> Iterator[Table]:
        """Every base table under every shift, shift by shift."""
        return (self._moved(table, shift) for shift in range(self.modulus) for table in self.tables)

    def _moved(self, table: Table, shift: int) -> Table:
        return tuple(
            player
            if player >= self.modulus * self.copies
            else player // self.modulus * self.modulus + (player + shift) % self.modulus
            for player in table
        )


DESIGNS = {  # by entrants and seats
    (6, 3): Base(5, 1, ((0, 1, 2), (0, 2, 5))),
    (7, 3): Base(7, 1, ((0, 1, 3),)),
    (9, 3): Base(3, 3, ((0, 3, 6), (0, 4, 8), (0, 5, 7), (0, 1, 2), (3, 4, 5), (6, 7, 8))),
    (10, 3): Base(9, 1, ((0, 4, 9), (0, 1, 2), (0, 2, 6), (0, 3, 6))),
    (11, 3): Base(11, 1, ((0, 1, 4), (0, 1, 5), (0, 1, 9), (0, 2, 5), (0, 2, 7))),
    (12, 3): Base(11, 1, ((0, 1, 11), (3, 8, 10), (4, 7, 9), (2, 5, 6))),
    (13, 3): Base(13, 1, ((0, 1, 10), (0, 2, 7))),
    (14, 3): Base(13, 1, (
        (0, 1, 13), (0, 3, 13), (0, 5, 13), (0, 1, 3), (0, 1, 5), (0, 1, 7), (0, 1, 10),
        (0, 1, 11), (0, 2, 6), (0, 2, 7), (0, 2, 8), (0, 2, 10), (0, 3, 9), (0, 4, 8),
    )),
    (15, 3): Base(7, 2, ((0, 7, 14), (1, 5, 13), (2, 3, 12), (8, 9, 11), (4, 6, 10))),
    (16, 3): Base(16, 1, ((1, 2, 15), (4, 7, 14), (5, 9, 13), (6, 11, 12), (3, 8, 10))),
    (7, 4): Base(7, 1, ((0, 1, 2, 5),)),
    (8, 4): Base(7, 1, ((0, 1, 3, 7), (2, 4, 5, 6))),
    (9, 4): Base(9, 1, ((0, 1, 3, 7), (0, 1, 2, 5))),
    (10, 4): Base(5, 2, ((0, 1, 5, 7), (0, 1, 3, 6), (0, 7, 8, 9))),
    (11, 4): Base(11, 1, ((0, 1, 3, 7), (0, 1, 2, 5), (0, 1, 2, 4), (0, 1, 5, 7), (0, 2, 5, 8))),
    (12, 4): Base(11, 1, ((0, 1, 3, 11), (4, 5, 8, 10), (2, 6, 7, 9))),
    (13, 4): Base(13, 1, ((0, 1, 3, 9),)),
    (14, 4): Base(13, 1, (
        (0, 3, 8, 13), (0, 1, 7, 13), (0, 1, 2, 8), (0, 1, 9, 11), (0, 1, 3, 4), (0, 2, 6, 10), (0, 2, 5, 9),
    )),
    (15, 4): Base(15, 1, (
        (0, 1, 9, 13), (0, 1, 3, 10), (0, 1, 2, 12), (0, 1, 3, 11), (0, 1, 8, 10), (0, 3, 6, 10),
        (0, 2, 6, 11),
    )),
    (16, 4): Base(15, 1, ((0, 5, 10, 15), (1, 2, 4, 8), (6, 7, 9, 13), (3, 11, 12, 14))),
}  # fmt: skip


@lru_cache(maxsize=64)
def tables(entrants: int, seats: int) -> Cycle:
    """One cycle at tables of so many seats; seats are within ±1 of balance in all of them."""
    if entrants > LISTED_UP_TO:
        return near_balanced(entrants, seats)
    base = DESIGNS.get((entrants, seats))
    listed = list(base.developed() if base else combinations(range(entrants), seats))
    once = list(dict.fromkeys(tuple(sorted(table)) for table in listed))
    return Listed(entrants, into_rounds(balanced(once)))


def into_rounds(listed: Iterable[Table]) -> list[list[Table]]:
    """The tables in rounds in which nobody sits twice, each in the first round that has room for it."""
    rounds: list[list[Table]] = []
    seated: list[set[int]] = []
    for table in listed:
        at = next((at for at, players in enumerate(seated) if players.isdisjoint(table)), len(rounds))
        if at == len(rounds):
            rounds.append([])
            seated.append(set())
        rounds[at].append(table)
        seated[at].update(table)
    return rounds


@dataclass(frozen=True)
class Cyclic(Even):
    """A cycle of base tables developed modulo the number of players, computed on demand.

    A round is one base table under every shift: in it everyone sits in each seat exactly once.
    """

    players: int
    base: Sequence[Table]

    @cached_property
    def meetings(self) -> Counter[int]:
        """How often players meet, by the difference of their numbers."""
        return Counter(
            (one - other) % self.players
            for table in self.base
            for one in table
            for other in table
            if one != other
        )

    @property
    def notes(self) -> tuple[str, ...]:
        least, most = min(self.meetings.values()), max(self.meetings.values())
        spread = f"{least} to {most} times" if least < most else f"{least} times"
        return (
            f"every two entrants meet {spread} in a cycle",
            f"a round has {len(self.base[0])} games for each entrant, one in each seat",
        )

    @property
    def rounds(self) -> int:
        return len(self.base)

    @property
    def tables(self) -> int:
        return self.players

    def seats(self, index: int) -> Table:
        number, shift = divmod(index, self.players)
        return tuple((player + shift) % self.players for player in self.base[number])

    def tables_of(self, player: int) -> Iterator[int]:
        for number, table in enumerate(self.base):
            for shift in sorted((player - own) % self.players for own in table):
                yield self.start(number) + shift

    def lineups(self) -> Lineups:
        base, shifts = np.array(self.base, np.int64), np.arange(self.players)
        moved = (base[:, None, :] + shifts[None, :, None]) % self.players
        return moved.reshape(self.count, base.shape[1])


def near_balanced(entrants: int, seats: int) -> Cyclic:
    """Base tables chosen one by one, each seat where it repeats the fewest meetings, until all pairs meet."""
    meetings: Counter[int] = Counter()  # by difference, the smaller of the two ways round
    missing = set(range(1, entrants // 2 + 1))
    base = []
    while missing:
        table = [0, max(missing)]
        while len(table) < seats:
            table.append(_least_repeating(table, meetings, entrants))
        differences = list(_differences(table, entrants))
        meetings.update(differences)
        missing.difference_update(differences)
        base.append(tuple(table))
    return Cyclic(entrants, base)


def _least_repeating(table: list[int], meetings: Counter[int], entrants: int) -> int:
    """The player to add to a base table, the first of those that add the fewest repeated meetings."""
    used = Counter(_differences(table, entrants))
    best, least = -1, -1
    for player in range(1, entrants):
        if player in table:
            continue
        added = [min((player - other) % entrants, (other - player) % entrants) for other in table]
        repeats = (
            sum(meetings[d] + used[d] + (2 * d == entrants) for d in added) + len(added) - len(set(added))
        )
        if best < 0 or repeats < least:
            best, least = player, repeats
        if least == 0:
            break
    return best


def _differences(table: Sequence[int], entrants: int) -> Iterator[int]:
    for one, other in combinations(table, 2):
        yield min((one - other) % entrants, (other - one) % entrants)

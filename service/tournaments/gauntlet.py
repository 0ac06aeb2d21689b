"""A gauntlet: one challenger or a few, each against all the others but not against one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from engines.errors import BadOption
from service.tournaments.cycles import Even, Lineups
from service.tournaments.lots import draw
from service.tournaments.pairing import Options, Partners, Result
from service.tournaments.repeated import Repeated


@dataclass(frozen=True, slots=True)
class Rows(Even):
    """The cycle of a gauntlet for two sides: players 0 to `challengers` − 1 against the rest.

    In round r challenger c meets opponent number c + r, or where there are more challengers than opponents,
    opponent o meets challenger number o + r. Seats alternate along both.
    """

    challengers: int
    players: int
    notes: tuple[str, ...] = ()

    @property
    def _opponents(self) -> int:
        return self.players - self.challengers

    @property
    def tables(self) -> int:
        return min(self.challengers, self._opponents)

    @property
    def rounds(self) -> int:
        return max(self.challengers, self._opponents)

    def seats(self, index: int) -> tuple[int, int]:
        round_index, table = divmod(index, self.tables)
        moved = (table + round_index) % self.rounds
        few = self.challengers == self.tables
        challenger, opponent = (table, moved) if few else (moved, table)
        pair = challenger, self.challengers + opponent
        return pair if (challenger + opponent) % 2 == 0 else pair[::-1]

    def tables_of(self, player: int) -> Iterator[int]:
        return (index for index in range(self.count) if player in self.seats(index))

    def lineups(self) -> Lineups:
        return np.array([self.seats(index) for index in range(self.count)], np.int64)


class Gauntlet:
    """`options.challengers` entrants, the first to enter, against all the others."""

    name = "gauntlet"

    def schedule(
        self, entrants: int, options: Options, seed: bytes | None, results: Mapping[int, Result]
    ) -> Repeated:
        challengers = options.challengers
        if not challengers < entrants:
            raise BadOption(
                "challengers", f"{challengers} of {entrants} entrants leave nobody to meet: enter more"
            )
        if options.seats > 2 and options.partners is not Partners.FIXED:
            raise BadOption("seats", "a gauntlet is for two sides: choose 2 seats, or 4 with fixed partners")
        others = draw(entrants - challengers, seed)
        lots = [*range(challengers), *(challengers + lot for lot in others)]
        return Repeated(Rows(challengers, entrants), options, lots)

"""The Berger table in closed form: any game of a round-robin for two sides without making the others.

FIDE Handbook C.05, annex 1. With m players (one of them a bye where their number is odd), the pairs of
the first round are 1–m, 2–(m−1), …; in each later round every number but m grows by m/2 (modulo m−1). The
first-named has the first seat; player m has the second seat in odd rounds and the first in even ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from service.tournaments.cycles import Even, Lineups


@dataclass(frozen=True, slots=True)
class Berger(Even):
    """The cycle of a round-robin for two sides; players and rounds from 0."""

    players: int

    @property
    def notes(self) -> tuple[str, ...]:
        if self.players % 2:
            return ("the number of entrants is odd: each has one round without a game in every cycle",)
        return ()

    @property
    def _last(self) -> int:
        """The number that stays in its place: a player, or the bye."""
        return self.players - 1 + self.players % 2

    @property
    def rounds(self) -> int:
        return self._last

    @property
    def tables(self) -> int:
        return self.players // 2

    def _shift(self, round_index: int) -> int:
        return round_index * (self._last + 1) // 2 % self._last

    def seats(self, index: int) -> tuple[int, int]:
        round_index, table = divmod(index, self.tables)
        table += self.players % 2  # the bye's table is left out
        shift, last = self._shift(round_index), self._last
        first = (table + shift) % last
        if table == 0:
            return (last, first) if round_index % 2 else (first, last)
        return first, (shift - table) % last

    def tables_of(self, player: int) -> Iterator[int]:
        bye, last = self.players % 2, self._last
        for round_index in range(self.rounds):
            offset = 0 if player == last else (player - self._shift(round_index)) % last
            table = min(offset, last - offset)
            if table >= bye:
                yield self.start(round_index) + table - bye

    def lineups(self) -> Lineups:
        round_index, table = np.divmod(np.arange(self.count), self.tables)
        table += self.players % 2
        last = self._last
        shift = round_index * (last + 1) // 2 % last
        pairs = np.stack([(table + shift) % last, (shift - table) % last], axis=1)
        if not self.players % 2:
            own = np.flatnonzero(table == 0)  # the games of the number that stays in its place
            pairs[own, 1] = last
            even = own[round_index[own] % 2 == 1]
            pairs[even] = pairs[even, ::-1]
        return pairs

"""One cycle of a schedule: every table once, grouped into rounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Table = tuple[int, ...]
Lineups = NDArray[np.int64]  # games × seats: who sits there


class Cycle(Protocol):
    """Every table of one cycle, by its index from 0 and grouped into rounds; players are lot numbers."""

    @property
    def players(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def count(self) -> int: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    def start(self, round_index: int) -> int:
        """The index of the first table of a round; `start(rounds)` is the count."""

    def round_of(self, index: int) -> int:
        """The round, from 0, of a table."""

    def seats(self, index: int) -> Table:
        """Who sits at a table, by seat."""

    def tables_of(self, player: int) -> Iterator[int]:
        """The indices of the tables of a player, ascending."""

    def lineups(self) -> Lineups:
        """`seats` of every table."""


class Even(ABC):
    """The part of a cycle that follows from its rounds all having the same number of tables."""

    __slots__ = ()

    @property
    @abstractmethod
    def rounds(self) -> int: ...

    @property
    @abstractmethod
    def tables(self) -> int:
        """Tables in a round."""

    @property
    def count(self) -> int:
        return self.rounds * self.tables

    def start(self, round_index: int) -> int:
        return round_index * self.tables

    def round_of(self, index: int) -> int:
        return index // self.tables


@dataclass(frozen=True)
class Listed:
    """A cycle whose tables are written out, round by round."""

    players: int
    by_round: Sequence[Sequence[Table]]
    notes: tuple[str, ...] = ()

    @cached_property
    def _tables(self) -> tuple[Table, ...]:
        return tuple(table for tables in self.by_round for table in tables)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(accumulate((len(tables) for tables in self.by_round), initial=0))

    @property
    def rounds(self) -> int:
        return len(self.by_round)

    @property
    def count(self) -> int:
        return len(self._tables)

    def start(self, round_index: int) -> int:
        return self._starts[round_index]

    def round_of(self, index: int) -> int:
        return bisect_right(self._starts, index) - 1

    def seats(self, index: int) -> Table:
        return self._tables[index]

    def tables_of(self, player: int) -> Iterator[int]:
        return (index for index, table in enumerate(self._tables) if player in table)

    def lineups(self) -> Lineups:
        return np.array(self._tables, np.int64)

"""Seats within ±1: the tables stay as they are, only who sits where at each table changes.

Every entrant's tables are cut into groups of k; the graph between such groups and tables has no degree
above k, so by König's theorem its edges take k colours with no colour twice at a node. The colour is the
seat: each group fills every seat at most once, each table each seat exactly once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

Table = tuple[int, ...]
Group = tuple[int, int]  # an entrant, and the number of its group of tables


def balanced(tables: Sequence[Table]) -> list[Table]:
    """The tables (all of one size) with their players reseated: each is in each seat equally often, ±1."""
    colouring = _Colouring()
    played: dict[int, int] = {}
    for number, table in enumerate(tables):
        for player in table:
            group = player, played.get(player, 0) // len(table)
            played[player] = played.get(player, 0) + 1
            colouring.add(number, group)
    return [
        tuple(colouring.group_at[number, seat][0] for seat in range(len(table)))
        for number, table in enumerate(tables)
    ]


class _Colouring:
    """Edges between tables and groups, coloured one by one."""

    def __init__(self) -> None:
        self.group_at: dict[tuple[int, int], Group] = {}  # by table and colour
        self.table_at: dict[tuple[Group, int], int] = {}  # by group and colour

    def add(self, table: int, group: Group) -> None:
        """Colour one more edge, exchanging two colours along a path where no colour is free at both ends."""
        here = next(seat for seat in count() if (table, seat) not in self.group_at)
        there = next(seat for seat in count() if (group, seat) not in self.table_at)
        if (group, here) in self.table_at:
            self._exchange(group, here, there)
        self.group_at[table, here] = group
        self.table_at[group, here] = table

    def _exchange(self, group: Group, first: int, second: int) -> None:
        """Swap the two colours along the path that leaves `group` by its edge of colour `first`."""
        path = []
        while (group, first) in self.table_at:
            table = self.table_at.pop((group, first))
            del self.group_at[table, first]
            path.append((table, group, second))
            if (table, second) not in self.group_at:
                break
            group = self.group_at.pop((table, second))
            del self.table_at[group, second]
            path.append((table, group, first))
        for table, end, seat in path:
            self.group_at[table, seat] = end
            self.table_at[end, seat] = table

"""The board as bits: cells, lines and what sliding a line does, worked out once per size.

Bit `column * size + row` is a cell, column 0 being `a` and row 0 being `1`, so bits run in the order of
the cells' names. A set of cells is an int. Tables over a whole board are cut in two halves, `low` (bits
below `half`) and `high`, so that they stay small: what holds for the board is the two halves' entries
put together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

ENDS = "ENSW"  # in the order of the moves' texts


@dataclass(frozen=True, slots=True)
class Slide:
    """A cube's way from its cell to the end of its row or column (Q7), for one layer of bits.

    `path` is every cell whose cube changes. `enter[layer & path]` is what to XOR into a layer if the cube
    comes in with its bit set, `pass_by[layer & path]` if it comes in clear.
    """

    path: int
    enter: Mapping[int, int]
    pass_by: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Board:
    """What a size fixes: the edge (Q4), the lines (Q12), the slides (Q7)."""

    size: int
    half: int
    low_mask: int
    edge: int
    lines: tuple[int, ...]
    low_lines: Sequence[int]  # low_lines[a] & high_lines[b] has bit i set iff line i is complete
    high_lines: Sequence[int]
    slides: Mapping[tuple[int, str], Slide]  # by bit number and end, those that change something

    def complete(self, cells: int) -> tuple[int, ...]:
        """The lines that are full in `cells`."""
        return tuple(line for line in self.lines if line & cells == line)


def cell_name(bit: int, size: int) -> str:
    """`c1` for the third column's bottom cell."""
    return "abcde"[bit // size] + str(bit % size + 1)


@cache
def board_of(size: int) -> Board:
    """The board with `size` rows and columns (3 to 5)."""
    cells = size * size
    half = cells // 2
    edge = sum(1 << bit for bit in range(cells) if _on_edge(bit, size))
    lines = _lines(size)
    through = [sum(1 << i for i, line in enumerate(lines) if line >> bit & 1) for bit in range(cells)]
    return Board(
        size=size,
        half=half,
        low_mask=(1 << half) - 1,
        edge=edge,
        lines=lines,
        low_lines=_unbroken(through[:half], len(lines)),
        high_lines=_unbroken(through[half:], len(lines)),
        slides={
            (bit, end): _slide(path)
            for bit in range(cells)
            if edge >> bit & 1
            for end in ENDS
            if len(path := _path(bit, end, size)) > 1  # not straight back (Q7)
        },
    )


def _on_edge(bit: int, size: int) -> bool:
    column, row = divmod(bit, size)
    return column in (0, size - 1) or row in (0, size - 1)


def _lines(size: int) -> tuple[int, ...]:
    """Columns, rows and the two long diagonals (Q12)."""
    span = range(size)
    columns = [[(i, j) for j in span] for i in span]
    rows = [[(j, i) for j in span] for i in span]
    diagonals = [[(i, i) for i in span], [(i, size - 1 - i) for i in span]]
    return tuple(sum(1 << (c * size + r) for c, r in line) for line in columns + rows + diagonals)


def _unbroken(through: list[int], lines: int) -> Sequence[int]:
    """For each set of marked cells of a half: the lines in which none of that half's cells is missing."""
    table = [(1 << lines) - 1]
    for passing in through:
        table = [entry & ~passing for entry in table] + table
    return table


def _path(bit: int, end: str, size: int) -> list[int]:
    """The cells from `bit` to the `end` of its column (N, S) or row (E, W), both included."""
    row = bit % size
    last = size - 1
    return {
        "N": list(range(bit, bit - row + size)),
        "S": list(range(bit, bit - row - 1, -1)),
        "E": list(range(bit, last * size + row + 1, size)),
        "W": list(range(bit, row - 1, -size)),
    }[end]


def _slide(path: list[int]) -> Slide:
    """Each cube on the path moves one cell towards the gap; the one taken comes in at the end."""
    enter, pass_by = {}, {}
    for bits in product((0, 1), repeat=len(path)):
        before = _cells(path, bits)
        enter[before] = before ^ _cells(path, (*bits[1:], 1))
        pass_by[before] = before ^ _cells(path, (*bits[1:], 0))
    return Slide(_cells(path, (1,) * len(path)), enter, pass_by)


def _cells(path: list[int], bits: tuple[int, ...]) -> int:
    return sum(bit << cell for cell, bit in zip(path, bits, strict=True))

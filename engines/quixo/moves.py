"""Moves, made once per board, and the tables from which the legal ones are picked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from engines.quixo.board import ENDS, Board, Slide, board_of, cell_name


@dataclass(frozen=True, slots=True)
class Move:
    """A move with its consequences worked out; its text is its identity.

    `cell` is the cube taken, as a set of one cell (empty for a pass). The mappings say what to XOR into
    the mover's layer, the opponents' and the dots', by that layer's bits on `path`.
    """

    text: str
    cell: int = field(compare=False)
    path: int = field(compare=False)
    own: Mapping[int, int] = field(compare=False, repr=False)
    other: Mapping[int, int] = field(compare=False, repr=False)
    dots: Mapping[int, int] = field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.text


_NOTHING = {0: 0}
PASS = Move("--", 0, 0, _NOTHING, _NOTHING, _NOTHING)  # Q11

Moves = tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """The moves of one seat: `low[barred & low_mask] + high[barred >> half]`, in the order of their texts.

    `barred` holds the cells whose cube the seat may not take.
    """

    low: Sequence[Moves]
    high: Sequence[Moves]


@cache
def choices_of(size: int, seats: int) -> tuple[Choices, ...]:
    """The choices of each seat."""
    board = board_of(size)
    return tuple(_choices(board, partners(seat, seats)) for seat in range(seats))


def partners(seat: int, seats: int) -> tuple[int, ...]:
    """The seats that a dot of this seat's team may face, or none where there are no dots (Q8, Q10)."""
    return (seat % 2, seat % 2 + 2) if seats == 4 else ()


def _choices(board: Board, facing: tuple[int, ...]) -> Choices:
    cells = [tuple(_moves_of(board, bit, facing)) for bit in range(board.size**2)]
    return Choices(_unbarred(cells[: board.half]), _unbarred(cells[board.half :]))


def _moves_of(board: Board, bit: int, facing: tuple[int, ...]) -> Iterable[Move]:
    for end in ENDS:
        if slide := board.slides.get((bit, end)):
            text = cell_name(bit, board.size) + end
            if not facing:
                yield _move(text, bit, slide, far=False)
            for seat in facing:
                yield _move(f"{text}@{seat}", bit, slide, far=seat >= 2)


def _move(text: str, bit: int, slide: Slide, *, far: bool) -> Move:
    dots = slide.enter if far else slide.pass_by
    return Move(text, 1 << bit, slide.path, slide.enter, slide.pass_by, dots)  # own mark up (Q6)


def _unbarred(cells: list[Moves]) -> Sequence[Moves]:
    """For each set of barred cells of a half: the moves of that half's other cells."""
    table: list[Moves] = [()]
    for moves in cells:
        table = [entry + moves for entry in table] + table
    return table

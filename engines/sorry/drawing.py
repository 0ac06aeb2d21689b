"""The board as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engines.sorry.board import (
    CIRCLE,
    COLOURS,
    ENTRY,
    HOME,
    LETTERS,
    SIDE,
    SLIDES,
    START,
    TRACK,
    ZONE,
    decode,
)

if TYPE_CHECKING:
    from engines.sorry.state import Table

_WIDTH = SIDE + 1
_ARROWS = ">v<^"  # the way a pawn goes on each side
_Cell = tuple[int, int]


def draw(state: Table) -> str:
    """The track with pawns as letters, arrows for triangles, `=` for slides; S and H with counts."""
    cells = {cell: " ." for square in range(TRACK) for cell in [_cell(square)]}
    for side in range(4):
        for triangle, end in SLIDES.items():
            for offset in range(triangle, end + 1):
                cells[_cell(SIDE * side + offset)] = " ="
            cells[_cell(SIDE * side + triangle)] = f" {_ARROWS[side]}"
        cells |= {_inside(side, ENTRY, depth + 1): " _" for depth in range(HOME - ZONE)}
    for colour in state.setup.colours:
        cells |= dict(_pawns(colour, decode(state.board, colour)))
    rows = ["".join(cells.get((row, column), "  ") for column in range(_WIDTH)) for row in range(_WIDTH)]
    return "\n".join([*rows, *_captions(state)])


def _cell(square: int) -> _Cell:
    """Row and column of a track square: red's side is the top row, from the left."""
    side, offset = divmod(square, SIDE)
    return _inside(side, offset, 0)


def _inside(side: int, offset: int, depth: int) -> _Cell:
    """Row and column `depth` squares inwards from a side's square."""
    row, column = depth, offset
    for _ in range(side):
        row, column = column, SIDE - row
    return row, column


def _pawns(colour: int, places: list[int]) -> Iterator[tuple[_Cell, str]]:
    yield _inside(colour, CIRCLE, 1), f"S{places.count(START)}"
    yield _inside(colour, ENTRY, HOME - ZONE + 1), f"H{places.count(HOME)}"
    for place in places:
        if 0 <= place < TRACK:
            yield _cell(place), f" {LETTERS[colour]}"
        elif ZONE <= place < HOME:
            yield _inside(colour, ENTRY, place - ZONE + 1), f" {LETTERS[colour]}"


def _captions(state: Table) -> Iterator[str]:
    view = state.view(None)
    seats = ", ".join(f"{seat} {COLOURS[colour]}" for seat, colour in enumerate(state.setup.colours))
    yield f"seats: {seats}; {view['draw_pile']} cards to draw, turn {view['turn'] + 1}"
    if "scores" in view:
        yield f"deal {view['deal']} of {state.setup.deals}, points {' '.join(map(str, view['scores']))}"
    if state.reason is not None:
        yield f"over: {state.reason}"
    else:
        drawn = f", card {view['card']}" if "card" in view else ""
        yield f"seat {state.to_move} to move{drawn}"

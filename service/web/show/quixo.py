"""Quixo drawn: 25 cubes that keep their identity while lines slide. Rule numbers: the rule page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from service.web.show.scene import Change, Event, Mark, Motion, Piece, Point, Scene, View

CELL = 100
MARGIN = 42  # room for the coordinates
_MOVE = re.compile(r"([a-e])([1-5])([NESW])(?:@([0-3]))?")
_STEP = {"N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0)}
_ENDS = {"N": "the top", "S": "the bottom", "E": "the right", "W": "the left"}
_LOOKS = {".": "blank", "X": "x", "O": "o", "0": "x0", "1": "o1", "2": "x2", "3": "o3"}
_Cell = tuple[int, int]  # column and row, from 0


@dataclass(frozen=True, slots=True)
class QuixoStage:
    """A Quixo board of `size` rows; cubes have dots where four play."""

    seats: int
    size: int

    @property
    def board(self) -> str:
        return f"quixo-{self.size}"

    @property
    def side(self) -> int:
        return self.size * CELL + 2 * MARGIN

    @property
    def beat_ms(self) -> int:
        return 240

    @property
    def seat_names(self) -> tuple[str, ...]:
        return ("X", "O", "X", "O")[: self.seats]

    @property
    def seat_looks(self) -> tuple[str, ...]:
        return ("x0", "o1", "x2", "o3") if self.seats == 4 else ("x", "o")

    def opening(self, view: View) -> Scene:
        cells = [(column, row) for row in range(self.size) for column in range(self.size)]
        pieces = tuple(self._piece(cell, _LOOKS[_cube(view, cell)]) for cell in cells)
        return Scene(pieces, (), {}, ("",) * self.seats)

    def after(self, scene: Scene, event: Event, view: View) -> Change:
        match = _MOVE.fullmatch(event.get("move") or "")
        wins = tuple(self._mark("win", _cell(name)) for name in view["line"])
        if not match:  # a pass (Q11) or a forfeit: the cubes stay
            return Change(replace(scene, marks=wins))
        cell, end = _cell(match[1] + match[2]), match[3]
        path = list(self._path(cell, end))
        look = _LOOKS[_cube(view, path[-1])]
        motions = tuple(self._motions(scene, path, end, look))
        pieces = list(scene.pieces)
        for (column, row), motion in zip([path[-1], *path[:-1]], motions, strict=True):
            pieces[motion.piece] = self._piece((column, row), motion.look)
        marks = (self._mark("from", cell), self._mark("to", path[-1]), *wins)
        return Change(replace(scene, pieces=tuple(pieces), marks=marks), motions)

    def sentence(self, move: str) -> str:
        match = _MOVE.fullmatch(move)
        if not match:
            return "has no cube to take and passes"
        facing = f", its dot to seat {match[4]}" if match[4] else ""
        return f"takes {match[1]}{match[2]} and slides it in from {_ENDS[match[3]]}{facing}"

    def _motions(self, scene: Scene, path: list[_Cell], end: str, look: str) -> Iterator[Motion]:
        """The cube leaves (beat 1), goes round (2) and comes in (3), while the line slides (3)."""
        at = {piece.place: index for index, piece in enumerate(scene.pieces)}
        step = _STEP[end]
        taken, last = path[0], path[-1]
        away = self._outside(taken)
        before = (last[0] + step[0], last[1] + step[1])
        ways = (self._point(away), self._point(before), self._point(last))
        yield Motion(at[_name(taken)], look, 0, ways)
        for cell, gap in zip(path[1:], path, strict=False):
            index = at[_name(cell)]
            yield Motion(index, scene.pieces[index].look, 2, (self._point(gap),))

    def _path(self, cell: _Cell, end: str) -> Iterator[_Cell]:
        """The cells from the cube taken to the end of the line (Q7)."""
        column, row = cell
        dx, dy = _STEP[end]
        while 0 <= column < self.size and 0 <= row < self.size:
            yield column, row
            column, row = column + dx, row + dy

    def _outside(self, cell: _Cell) -> _Cell:
        """The place beside the board next to an edge cell."""
        column, row = cell
        top = self.size - 1
        if row in (0, top):
            return column, row + (1 if row == top else -1)
        return column + (1 if column == top else -1), row

    def _point(self, cell: _Cell) -> Point:
        """The middle of a cell; row 1 is at the bottom."""
        column, row = cell
        return MARGIN + CELL * column + CELL // 2, MARGIN + CELL * (self.size - 1 - row) + CELL // 2

    def _piece(self, cell: _Cell, look: str) -> Piece:
        return Piece(look, _name(cell), *self._point(cell))

    def _mark(self, look: str, cell: _Cell) -> Mark:
        return Mark(look, *self._point(cell))


def _cell(name: str) -> _Cell:
    return "abcde".index(name[0]), int(name[1]) - 1


def _name(cell: _Cell) -> str:
    return f"{'abcde'[cell[0]]}{cell[1] + 1}"


def _cube(view: View, cell: _Cell) -> str:
    column, row = cell
    return str(view["cells"][-1 - row][column])

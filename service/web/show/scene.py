"""Pieces on a board and their motions, the same for every game.

Coordinates are units of the board's own drawing, x to the right and y down; a piece's are those of its
middle. A piece keeps its index for a whole match, so that a motion can name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Event = Mapping[str, Any]
View = Mapping[str, Any]
Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: `look` names its drawing, `place` is where it stands in the game's notation."""

    look: str
    place: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Motion:
    """A piece's way: it leaves at beat `start` and takes one beat to each of `points`.

    It takes `look` when it has reached the first of them.
    """

    piece: int
    look: str
    start: int
    points: tuple[Point, ...]

    def to_json(self) -> list[Any]:
        return [self.piece, self.look, self.start, *(part for point in self.points for part in point)]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something laid under the pieces: `from` and `to` of the last move, `win` for a line that won."""

    look: str
    x: int
    y: int

    def to_json(self) -> list[Any]:
        return [self.look, self.x, self.y]


@dataclass(frozen=True, slots=True)
class Scene:
    """A position as it is drawn. `slots` are the short texts that a board has room for, by name."""

    pieces: tuple[Piece, ...]
    marks: tuple[Mark, ...] = ()
    slots: Mapping[str, str] = field(default_factory=dict)
    seats: tuple[str, ...] = ()  # a few words on how each seat stands


@dataclass(frozen=True, slots=True)
class Change:
    """What an event did: the scene it led to, the motions, and what is worth saying besides the move."""

    scene: Scene
    motions: tuple[Motion, ...] = ()
    remarks: tuple[str, ...] = ()


class Stage(Protocol):
    """How one family of games is drawn."""

    @property
    def board(self) -> str:
        """The name of the board's drawing, with its size where it has several."""

    @property
    def side(self) -> int:
        """Width and height of the drawing."""

    @property
    def beat_ms(self) -> int:
        """How long a beat lasts at ordinary speed."""

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What each seat is called on the board ("X", "red")."""

    @property
    def seat_looks(self) -> tuple[str, ...]:
        """The drawing that stands for each seat."""

    def opening(self, view: View) -> Scene:
        """The first position."""

    def after(self, scene: Scene, event: Event, view: View) -> Change:
        """What `event` did to a scene; `view` is a spectator's view of the position it led to."""

    def sentence(self, move: str) -> str:
        """A move in words, to follow the player's name."""

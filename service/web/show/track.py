"""Where Sorry!'s squares lie on the drawing, and the ways pawns walk between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engines.sorry.board import CIRCLE, ENTRY, HOME, SIDE, START, TRACK, ZONE, backward, forward
from service.web.show.scene import Point

CELL = 40
MARGIN = 10
WIDTH = (SIDE + 1) * CELL + 2 * MARGIN
START_DEPTH = 2 * CELL  # from a side's squares to the middle of its START
HOME_DEPTH = 7 * CELL
_FARTHEST = 12  # no card goes farther
_NEST = 17  # how far the four pawns on START or HOME stand from its middle
_NESTS = ((-_NEST, -_NEST), (_NEST, -_NEST), (-_NEST, _NEST), (_NEST, _NEST))


def inward(side: int, along: int, depth: int) -> Point:
    """The point `depth` inwards from a side, `along` it; red's side is the top one, then clockwise (S3)."""
    x, y = along, depth
    for _ in range(side):
        x, y = SIDE * CELL - y, x
    return MARGIN + CELL // 2 + x, MARGIN + CELL // 2 + y


def square(number: int) -> Point:
    """The middle of a square of the track."""
    side, offset = divmod(number, SIDE)
    return inward(side, offset * CELL, 0)


def start_middle(colour: int) -> Point:
    return inward(colour, CIRCLE * CELL, START_DEPTH)


def home_middle(colour: int) -> Point:
    return inward(colour, ENTRY * CELL, HOME_DEPTH)


def zone_square(colour: int, depth: int) -> Point:
    """The middle of a safety square; `depth` counts from 1."""
    return inward(colour, ENTRY * CELL, depth * CELL)


def point(colour: int, place: int, nest: int) -> Point:
    """Where a pawn stands; `nest` is its own corner of START and HOME."""
    if place in (START, HOME):
        x, y = start_middle(colour) if place == START else home_middle(colour)
        dx, dy = _NESTS[nest]
        return x + dx, y + dy
    return square(place) if place < TRACK else zone_square(colour, place - ZONE + 1)


def walk(colour: int, place: int, to: int) -> Sequence[int]:
    """The places a pawn passes on its way by count, `to` included (S7, S10, S12)."""
    if place == START:
        return (to,)
    return next(way for way in _ways(colour, place) if way[-1] == to)


def _ways(colour: int, place: int) -> Iterator[list[int]]:
    for count in range(1, _FARTHEST + 1):
        steps = [forward(colour, place, step) for step in range(1, count + 1)]
        if steps[-1] is not None:
            yield [step for step in steps if step is not None]
    for count in range(1, _FARTHEST + 1):
        yield [backward(colour, place, step) for step in range(1, count + 1)]

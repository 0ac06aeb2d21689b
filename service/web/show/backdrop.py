"""The fixed part of Sorry!'s board as shapes to draw: squares, slides, zones, START and HOME (S3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from engines.sorry.board import COLOURS, LETTERS, SIDE, SLIDES, TRACK
from service.web.show.scene import Point
from service.web.show.track import CELL, WIDTH, home_middle, square, start_middle, zone_square

ZONE_SQUARES = 5


@cache
def sorry_backdrop() -> Mapping[str, Any]:
    """Middles of everything, with the size of a square; colours as letters."""
    return {
        "cell": CELL,
        "width": WIDTH,
        "squares": [square(number) for number in range(TRACK)],
        "zones": [
            (LETTERS[colour], zone_square(colour, depth))
            for colour in range(len(COLOURS))
            for depth in range(1, ZONE_SQUARES + 1)
        ],
        "starts": [(LETTERS[colour], start_middle(colour)) for colour in range(len(COLOURS))],
        "homes": [(LETTERS[colour], home_middle(colour)) for colour in range(len(COLOURS))],
        "slides": list(_slides()),
    }


def _slides() -> Iterator[tuple[str, Point, Point, int]]:
    """Colour, triangle, end, and the way it points in degrees from the right, clockwise."""
    for side, letter in enumerate(LETTERS):
        for triangle, end in SLIDES.items():
            yield letter, square(SIDE * side + triangle), square(SIDE * side + end), 90 * side

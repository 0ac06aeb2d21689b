"""The board (S3) as one integer, and what a single pawn's step does to it.

A place is -1 on START, 0-59 on the track, 60-64 in the safety zone, 65 at HOME. In the integer each colour
has 72 bits: one for each square of track and zone, in the ASCII order of the squares' names so that a walk
from the lowest bit meets pawns in the order of their move texts, then a count of pawns on START and one of
pawns at HOME, three bits each. Moving a pawn is adding a difference that was worked out beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

COLOURS = ("red", "blue", "yellow", "green")  # clockwise (S1)
LETTERS = "rbyg"
PAWNS = 4
TRACK = 60
SIDE = 15
START = -1
ZONE = 60  # the first safety square
HOME = 65
CIRCLE = 4  # on a colour's own side
ENTRY = 2
SLIDES = {1: 4, 9: 13}  # triangle to end, on a side

PLACE_NAMES = {
    START: "S",
    HOME: "H",
    **{square: str(square) for square in range(TRACK)},
    **{ZONE + i: f":{i + 1}" for i in range(5)},
}
PLACES_BY_NAME = {name: place for place, name in PLACE_NAMES.items()}

_COLOUR_BITS = 72
_SQUARES = sorted(range(HOME), key=PLACE_NAMES.__getitem__)
RANK = {place: rank for rank, place in enumerate(_SQUARES)} | {START: HOME, HOME: HOME + 3}

UNIT = tuple(
    {place: 1 << (colour * _COLOUR_BITS + RANK[place]) for place in PLACE_NAMES} for colour in range(4)
)
"""`UNIT[colour][place]`: what one pawn there adds to the board."""

WHERE = {UNIT[colour][place]: (colour, place) for colour in range(4) for place in _SQUARES}
"""From the bit of a square of track or zone to its colour and place."""

OUT = tuple(sum(UNIT[colour][place] for place in _SQUARES) for colour in range(4))
"""`OUT[colour]`: the bits of its pawns on track and zone, those between START and HOME."""
ON_TRACK = tuple(sum(UNIT[colour][square] for square in range(TRACK)) for colour in range(4))
ON_START = tuple(7 * UNIT[colour][START] for colour in range(4))
AT_HOME = tuple(7 * UNIT[colour][HOME] for colour in range(4))
ALL_HOME = tuple(PAWNS * UNIT[colour][HOME] for colour in range(4))
WHOLE = tuple(OUT[colour] | ON_START[colour] | AT_HOME[colour] for colour in range(4))

BUMP = {bit: UNIT[colour][START] - bit for bit, (colour, place) in WHERE.items() if place < TRACK}
"""What sending the pawn at a bit to its START adds to the board."""


def encode(pawns: Iterable[Iterable[int]]) -> int:
    """The board with each colour's pawns at the given places."""
    return sum(UNIT[colour][place] for colour, places in enumerate(pawns) for place in places)


def decode(board: int, colour: int) -> list[int]:
    """The places of a colour's pawns, sorted."""
    places = [WHERE[bit][1] for bit in bits(board & OUT[colour])]
    on_start = (board & ON_START[colour]) // UNIT[colour][START]
    return [START] * on_start + sorted(places) + [HOME] * home_count(board, colour)


def home_count(board: int, colour: int) -> int:
    """How many of a colour's pawns are HOME."""
    return (board & AT_HOME[colour]) // UNIT[colour][HOME]


def bits(board: int) -> Iterator[int]:
    """The single bits of a board, the lowest first."""
    while board:
        bit = board & -board
        yield bit
        board ^= bit


def bumped(board: int, struck: int) -> int:
    """The board with the pawns at the bits `struck` back on their STARTs (S8)."""
    while struck:
        bit = struck & -struck
        board += BUMP[bit]
        struck ^= bit
    return board


def forward(colour: int, place: int, count: int) -> int | None:
    """Where `count` squares forward lead from track or zone, or None beyond HOME (S10-S12)."""
    if place >= ZONE:
        return place + count if place + count <= HOME else None
    to_entry = (SIDE * colour + ENTRY - place) % TRACK
    if count <= to_entry:
        return (place + count) % TRACK
    return forward(colour, ZONE, count - to_entry - 1)


def backward(colour: int, place: int, count: int) -> int:
    """Where `count` squares backward lead from track or zone (S10)."""
    if place >= ZONE + count:
        return place - count
    if place >= ZONE:
        return (SIDE * colour + ENTRY - (count - (place - ZONE) - 1)) % TRACK
    return (place - count) % TRACK


def circle(colour: int) -> int:
    """The square outside a colour's START."""
    return SIDE * colour + CIRCLE


def slide(colour: int, square: int) -> Sequence[int]:
    """The squares a pawn slides over from where it landed, both ends included; one if it does not (S9)."""
    side, offset = divmod(square, SIDE)
    if square >= TRACK or side == colour or offset not in SLIDES:
        return (square,)
    return range(square, SIDE * side + SLIDES[offset] + 1)


class Step(NamedTuple):
    """One pawn's move by count: its text and what it does.

    It is barred if the board has a bit of `barred` (S8); otherwise it adds `change` and sends to START
    whatever stands on `struck` (S8, S9).
    """

    text: str
    change: int
    barred: int
    struck: int


_SAME: dict[int, int] = {}


def same(number: int) -> int:
    """One object for all equal ones: tables of steps that share their masks stay in the processor's cache."""
    return _SAME.setdefault(number, number)


@cache
def step(colour: int, place: int, to: int) -> Step:
    """The step of a colour's pawn from `place` that lands on `to`."""
    text = f"{LETTERS[colour]}{PLACE_NAMES[place]}-{PLACE_NAMES[to]}"
    unit = UNIT[colour]
    if to >= ZONE:
        return Step(text, unit[to] - unit[place], 0 if to == HOME else unit[to], 0)
    end, struck = arrival(colour, to)
    if struck & unit[place]:  # a slide back to where the pawn stood
        struck &= ~unit[place]
    return Step(text, end - unit[place], unit[to], struck)


@cache
def arrival(colour: int, square: int) -> tuple[int, int]:
    """Where a pawn comes to rest that lands on a track square, and what it strikes there, as bits.

    Its own colour's pawn on the square itself is not among them: that one bars the landing (S8).
    """
    path = slide(colour, square)
    passed = sum(UNIT[other][passed] for other in range(4) for passed in path)
    return UNIT[colour][path[-1]], passed & ~UNIT[colour][square]

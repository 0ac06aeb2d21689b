"""What a card may do (S14-S24): every distinct position that it can lead to, once, by its canonical text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engines.sorry.board import (
    LETTERS,
    ON_START,
    ON_TRACK,
    OUT,
    PLACE_NAMES,
    START,
    TRACK,
    UNIT,
    WHERE,
    Step,
    arrival,
    backward,
    bits,
    bumped,
    circle,
    forward,
    step,
)
from engines.sorry.cards import NAMES, SORRY

LOST = "--"


class Move(NamedTuple):
    """A card played, with the board it leaves; `text` is canonical."""

    text: str
    card: int
    board: int

    def __str__(self) -> str:
        return self.text


class Side(NamedTuple):
    """Who moves: the colours it may move and those it may change places with, both in letter order."""

    colours: tuple[int, ...]
    opponents: tuple[int, ...]
    parts: int  # how many pawns may share a 7 (S16, S23)


Plays = list[tuple[str, int]]  # text and resulting board


def _steps(card: int, count: int) -> dict[int, Step]:
    """By a pawn's bit, its step for a card that moves it `count` squares (negative: backward)."""
    table = {}
    for bit, (colour, place) in WHERE.items():
        to = forward(colour, place, count) if count > 0 else backward(colour, place, -count)
        if to is not None:
            moved = step(colour, place, to)
            table[bit] = moved._replace(text=f"{NAMES[card]} {moved.text}")
    return table


def _starts(card: int) -> tuple[Step, ...]:
    """By colour, the step from START to the circle (S14)."""
    steps = [step(colour, START, circle(colour)) for colour in range(4)]
    return tuple(moved._replace(text=f"{NAMES[card]} {moved.text}") for moved in steps)


COUNTS = {1: (1,), 2: (2,), 3: (3,), 4: (-4,), 5: (5,), 8: (8,), 10: (10, -1), 11: (11,), 12: (12,)}
_TABLES = {card: [_steps(card, count) for count in counts] for card, counts in COUNTS.items()}
_STARTS = {card: _starts(card) for card in (1, 2)}
_ARRIVALS = tuple({square: arrival(colour, square) for square in range(TRACK)} for colour in range(4))


def _parts(bit: int) -> dict[int, Step]:
    colour, place = WHERE[bit]
    steps = {}
    for count in range(1, 8):
        to = forward(colour, place, count)
        if to is not None:
            moved = step(colour, place, to)
            steps[count] = moved._replace(text=f" {moved.text}")
    return steps


_LAST = {bit: _parts(bit) for bit in WHERE}
_EARLIER = {
    bit: {
        left: tuple(sorted(((s, n) for n, s in steps.items() if n < left), key=lambda part: part[0].text))
        for left in range(1, 8)
    }
    for bit, steps in _LAST.items()
}


def by_count(board: int, colours: Sequence[int], table: dict[int, Step], plays: Plays) -> None:
    """Add every single pawn's step by one of the tables above."""
    for colour in colours:
        rest = board & OUT[colour]
        while rest:
            bit = rest & -rest
            rest ^= bit
            if bit in table:
                _take(board, table[bit], plays)


def _take(board: int, moved: Step, plays: Plays) -> None:
    text, change, barred, struck = moved
    if not board & barred:
        plays.append((text, bumped(board + change, board & struck)))


def _simple(board: int, side: Side, card: int) -> Plays:
    plays: Plays = []
    for table in _TABLES[card]:
        by_count(board, side.colours, table, plays)
    return plays


def _start(board: int, side: Side, card: int) -> Plays:
    plays = _simple(board, side, card)
    for colour in side.colours:
        if board & ON_START[colour]:
            _take(board, _STARTS[card][colour], plays)
    return plays


def _eleven(board: int, side: Side, card: int) -> Plays:
    """Eleven forward or a change of places; the change may be declined where no pawn goes forward (S18)."""
    plays = _simple(board, side, card)
    forward_moves = len(plays)
    for bit in bits(board & sum(ON_TRACK[colour] for colour in side.colours)):
        for other in bits(board & sum(ON_TRACK[colour] for colour in side.opponents)):
            plays.append(exchange(board, bit, other))
    if plays and not forward_moves:
        plays.append((LOST, board))
    return plays


def exchange(board: int, bit: int, other: int) -> tuple[str, int]:
    """The pawns at two bits change places, the first one sliding where it arrives (S18)."""
    colour, place = WHERE[bit]
    opponent, square = WHERE[other]
    left = board - bit - other + UNIT[opponent][place]
    end, struck = _ARRIVALS[colour][square]
    if end == UNIT[colour][square]:
        struck = 0
    text = f"11 {LETTERS[colour]}{PLACE_NAMES[place]}x{PLACE_NAMES[square]}"
    return text, bumped(left + end, left & struck)


def _sorry(board: int, side: Side, card: int) -> Plays:
    """A pawn from START takes the square of any pawn of another colour on the track (S19, S22)."""
    plays: Plays = []
    for colour in side.colours:
        if board & ON_START[colour]:
            others = sum(ON_TRACK[other] for other in range(4) if other != colour)
            plays.extend(take_square(board, colour, other) for other in bits(board & others))
    return plays


def take_square(board: int, colour: int, other: int) -> tuple[str, int]:
    """A pawn of `colour` leaves START for the square of the pawn at bit `other` (S19)."""
    square = WHERE[other][1]
    end, struck = _ARRIVALS[colour][square]
    text = f"Sorry! {LETTERS[colour]}Sx{PLACE_NAMES[square]}"
    return text, bumped(board - UNIT[colour][START] + end, board & struck)


def _seven(board: int, side: Side, card: int) -> Plays:
    """A 7, whole or shared (S16, S23).

    Layer by layer of parts, each layer in the ASCII order of its texts, so that the first text that reaches
    a position is the canonical one. What follows depends on the board, the pawns that have not moved and
    the count left (slides make one board of different counts).
    """
    unmoved = board & sum(OUT[colour] for colour in side.colours)
    found: dict[int, str] = {}
    layer = {(board, unmoved, 7): "7"}
    for _ in range(side.parts):
        for (at, rest, left), text in layer.items():
            _finish(at, rest, left, text, found)
        layer = _deeper(layer)
    return [(text, after) for after, text in found.items()]


def _finish(board: int, unmoved: int, left: int, text: str, found: dict[int, str]) -> None:
    """Spend all that is left of a 7 on one pawn."""
    for bit in bits(unmoved):
        if left in _LAST[bit]:
            part, change, barred, struck = _LAST[bit][left]
            if not board & barred:
                after = bumped(board + change, board & struck)
                if after not in found:
                    found[after] = text + part


def _deeper(layer: dict[tuple[int, int, int], str]) -> dict[tuple[int, int, int], str]:
    """Everything that one more part, not the last, makes of a layer."""
    deeper: dict[tuple[int, int, int], str] = {}
    for (board, unmoved, left), text in layer.items():
        for bit in bits(unmoved):
            for (part, change, barred, struck), count in _EARLIER[bit][left]:
                if board & barred:
                    continue
                hit = board & struck
                key = (bumped(board + change, hit), (unmoved ^ bit) & ~hit, left - count)
                if key not in deeper:
                    deeper[key] = text + part
    return deeper


_PLAYS: dict[int, Callable[[int, Side, int], Plays]] = {
    **dict.fromkeys((3, 4, 5, 8, 10, 12), _simple),
    1: _start,
    2: _start,
    7: _seven,
    11: _eleven,
    SORRY: _sorry,
}


def plays(board: int, side: Side, card: int) -> list[Move]:
    """Every distinct outcome of playing the card, sorted by text; none if it allows no move.

    An 11 that can be declined has the text `--` among them (S18).
    """
    found: dict[int, str] = {}
    for text, after in sorted(_PLAYS[card](board, side, card)):
        found.setdefault(after, text)
    return [Move(text, card, after) for after, text in found.items()]

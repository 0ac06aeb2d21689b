"""What a card may do (S14-S24): every distinct position that it can lead to, once, by its canonical text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from engines.sorry.board import (
    LETTERS,
    ON_START,
    ON_TRACK,
    OUT,
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
from engines.sorry.cards import EIGHT, ELEVEN, FIVE, FOUR, NAMES, ONE, SEVEN, SORRY, TEN, THREE, TWELVE, TWO
from engines.sorry.seven import share

LOST = "--"
COUNTS = {
    ONE: (1,),
    TWO: (2,),
    THREE: (3,),
    FOUR: (-4,),
    FIVE: (5,),
    EIGHT: (8,),
    TEN: (10, -1),
    ELEVEN: (11,),
    TWELVE: (12,),
}
"""How far a card moves a pawn, backward below zero (S14, S15, S17, S18)."""


class Move(NamedTuple):
    """A card played, with the board it leaves; `text` is canonical."""

    text: str
    card: int
    board: int

    def __str__(self) -> str:
        return self.text

    @property
    def card_name(self) -> str:
        """The card as views and texts name it."""
        return NAMES[self.card]


_move = partial(tuple.__new__, Move)  # half the time of Move(...)


class Side(NamedTuple):
    """Who moves: the colours it may move, in the order of their letters, and masks of where pawns may be."""

    colours: tuple[int, ...]
    parts: int  # how many pawns may share a 7 (S16, S23)
    pawns: int  # its colours' squares of track and zone
    track: int  # its colours' squares of the track
    opponents: int  # its opponents' squares of the track
    declined: str  # how it declines an 11's change of places


def make_side(colours: Iterable[int], opponents: Iterable[int], parts: int, declined: str) -> Side:
    """The side that moves the pawns of some colours."""
    mine = tuple(sorted(colours, key=LETTERS.__getitem__))
    return Side(
        mine,
        parts,
        sum(OUT[colour] for colour in mine),
        sum(ON_TRACK[colour] for colour in mine),
        sum(ON_TRACK[colour] for colour in opponents),
        declined,
    )


def target(colour: int, place: int, count: int) -> int | None:
    """Where a count, backward below zero, leads a pawn that is out; None beyond HOME."""
    return forward(colour, place, count) if count > 0 else backward(colour, place, -count)


def _with_text(step: Step, before: str) -> Step:
    return step._replace(text=before + step.text)


def _steps(card: int, bit: int) -> tuple[Step, ...]:
    """The steps of the pawn at a bit by one of a card's counts, in the order of their texts."""
    colour, place = WHERE[bit]
    targets = [target(colour, place, count) for count in COUNTS[card]]
    steps = [_with_text(step(colour, place, to), f"{NAMES[card]} ") for to in targets if to is not None]
    return tuple(sorted(steps))


_STEPS = {card: {bit: _steps(card, bit) for bit in WHERE} for card in COUNTS}
_STARTS = {
    card: [_with_text(step(colour, START, circle(colour)), f"{NAMES[card]} ") for colour in range(4)]
    for card in (ONE, TWO)
}
_OTHERS_ON_TRACK = [sum(ON_TRACK) - ON_TRACK[colour] for colour in range(4)]
_ARRIVALS = [
    {
        bit: (str(square), *arrival(colour, square), UNIT[other])
        for bit, (other, square) in WHERE.items()
        if square < TRACK
    }
    for colour in range(4)
]
"""By colour and the bit of another's pawn on the track, whose square it takes: the square's name, where it
comes to rest, what it strikes, and the units of the other colour."""
_EXCHANGE_TEXTS = {
    bit: f"{NAMES[ELEVEN]} {LETTERS[colour]}{square}x" for bit, (colour, square) in WHERE.items()
}
_SORRY_TEXTS = [f"{NAMES[SORRY]} {letter}Sx" for letter in LETTERS]


def _counted(board: int, side: Side, card: int) -> list[Move]:
    """The steps that a card's counts allow (S8, S14, S15, S17)."""
    table = _STEPS[card]
    moves = []
    rest = board & side.pawns
    while rest:
        bit = rest & -rest
        rest ^= bit
        for text, change, barred, struck in table[bit]:
            if not board & barred:
                hit = board & struck
                after = bumped(board + change, hit) if hit else board + change
                moves.append(_move((text, card, after)))
    return moves


def _starting(board: int, side: Side, card: int) -> list[Move]:
    """A 1 or a 2: a step, or a pawn from START (S14)."""
    moves = _counted(board, side, card)
    for colour in side.colours:
        if board & ON_START[colour]:
            text, change, barred, struck = _STARTS[card][colour]
            if not board & barred:
                moves.append(_move((text, card, bumped(board + change, board & struck))))
    moves.sort()
    return moves


def _backward(board: int, side: Side, card: int) -> list[Move]:
    """A 4: two pawns may each slide back to where they stood, which is one move (S20)."""
    moves = _counted(board, side, card)
    return _distinct(moves) if len(moves) > 1 else moves


def _eleven(board: int, side: Side, card: int) -> list[Move]:
    """Eleven forward or a change of places; the change may be declined where no pawn goes forward (S18)."""
    forward_moves = _counted(board, side, card)
    theirs = list(bits(board & side.opponents))
    if not theirs:
        return forward_moves
    moves = [exchange(board, bit, other) for bit in bits(board & side.track) for other in theirs]
    if moves and not forward_moves:
        moves.append(Move(side.declined, card, board))
    moves += forward_moves
    moves.sort()
    return _distinct(moves)


def exchange(board: int, bit: int, other: int) -> Move:
    """The pawns at two bits change places, the first one sliding where it arrives (S18)."""
    colour, place = WHERE[bit]
    square, end, struck, units = _ARRIVALS[colour][other]
    left = board - bit - other + units[place]
    hit = left & struck
    after = bumped(left + end, hit) if hit else left + end
    return _move((_EXCHANGE_TEXTS[bit] + square, ELEVEN, after))


def _sorry(board: int, side: Side, card: int) -> list[Move]:
    """A pawn from START takes the square of any pawn of another colour on the track (S19, S22)."""
    moves = []
    for colour in side.colours:
        if board & ON_START[colour]:
            targets = board & _OTHERS_ON_TRACK[colour]
            moves += [take_square(board, colour, other) for other in bits(targets)]
    moves.sort()
    return moves


def take_square(board: int, colour: int, other: int) -> Move:
    """A pawn of `colour` leaves START for the square of the pawn at bit `other` (S19)."""
    square, end, struck, _ = _ARRIVALS[colour][other]
    after = bumped(board - UNIT[colour][START] + end, board & struck)
    return _move((_SORRY_TEXTS[colour] + square, SORRY, after))


def _distinct(moves: list[Move]) -> list[Move]:
    """Of sorted moves, the first to each position (S20)."""
    first = {move.board: move for move in reversed(moves)}
    return moves if len(first) == len(moves) else sorted(first.values())


def _seven(board: int, side: Side, card: int) -> list[Move]:
    """A 7, whole or shared (S16, S23)."""
    found = share(board, board & side.pawns, side.parts)
    return sorted([_move((text, card, after)) for after, text in found.items()])


_PLAYS: dict[int, Callable[[int, Side, int], list[Move]]] = {
    **dict.fromkeys((THREE, FIVE, EIGHT, TEN, TWELVE), _counted),
    **dict.fromkeys((ONE, TWO), _starting),
    FOUR: _backward,
    SEVEN: _seven,
    ELEVEN: _eleven,
    SORRY: _sorry,
}


def plays(board: int, side: Side, card: int) -> list[Move]:
    """Every distinct outcome of playing the card, sorted by text; none if it allows no move.

    An 11 that can be declined has `--` among them (S18).
    """
    return _PLAYS[card](board, side, card)

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
    PLACE_NAMES,
    RANK,
    START,
    UNIT,
    WHERE,
    Step,
    arrival,
    backward,
    bits,
    bumped,
    circle,
    forward,
    same,
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


_Play = tuple[str, int, int]
"""What a Move is made of; plain tuples are made, sorted and taken apart faster."""
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


_Step = tuple[str, int, int, int]


def _ready(card: int, steps: list[Step]) -> tuple[_Step, ...]:
    return tuple(
        (f"{NAMES[card]} {text}", same(change), same(barred | struck), same(barred))
        for text, change, barred, struck in sorted(steps)
    )


def _steps(bit: int, card: int) -> tuple[_Step, ...]:
    colour, place = WHERE[bit]
    targets = [target(colour, place, count) for count in COUNTS.get(card, ())]
    return _ready(card, [step(colour, place, to) for to in targets if to is not None])


def _starts(colour: int, card: int) -> tuple[_Step, ...]:
    return _ready(card, [step(colour, START, circle(colour))] if card in (ONE, TWO) else [])


_Pawn = tuple[int, list[tuple[_Step, ...]], int, str]
"""A pawn's bit; by card its steps, in the order of their texts: the text, what is added to the board, the
bits of pawns that are struck or bar the step, and of those that bar it; its place, and how the text of an 11
by which it changes places begins."""
PAWN_AT: dict[int, _Pawn] = {
    bit: (
        bit,
        [_steps(bit, card) for card in range(len(NAMES) + 1)],
        place,
        f"{NAMES[ELEVEN]} {LETTERS[colour]}{PLACE_NAMES[place]}",
    )
    for bit, (colour, place) in WHERE.items()
}
_ON_STARTS: list[_Pawn] = [
    (UNIT[colour][START], [_starts(colour, card) for card in range(len(NAMES) + 1)], START, "")
    for colour in range(4)
]
"""By colour the pawns on its START, which are as one."""
_BACK_AND_SLID = sum(
    bit for bit, steps, _, _ in PAWN_AT.values() if any(not change for _, change, _, _ in steps[FOUR])
)
"""The bits from which a 4 ends where it began."""


Taking = tuple[int, str, int, int, int, dict[int, int]]
"""A square taken from another colour's pawn: its rank in the order of texts, its text, the bit of the pawn
that is there, what the pawn that comes adds to the board where it stops, the bits that it slides over, and
the units of the colour that was there."""


def _taking(colour: int, bit: int) -> Taking:
    other, square = WHERE[bit]
    end, struck = arrival(colour, square)
    landing = sum(UNIT[any_colour][square] for any_colour in range(4))
    return RANK[square], f"x{square}", bit, end, same(struck & ~landing), UNIT[other]


_OTHERS_ON_TRACK = [sum(ON_TRACK) - ON_TRACK[colour] for colour in range(4)]
_TAKINGS = [{bit: _taking(colour, bit) for bit in bits(_OTHERS_ON_TRACK[colour])} for colour in range(4)]
_SLIDES = [sum(bit for bit, taking in takings.items() if taking[4]) for takings in _TAKINGS]
"""By colour the bits of others' pawns on squares from which it would slide."""
_FIRST_DIGITS = sum(bit for bit, (_, place) in WHERE.items() if place in range(1, 6))
"""The bits of squares whose names others begin with: their changes of places are not in the order of bits."""
_SORRY_TEXTS = [f"{NAMES[SORRY]} {letter}S" for letter in LETTERS]


def takings(colour: int, others: int) -> list[Taking]:
    """What a colour may take from the pawns at the bits `others`, in the order of texts."""
    table = _TAKINGS[colour]
    found = []
    while others:
        bit = others & -others
        others ^= bit
        found.append(table[bit])
    if len(found) > 1:
        found.sort()
    return found


def _counted(board: int, side: Side, card: int, pawns: list[_Pawn]) -> list[_Play]:
    """The steps that a card allows (S8, S14, S15, S17)."""
    moves = []
    for _, steps, _, _ in pawns:
        for text, change, touched, barred in steps[card]:
            hit = board & touched
            if not hit:
                moves.append((text, card, board + change))
            elif not hit & barred:
                moves.append((text, card, bumped(board + change, hit)))
    return moves


def _starting(board: int, side: Side, card: int, pawns: list[_Pawn]) -> list[_Play]:
    """A 1 or a 2: a step, or a pawn from START (S14)."""
    starts = [_ON_STARTS[colour] for colour in side.colours if board & ON_START[colour]]
    return _counted(board, side, card, sorted(pawns + starts))


def _backward(board: int, side: Side, card: int, pawns: list[_Pawn]) -> list[_Play]:
    """A 4: two pawns may each slide back to where they stood, which is one move (S20)."""
    moves = _counted(board, side, card, pawns)
    unmoved = board & side.pawns & _BACK_AND_SLID
    return _distinct(moves) if unmoved & (unmoved - 1) else moves


def _eleven(board: int, side: Side, card: int, pawns: list[_Pawn]) -> list[_Play]:
    """Eleven forward or a change of places; the change may be declined where no pawn goes forward (S18)."""
    theirs, mine = board & side.opponents, board & side.track
    if not (theirs and mine):
        return _counted(board, side, card, pawns)
    moves: list[_Play] = []
    forward_moves = slides = 0
    for colour in side.colours:
        taken = takings(colour, theirs)
        slides |= theirs & _SLIDES[colour]
        for pawn in pawns:
            bit = pawn[0]
            if bit & OUT[colour]:
                if steps := _counted(board, side, card, [pawn]):
                    forward_moves += 1
                    moves += steps
                if bit & mine:
                    moves += exchanges(board, pawn, taken)
    if not forward_moves:
        moves.append((side.declined, card, board))
    if not forward_moves or mine & _FIRST_DIGITS:
        moves.sort()
    return _distinct(moves) if slides else moves


def exchanges(board: int, pawn: _Pawn, taken: list[Taking]) -> list[_Play]:
    """The pawn changes places with others, sliding where it arrives (S18)."""
    bit, _, place, before = pawn
    left = board - bit
    moves = []
    for _, text, other, end, struck, units in taken:
        after = left - other + units[place] + end
        if struck:
            after = bumped(after, (after - end) & struck)
        moves.append((before + text, ELEVEN, after))
    return moves


def _sorry(board: int, side: Side, card: int, pawns: list[_Pawn]) -> list[_Play]:
    """A pawn from START takes the square of any pawn of another colour on the track (S19, S22)."""
    moves = []
    for colour in side.colours:
        if board & ON_START[colour]:
            targets = board & _OTHERS_ON_TRACK[colour]
            moves += entries(board, colour, takings(colour, targets))
    return moves


def entries(board: int, colour: int, taken: list[Taking]) -> list[_Play]:
    """A pawn of `colour` leaves START for the squares of others (S19)."""
    left, before = board - UNIT[colour][START], _SORRY_TEXTS[colour]
    return [
        (before + text, SORRY, bumped(left + end, board & (struck | bit)))
        for _, text, bit, end, struck, _ in taken
    ]


def _distinct(moves: list[_Play]) -> list[_Play]:
    """Of sorted moves, the first to each position (S20)."""
    first = {move[2]: move for move in reversed(moves)}
    return moves if len(first) == len(moves) else sorted(first.values())


def _seven(board: int, side: Side, card: int, pawns: list[_Pawn]) -> list[_Play]:
    """A 7, whole or shared (S16, S23)."""
    shared = share(board, [pawn[0] for pawn in pawns], side.parts)
    return [(text, card, after) for text, after in shared]


_PLAYS: dict[int, Callable[[int, Side, int, list[_Pawn]], list[_Play]]] = {
    **dict.fromkeys((THREE, FIVE, EIGHT, TEN, TWELVE), _counted),
    **dict.fromkeys((ONE, TWO), _starting),
    FOUR: _backward,
    SEVEN: _seven,
    ELEVEN: _eleven,
    SORRY: _sorry,
}


def plays(board: int, side: Side, cards: Iterable[int]) -> list[Move]:
    """Every distinct outcome of playing one of the cards, of each card sorted by text; none if none can move.

    An 11 that can be declined has `--` among them (S18).
    """
    pawns = _pawns(board, side)
    moves: list[_Play] = []
    for card in cards:
        moves += _PLAYS[card](board, side, card, pawns)
    return list(map(_move, moves))


def _pawns(board: int, side: Side) -> list[_Pawn]:
    """The pawns on track and zone that may move, in the order of texts."""
    pawns = []
    rest = board & side.pawns
    while rest:
        bit = rest & -rest
        rest ^= bit
        pawns.append(PAWN_AT[bit])
    return pawns

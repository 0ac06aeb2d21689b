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
WHOLE = 7


class Move(NamedTuple):
    """A card played, with the board it leaves; `text` is canonical."""

    text: str
    card: int
    board: int

    def __str__(self) -> str:
        return self.text


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


def _shares(bit: int) -> dict[int, Step]:
    """The pawn's steps as parts of a 7, by count."""
    colour, place = WHERE[bit]
    targets = {count: forward(colour, place, count) for count in range(1, WHOLE + 1)}
    return {
        count: _with_text(step(colour, place, to), " ") for count, to in targets.items() if to is not None
    }


_STEPS = {card: {bit: _steps(card, bit) for bit in WHERE} for card in COUNTS}
_STARTS = {
    card: [_with_text(step(colour, START, circle(colour)), f"{NAMES[card]} ") for colour in range(4)]
    for card in (ONE, TWO)
}
_ARRIVALS = [[arrival(colour, square) for square in range(TRACK)] for colour in range(4)]
_SHARES = {bit: _shares(bit) for bit in WHERE}
_SHARES_BELOW = {
    bit: [sorted((*shares[count], count) for count in shares if count < left) for left in range(WHOLE + 1)]
    for bit, shares in _SHARES.items()
}
"""By bit and count left: the steps that leave something over, each with its count, in text order."""


def _reach(bit: int) -> int:
    """Where the pawn at a bit may stand, land or slide while a 7 is shared: beyond it no order matters."""
    reach = bit
    for moved in _SHARES[bit].values():
        reach |= moved.barred | moved.struck
    return reach


_REACH = {bit: _reach(bit) for bit in WHERE}
_APART = {bit: sum(other for other in WHERE if not _REACH[bit] & _REACH[other]) for bit in WHERE}
"""By bit: the bits from which a pawn's share of a 7 and this one's can be played in either order."""


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
    mine = bits(board & side.track)
    moves = [_move(exchange(board, bit, other)) for bit in mine for other in theirs]
    if moves and not forward_moves:
        moves.append(Move(side.declined, card, board))
    moves += forward_moves
    moves.sort()
    return _distinct(moves) if theirs else moves


def exchange(board: int, bit: int, other: int) -> tuple[str, int, int]:
    """The move of pawns at two bits that change places, the first one sliding where it arrives (S18)."""
    colour, place = WHERE[bit]
    opponent, square = WHERE[other]
    left = board - bit - other + UNIT[opponent][place]
    end, struck = _ARRIVALS[colour][square]
    hit = left & struck
    after = bumped(left + end, hit) if hit else left + end
    return f"11 {LETTERS[colour]}{place}x{square}", ELEVEN, after


def _sorry(board: int, side: Side, card: int) -> list[Move]:
    """A pawn from START takes the square of any pawn of another colour on the track (S19, S22)."""
    moves = [
        take_square(board, colour, other)
        for colour in side.colours
        if board & ON_START[colour]
        for other in bits(board & _ANY_TRACK & ~ON_TRACK[colour])
    ]
    moves.sort()
    return moves


_ANY_TRACK = sum(ON_TRACK)


def take_square(board: int, colour: int, other: int) -> Move:
    """A pawn of `colour` leaves START for the square of the pawn at bit `other` (S19)."""
    square = WHERE[other][1]
    end, struck = _ARRIVALS[colour][square]
    text = f"{NAMES[SORRY]} {LETTERS[colour]}Sx{PLACE_NAMES[square]}"
    return Move(text, SORRY, bumped(board - UNIT[colour][START] + end, board & struck))


def _distinct(moves: list[Move]) -> list[Move]:
    """The first move to each position (S20)."""
    found: dict[int, Move] = {}
    for move in moves:
        found.setdefault(move.board, move)
    return list(found.values())


_Layer = dict[tuple[int, int, int, int], str]
"""Text by board, pawns that have not moved, count left and pawns that are not to go on.

The count is part of it, for with slides one board comes of several counts. A pawn is not to go on if it
could as well have gone before: if it is apart from all that moved since a pawn of later text.
"""


def _seven(board: int, side: Side, card: int) -> list[Move]:
    """A 7, whole or shared (S16, S23).

    Layer by layer of parts, each in the ASCII order of its texts, so that the first text that reaches a
    position is the canonical one.
    """
    found: dict[int, str] = {}
    unmoved = board & side.pawns
    _finish(board, unmoved, WHOLE, "7", found)
    layer: _Layer = {(board, unmoved, WHOLE, 0): "7"}
    for parts_left in range(min(side.parts, unmoved.bit_count()), 1, -1):
        layer = _share(layer, found, parts_left == 2)
    return sorted(_move((text, card, after)) for after, text in found.items())


def _finish(board: int, going: int, left: int, text: str, found: dict[int, str]) -> None:
    """Spend all that is left of a 7 on one of the pawns at `going`."""
    while going:
        bit = going & -going
        going ^= bit
        last = _SHARES[bit].get(left)
        if last is not None and not board & last[2]:
            hit = board & last[3]
            after = bumped(board + last[1], hit) if hit else board + last[1]
            if after not in found:
                found[after] = text + last[0]


def _share(layer: _Layer, found: dict[int, str], finish: bool) -> _Layer:
    """Play every part that leaves something over, then finish or return the layer made."""
    deeper: _Layer = {}
    for (board, unmoved, left, passed), text in layer.items():
        rest = unmoved & ~passed
        while rest:
            bit = rest & -rest
            rest ^= bit
            others = unmoved ^ bit
            passed_by = (passed | bit - 1) & _APART[bit]
            going = others & ~passed_by
            if not going:
                continue
            for part, change, barred, struck, count in _SHARES_BELOW[bit][left]:
                if board & barred:
                    continue
                hit = board & struck
                after = bumped(board + change, hit) if hit else board + change
                if finish:
                    _finish(after, going & ~hit, left - count, text + part, found)
                else:
                    key = (after, others & ~hit, left - count, passed_by)
                    if key not in deeper:
                        deeper[key] = text + part
    for (board, unmoved, left, passed), text in deeper.items():
        _finish(board, unmoved & ~passed, left, text, found)
    return deeper


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

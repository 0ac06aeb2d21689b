"""From a move's text to the move, or to the rule that refuses it.

`5 r17-22`, `7 r17-21 r40-43`, `11 r17x33`, `Sorry! rSx33`, `--`, `10 --`: the card, then each pawn that
moves, in order, from-to. `-to` is where a pawn lands before it slides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from engines.errors import IllegalMove
from engines.sorry.board import (
    AT_HOME,
    COLOURS,
    HOME,
    LETTERS,
    ON_START,
    PLACE_NAMES,
    PLACES_BY_NAME,
    START,
    TRACK,
    UNIT,
    ZONE,
    bumped,
    circle,
    forward,
    step,
)
from engines.sorry.cards import BY_NAME, EIGHT, ELEVEN, NAMES, ONE, SEVEN, SORRY, TEN, TWO
from engines.sorry.moves import COUNTS, LOST, PAWN_AT, Side, entries, exchanges, plays, takings, target
from engines.sorry.seven import WHOLE

if TYPE_CHECKING:
    from engines.sorry.moves import Move
    from engines.sorry.state import Table

SYNTAX = "Notation"
_PLACE = r"S|H|:[1-5]|[1-5]?[0-9]"
_PART = re.compile(rf"([{LETTERS}])({_PLACE})([-x])({_PLACE})")
_CARD_RULES = {ONE: "S14", TWO: "S14", SEVEN: "S16", TEN: "S17", ELEVEN: "S18", SORRY: "S19"}


class Part(NamedTuple):
    """One pawn's from-to."""

    colour: int
    place: int
    sign: str
    to: int

    @property
    def pawn(self) -> str:
        return f"{LETTERS[self.colour]}{PLACE_NAMES[self.place]}"

    @property
    def target(self) -> str:
        return f"{LETTERS[self.colour]}{PLACE_NAMES[self.to]}"


def find(state: Table, text: str) -> Move:
    """The legal move that `text` names, canonical or not; outer blanks do not matter; raises IllegalMove."""
    moves = state.legal_moves()
    wanted = text.strip()
    for move in moves:
        if move.text == wanted:
            return move
    if state.reason is not None:
        raise IllegalMove(text, "the game is over", "S13")
    if wanted == LOST and not state.setup.points:
        _refuse_loss(state, text, moves[0].card)
    card, parts = _card(state, text)
    if parts == LOST:
        _refuse_discard(state, text, card)
    board = _Reading(text, state.board, state.setup.sides[state.to_move], card).after(parts)
    return next(move for move in moves if move.card == card and move.board == board)


def _card(state: Table, text: str) -> tuple[int, str]:
    """The card a text begins with, which must be there to be played, and the rest of the text."""
    name, _, parts = text.strip().partition(" ")
    if name not in BY_NAME or not parts:
        raise IllegalMove(text, "is no move: write the card and each pawn's from-to, like 5 r17-22", SYNTAX)
    held = state.held(state.to_move)
    if BY_NAME[name] not in held:
        if state.setup.points:
            raise IllegalMove(text, f"your hand has no {name}", "S27")
        raise IllegalMove(text, f"the card drawn is {NAMES[held[0]]}", "S5")
    return BY_NAME[name], parts


def _refuse_loss(state: Table, text: str, card: int) -> NoReturn:
    if card == ELEVEN:
        raise IllegalMove(text, "a pawn can go eleven forward, so the turn can't be lost", "S18")
    raise IllegalMove(text, "a move can be made, so it must be", "S6")


def _refuse_discard(state: Table, text: str, card: int) -> NoReturn:
    if not state.setup.points:
        raise IllegalMove(text, f"a lost turn is written {LOST}", SYNTAX)
    if not plays(state.board, state.setup.sides[state.to_move], [card]):
        raise IllegalMove(text, "another card of your hand allows a move", "S27")
    if card == ELEVEN:
        raise IllegalMove(text, "a pawn can go eleven forward, so the change can't be declined", "S18")
    raise IllegalMove(text, "this card allows a move, so it can't be put down without one", "S27")


class _Reading:
    """A text being played part by part on a board."""

    def __init__(self, text: str, board: int, side: Side, card: int) -> None:
        self.text = text
        self.board = board
        self.side = side
        self.card = card
        self.rule = _CARD_RULES.get(card, "S15")

    def refuse(self, why: str, rule: str | None = None) -> NoReturn:
        raise IllegalMove(self.text, why, rule or self.rule)

    def after(self, parts: str) -> int:
        """The board after all parts."""
        read = [self._part(part) for part in parts.split(" ")]
        if self.card == SEVEN:
            return self._shared(read)
        if len(read) > 1:
            self.refuse("only a 7 is split between pawns", "S16")
        (part,) = read
        self._check_pawn(part)
        if self.card == SORRY:
            return self._sorry(part)
        if part.sign == "x":
            return self._exchange(part)
        return self._counted(part)

    def _part(self, text: str) -> Part:
        match = _PART.fullmatch(text)
        if not match:
            self.refuse(f"{text!r} is no pawn's from-to: write it like r17-22, rS-4, r:3-H or r17x33", SYNTAX)
        letter, place, sign, to = match.groups()
        if sign == "x" and self.card not in (ELEVEN, SORRY):
            self.refuse("only an 11 and a Sorry! are written with x", SYNTAX)
        return Part(LETTERS.index(letter), PLACES_BY_NAME[place], sign, PLACES_BY_NAME[to])

    def _check_pawn(self, part: Part) -> None:
        if part.colour not in self.side.colours:
            rule = "S21" if len(self.side.colours) > 1 else "S1"
            self.refuse(f"{COLOURS[part.colour]} is not yours to move", rule)
        if not self.board & _mask(part.colour, part.place):
            self.refuse(f"there is no {COLOURS[part.colour]} pawn on {PLACE_NAMES[part.place]}", SYNTAX)
        if part.place == HOME:
            self.refuse("a pawn at HOME never moves again", "S11")
        if part.place == START and self.card == SEVEN:
            self.refuse("a 7 never starts a pawn", "S16")
        if part.place == START and self.card not in (ONE, TWO, SORRY):
            self.refuse("only a 1, a 2 and a Sorry! start a pawn", "S14")

    def _counted(self, part: Part) -> int:
        if part.place == START:
            if part.to != circle(part.colour):
                self.refuse(f"a pawn leaves START for the circle, {circle(part.colour)}")
            return self._stepped(part)
        reached = [target(part.colour, part.place, count) for count in COUNTS[self.card]]
        allowed = [to for to in reached if to is not None]
        if not allowed:
            self.refuse(f"{part.pawn} is nearer to HOME than that, and HOME takes an exact count", "S11")
        if part.to not in allowed:
            names = " or ".join(PLACE_NAMES[to] for to in allowed)
            self.refuse(f"{_article(self.card)} takes {part.pawn} to {names}, not to {PLACE_NAMES[part.to]}")
        return self._stepped(part)

    def _stepped(self, part: Part) -> int:
        _, change, barred, struck = step(part.colour, part.place, part.to)
        if self.board & barred:
            held = "your own pawn" if len(self.side.colours) == 1 else "a pawn of its own colour"
            self.refuse(f"{part.target} is held by {held}", "S8")
        return bumped(self.board + change, self.board & struck)

    def _exchange(self, part: Part) -> int:
        if part.place >= ZONE or part.to >= TRACK or part.to == START:
            self.refuse("pawns change places on the open track only")
        other = self._target(part)
        if not other & self.side.opponents:
            rule = "S22" if len(self.side.colours) > 1 else "S18"
            self.refuse("an 11 changes places with an opponent's pawn only", rule)
        return exchanges(self.board, PAWN_AT[UNIT[part.colour][part.place]], takings(part.colour, other))[0][
            2
        ]

    def _sorry(self, part: Part) -> int:
        if part.place != START or part.sign != "x":
            self.refuse("a Sorry! takes a pawn from START to another's square, like Sorry! rSx33")
        if part.to >= TRACK or part.to == START:
            self.refuse("HOME, START and the safety zones are out of a Sorry!'s reach")
        other = self._target(part)
        if other == UNIT[part.colour][part.to]:
            rule = "S22" if len(self.side.colours) > 1 else "S19"
            self.refuse(f"{part.target} is a pawn of the same colour", rule)
        return entries(self.board, part.colour, takings(part.colour, other))[0][2]

    def _target(self, part: Part) -> int:
        """The bit of the pawn on the square that a part names."""
        square = sum(UNIT[colour][part.to] for colour in range(4))
        if not self.board & square:
            self.refuse(f"there is no pawn on {PLACE_NAMES[part.to]}")
        return self.board & square

    def _shared(self, parts: list[Part]) -> int:
        """A 7, its parts played in turn (S16, S23)."""
        if len(parts) > self.side.parts:
            self.refuse(f"a 7 is split between {self.side.parts} pawns at most")
        before, moved, left = self.board, 0, WHOLE
        for part in parts:
            bit = UNIT[part.colour][part.place] if START < part.place < HOME else 0
            if bit & moved:
                self.refuse(f"{part.pawn} has already moved in this turn", self._sharing_rule)
            if bit & before & ~self.board:
                self.refuse(f"{part.pawn} was moved or bumped by an earlier part", self._sharing_rule)
            self._check_pawn(part)
            left -= self._count(part)
            self.board = self._stepped(part)
            moved = (moved | self._rest(part)) & self.board
        if left:
            self.refuse(f"the parts make {WHOLE - left}; the whole 7 must be used, and no more")
        return self.board

    @property
    def _sharing_rule(self) -> str:
        return "S23" if len(self.side.colours) > 1 else "S16"

    def _count(self, part: Part) -> int:
        counts = range(1, WHOLE + 1)
        reached = {forward(part.colour, part.place, count): count for count in counts}
        if part.to not in reached:
            self.refuse(f"no part of a 7 takes {part.pawn} to {PLACE_NAMES[part.to]}")
        return reached[part.to]

    def _rest(self, part: Part) -> int:
        """The bit of where a pawn came to rest after a part."""
        change = step(part.colour, part.place, part.to).change + UNIT[part.colour][part.place]
        return change if part.to != HOME else 0


def _mask(colour: int, place: int) -> int:
    if place == START:
        return ON_START[colour]
    return AT_HOME[colour] if place == HOME else UNIT[colour][place]


def _article(card: int) -> str:
    return f"{'an' if card in (EIGHT, ELEVEN) else 'a'} {NAMES[card]}"

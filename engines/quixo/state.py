"""A position of Quixo: three layers of bits and the positions that could still come back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engines.errors import IllegalMove
from engines.game import Outcome, Reason
from engines.quixo import notation
from engines.quixo.board import Board, board_of
from engines.quixo.moves import PASS, Choices, Move, Moves, choices_of


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of a match and the tables they choose; one object per match, shared by its states."""

    seats: int
    size: int
    repetition: bool
    ply_limit: int
    board: Board = field(init=False, compare=False, repr=False)
    choices: tuple[Choices, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", board_of(self.size))
        object.__setattr__(self, "choices", choices_of(self.size, self.seats))

    def won(self, side: int, reason: Reason) -> Outcome:
        """The outcome in which `side` (0 X, 1 O; the seats by turns, Q8) wins."""
        return Outcome(tuple(1 if seat % 2 == side else 2 for seat in range(self.seats)), reason)

    def drawn(self, reason: Reason) -> Outcome:
        """The outcome in which nobody wins."""
        return Outcome((1,) * self.seats, reason)


class QuixoState(NamedTuple):
    """A frozen position; a tuple because nothing immutable is made faster.

    `mine` are the cubes of the side to move, `theirs` its opponents'; `far` are the marked cubes whose
    dot faces seat 2 or 3 (none with two players). `before` is the position a ply ago if it could still
    come back, which it cannot once a blank cube is taken: a mark never goes away.
    """

    rules: Rules
    ply: int
    mine: int
    theirs: int
    far: int
    before: QuixoState | None
    outcome: Outcome | None

    @property
    def to_move(self) -> int:
        """The seat whose turn it is (Q3, Q8)."""
        return self.ply % self.rules.seats

    def legal_moves(self) -> Moves:
        """Every legal move once, sorted by text; a forced pass is one (Q11); none once the game is over."""
        rules, ply, mine, theirs, far, _, outcome = self
        if outcome is not None:
            return ()
        seat = ply % rules.seats
        barred = theirs  # Q4
        if ply < rules.seats:
            barred |= mine  # Q5
        elif rules.seats == 4:
            barred |= mine & (far if seat < 2 else ~far)  # Q9
        choices = rules.choices[seat]
        board = rules.board
        return choices.low[barred & board.low_mask] + choices.high[barred >> board.half] or (PASS,)

    def move(self, text: str) -> Move:
        """The legal move that `text` names; case and outer blanks do not matter.

        Raises IllegalMove with the first rule that the text breaks.
        """
        wanted = notation.canonical(text)
        for move in self.legal_moves():
            if move.text == wanted:
                return move
        why, rule = notation.why_illegal(self, wanted)
        raise IllegalMove(text, why, rule)

    def apply(self, move: Move) -> QuixoState:
        """The position after a legal move."""
        rules, ply, mine, theirs, far, _, _ = self
        path = move.path
        own = mine ^ move.own[mine & path]
        other = theirs ^ move.other[theirs & path]
        far ^= move.dots[far & path]
        ply += 1
        before = self if rules.repetition and not move.cell & ~mine else None
        outcome = judge(rules, ply, other, own, far, before)
        return _new(QuixoState, (rules, ply, other, own, far, before, outcome))

    def without(self, seat: int) -> QuixoState:
        """After a forfeit: the seat's side has lost (Q17); a game that is over stays as it is."""
        if self.outcome is not None:
            return self
        return self._replace(outcome=self.rules.won(1 - seat % 2, Reason.LAST_STANDING))

    def past(self) -> Iterator[QuixoState]:
        """This position and those before it, latest first, as far back as one could come again."""
        state: QuixoState | None = self
        while state is not None:
            yield state
            state = state.before

    def visits(self) -> int:
        """How often this position stood before, as far as is known (Q15)."""
        return self.visits_of(self.ply, self.mine, self.theirs, self.far) - 1

    def visits_of(self, ply: int, mine: int, theirs: int, far: int) -> int:
        """How often the position with these layers and the seat of that ply has stood by now."""
        state: QuixoState | None = self
        count = 0
        while state is not None:
            if state.mine == mine and state.theirs == theirs and state.far == far:
                count += (ply - state.ply) % state.rules.seats == 0
            state = state.before
        return count

    def seen_twice(self) -> list[str]:
        """The positions (board and seat to move) that a third visit would draw (Q15), sorted."""
        past: dict[tuple[int, ...], QuixoState] = {}
        twice = set()
        for state in self.past():
            key = state.to_move, state.mine, state.theirs, state.far
            if past.setdefault(key, state) is not state:
                twice.add(key)
        return sorted(notation.place(past[key]) for key in twice)

    def view(self, seat: int | None) -> dict[str, Any]:
        """The position as JSON-ready values; nothing is hidden, so it is the same for everybody.

        `cells` are the rows from the top in the position's notation, `line` the cells of the lines that
        ended the game, `seen_twice` the positions "board seat" that a third visit would draw (Q15).
        """
        return {
            "size": self.rules.size,
            "cells": notation.rows(self),
            "to_move": self.to_move,
            "ply": self.ply,
            "ply_limit": self.rules.ply_limit,
            "line": notation.lines(self),
            "seen_twice": self.seen_twice(),
        }

    def text(self, seat: int | None = None) -> str:
        """`board seat ply`; what has been visited before (Q15) is not in it."""
        return f"{notation.place(self)} {self.ply}"

    def __str__(self) -> str:
        return notation.drawing(self)

    def __repr__(self) -> str:
        return f"<Quixo {self.text()}>"

    def __eq__(self, other: object) -> bool:
        """Whether all that decides what follows is equal: options, position, outcome and past."""
        if not isinstance(other, QuixoState):
            return NotImplemented
        return self._key() == other._key()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.ply, self.mine, self.theirs, self.far))

    def _key(self) -> tuple[object, ...]:
        return self.rules, self.outcome, [(s.ply, s.mine, s.theirs, s.far) for s in self.past()]


def judge(
    rules: Rules, ply: int, mine: int, theirs: int, far: int, before: QuixoState | None
) -> Outcome | None:
    """How the game stands with these layers after `ply` plies, the last of them played by `theirs`."""
    board = rules.board
    low, high, mask, half = board.low_lines, board.high_lines, board.low_mask, board.half
    if low[mine & mask] & high[mine >> half]:  # before the mover's own line
        return rules.won(ply % 2, Reason.OPPONENT_LINE)  # Q13
    if low[theirs & mask] & high[theirs >> half]:
        return rules.won(1 - ply % 2, Reason.LINE)  # Q12, Q14
    if before and before.visits_of(ply, mine, theirs, far) >= 2:
        return rules.drawn(Reason.REPETITION)  # Q15
    if ply >= rules.ply_limit:
        return rules.drawn(Reason.PLY_LIMIT)  # Q15
    return None


_new = tuple.__new__  # the generated constructor takes twice as long

"""Play by the card drawn: the basic game and the team rules (S5-S25)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engines.errors import BadPosition
from engines.game import Reason
from engines.sorry.cards import NAMES, NO_CARD, TWO, Piles
from engines.sorry.moves import LOST, Move, plays
from engines.sorry.position import Fields, deal_unknown
from engines.sorry.setup import Setup
from engines.sorry.state import Table, read_shared


@dataclass(frozen=True, slots=True)
class BasicState(Table):
    """A position with the card that was drawn for the seat to move, or NO_CARD once the game is over."""

    card: int

    def legal_moves(self) -> Sequence[Move]:
        if self.card == NO_CARD:
            return ()
        return plays(self.board, self.setup.sides[self.to_move], (self.card,)) or [
            Move(LOST, self.card, self.board)  # S6
        ]

    def held(self, seat: int) -> bytes:
        return bytes([self.card]) if self.card and seat == self.to_move else b""

    def apply(self, move: Move) -> BasicState:
        seat, setup = self.to_move, self.setup
        again = self.card == TWO  # the same turn goes on, even if nothing moved (S14)
        if setup.won(move.board, seat):  # at once: a 2 that wins draws nothing (S13)
            return self._over(Reason.ALL_HOME, move.board, self.turn + 1)
        if not again and self.turn + 1 == setup.turn_limit:
            return self._over(Reason.TURN_LIMIT, move.board, setup.turn_limit)
        card, piles = self.piles.put(bytes([self.card])).take()
        return BasicState(
            setup,
            move.board,
            seat if again else self.following(seat, self.out),
            piles,
            self.ply + 1,
            self.turn if again else self.turn + 1,
            self.first,
            self.out,
            None,
            card,
        )

    def _over(self, reason: Reason, board: int, turn: int) -> BasicState:
        return replace(
            self,
            board=board,
            to_move=self.following(self.to_move, self.out),
            piles=self.piles.put(bytes([self.card])),
            ply=self.ply + 1,
            turn=turn,
            reason=reason,
            card=NO_CARD,
        )

    def without(self, seat: int) -> BasicState:
        """The position after a seat, in team play its team, has fallen out (S31).

        A game that is over stays as it is. Raises GameError if the seat is out already.
        """
        if self.reason is not None:
            return self
        leavers = self.leavers(seat)
        out = self.out + leavers
        left = replace(self, board=self.board_without(leavers), out=out)
        last = len(self.playing()) == 2 * len(leavers)
        if self.to_move in leavers:
            left = replace(left, to_move=self.following(self.to_move, out))
        elif not last:
            return left
        piles = self.piles.put(bytes([self.card]))
        if last:
            return replace(left, piles=piles, card=NO_CARD, reason=Reason.LAST_STANDING)
        card, piles = piles.take()
        return replace(left, piles=piles, card=card)

    def view(self, seat: int | None) -> dict[str, Any]:
        """`Table.view` with `card`, the name of the one drawn, or None once the game is over."""
        return Table.view(self, seat) | {"card": NAMES[self.card] if self.card else None}

    def _points(self) -> None:
        return None


def start_drawn(setup: Setup, piles: Piles, first: int) -> BasicState:
    """The first position: all pawns on START, a card drawn for the seat that begins (S4, S5)."""
    card, piles = piles.take()
    return BasicState(setup, setup.opening(()), first, piles, 0, 0, first, (), None, card)


def read_drawn(setup: Setup, fields: Fields, seed: bytes) -> BasicState:
    """The position of a line; raises BadPosition."""
    board, to_move, ply, turn, first, out = read_shared(fields, setup)
    card, discards = fields.cards("card"), fields.cards("discards")
    _, piles = deal_unknown(card, discards, fields.number("draw"), 0, seed)
    state = BasicState(setup, board, to_move, piles, ply, turn, first, out, None, NO_CARD)
    reason = state.ended()
    if len(card) != (reason is None):
        raise BadPosition("card=: must be one card, or - if the game is over")
    return replace(state, reason=reason, card=card[0] if card else NO_CARD)

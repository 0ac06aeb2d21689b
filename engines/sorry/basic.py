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
        return plays(self.board, self.setup.sides[self.to_move], self.card) or [
            Move(LOST, self.card, self.board)  # S6
        ]

    def held(self, seat: int) -> bytes:
        return bytes([self.card]) if self.card and seat == self.to_move else b""

    def apply(self, move: Move) -> BasicState:
        piles = self.piles.put(bytes([self.card]))
        moved = replace(self, board=move.board, piles=piles, ply=self.ply + 1)
        if moved.winner() is not None:  # at once: a 2 that wins draws nothing (S13)
            return replace(moved, turn=self.turn + 1)._over(Reason.ALL_HOME)
        if self.card == TWO:  # the same turn goes on, even if nothing moved (S14)
            return moved._drawn(self.to_move)
        if self.turn + 1 == self.setup.turn_limit:
            return replace(moved, turn=self.turn + 1)._over(Reason.TURN_LIMIT)
        return replace(moved, turn=self.turn + 1)._drawn(self.following(self.to_move, self.out))

    def without(self, seat: int) -> BasicState:
        """The position after a seat, in team play its team, has fallen out (S31)."""
        leavers = self.leavers(seat)
        out = self.out + leavers
        left = replace(self, board=self.board_without(leavers), out=out)
        if len(out) + len(self.setup.partners(seat)) == self.setup.seats:
            return replace(left, piles=self.piles.put(bytes([self.card])))._over(Reason.LAST_STANDING)
        if seat != self.to_move:
            return left
        discarded = replace(left, piles=self.piles.put(bytes([self.card])))
        return discarded._drawn(self.following(seat, out))

    def view(self, seat: int | None) -> dict[str, Any]:
        # super() needs the class by name in a dataclass with slots
        return Table.view(self, seat) | {"card": NAMES[self.card] if self.card else None}

    def _drawn(self, seat: int) -> BasicState:
        card, piles = self.piles.take()
        return replace(self, to_move=seat, card=card, piles=piles)

    def _over(self, reason: Reason) -> BasicState:
        after = self.following(self.to_move, self.out) if len(self.out) < self.setup.seats else self.to_move
        return replace(self, card=NO_CARD, to_move=after, reason=reason)

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

"""Play for points: hands of five cards, deals and scores (S26-S29)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engines.errors import BadPosition
from engines.game import Reason
from engines.sorry.board import PAWNS, home_count
from engines.sorry.cards import NAMES, TWO, Piles, names
from engines.sorry.moves import LOST, Move, plays
from engines.sorry.position import Fields, deal_unknown
from engines.sorry.setup import Setup
from engines.sorry.state import Table, read_shared

HAND = 5
PAWN_POINTS = 5
BONUSES = {2: 25, 1: 50, 0: 100}  # the most pawns that any opponent has HOME, and what that is worth (S28)


@dataclass(frozen=True, slots=True)
class PointsState(Table):
    """A position with every hand (oldest card first), the deal's number from 1 and the totals so far."""

    hands: tuple[bytes, ...]
    deal: int
    scores: tuple[int, ...]

    def legal_moves(self) -> Sequence[Move]:
        if self.reason is not None:
            return ()
        held = sorted(set(self.hands[self.to_move]))
        moves = plays(self.board, self.setup.sides[self.to_move], held)
        return moves or [Move(f"{NAMES[card]} {LOST}", card, self.board) for card in held]  # S27

    def held(self, seat: int) -> bytes:
        return self.hands[seat]

    def apply(self, move: Move) -> PointsState:
        seat, card = self.to_move, bytes([move.card])
        hand = self.hands[seat].replace(card, b"", 1)
        piles = self.piles.put(card)
        if self.setup.won(move.board, seat):  # at once: no replacement is drawn (S13)
            return self._played(move, hand, piles, again=False)._deal_over(Reason.ALL_HOME)
        drawn, piles = piles.take()
        again = move.card == TWO and move.board != self.board  # a 2 that moves changes the board (S27)
        played = self._played(move, hand + bytes([drawn]), piles, again)
        if not again and played.turn == self.setup.turn_limit:
            return played._deal_over(Reason.TURN_LIMIT)
        return played

    def _played(self, move: Move, hand: bytes, piles: Piles, again: bool) -> PointsState:
        """The same deal after a move, nothing counted yet."""
        seat = self.to_move
        return PointsState(
            self.setup,
            move.board,
            seat if again else self.following(seat, self.out),
            piles,
            self.ply + 1,
            self.turn if again else self.turn + 1,
            self.first,
            self.out,
            None,
            _with(self.hands, seat, hand),
            self.deal,
            self.scores,
        )

    def without(self, seat: int) -> PointsState:
        """The position after a seat has fallen out, its hand on the discards (S31).

        It scores 0 in the match, whatever earlier deals gave it.
        A game that is over stays as it is. Raises GameError if the seat is out already.
        """
        if self.reason is not None:
            return self
        out = self.out + self.leavers(seat)
        left = replace(
            self,
            board=self.board_without([seat]),
            out=out,
            hands=_with(self.hands, seat, b""),
            piles=self.piles.put(self.hands[seat]),
            scores=_with(self.scores, seat, 0),
        )
        if seat == self.to_move:
            left = replace(left, to_move=self.following(seat, out))
        if len(out) < self.setup.seats - 1:
            return left
        return replace(left, scores=left._scored(), reason=Reason.LAST_STANDING)

    def view(self, seat: int | None) -> dict[str, Any]:
        """`Table.view` with more.

        `hand`: the viewing `seat`'s cards by name, or None; `hands`: every seat's number of cards; `deal`,
        from 1; `scores`: the totals so far.
        """
        return Table.view(self, seat) | {
            "seat": seat,
            "hand": None if seat is None else names(self.hands[seat]),
            "hands": [len(hand) for hand in self.hands],
            "deal": self.deal,
            "scores": list(self.scores),
        }

    def _points(self) -> tuple[int, ...]:
        return self.scores

    def _home(self, seat: int) -> int:
        return home_count(self.board, self.setup.colours[seat])

    def _scored(self) -> tuple[int, ...]:
        """The totals with this deal's points (S28, S30)."""
        winner = self.winner()
        return tuple(
            score + PAWN_POINTS * self._home(seat) + (self._bonus(seat) if seat == winner else 0)
            for seat, score in enumerate(self.scores)
        )

    def _bonus(self, winner: int) -> int:
        """What the winner gets for the opponents still in (S28, S31)."""
        homes = [self._home(seat) for seat in self.playing() if seat != winner]
        if not homes:
            return 0
        earned = [points for most, points in BONUSES.items() if max(homes) <= most]
        away = PAWN_POINTS * sum(PAWNS - home for home in homes)
        return away + (sum(earned) if self.setup.all_bonuses else max(earned, default=0))

    def judged(self) -> PointsState:
        """This position, over if it is the end of the match; raises BadPosition if it can't be either."""
        ended = self.ended()
        if ended is not None and ended is not Reason.LAST_STANDING:
            if self.deal < self.setup.deals:
                raise BadPosition(f"deal={self.deal}: this deal is over and the next one not dealt (S29)")
            ended = self._final(ended)
        sizes = [0 if seat in self.out else HAND for seat in range(self.setup.seats)]
        if ended is None and [len(hand) for hand in self.hands] != sizes:
            raise BadPosition(f"hands=: a hand has {HAND} cards, of a seat that is out none (S27, S31)")
        return replace(self, reason=ended)

    def _final(self, reason: Reason) -> Reason:
        """Why the match is over when its last deal is (S29)."""
        return reason if self.setup.deals == 1 else Reason.DEALS_PLAYED

    def _deal_over(self, reason: Reason) -> PointsState:
        """Count the deal and begin the next one, or end the match (S29)."""
        scored = replace(self, scores=self._scored())
        if self.deal < self.setup.deals:
            return scored._next_deal()
        return replace(scored, reason=self._final(reason))

    def _next_deal(self) -> PointsState:
        winner = self.winner()
        first = self.following(self.first, self.out)
        if self.setup.winner_first and winner is not None:
            first = winner
        begun = deal_cards(self.setup, Piles.fresh(self.piles.stream), first, self.out)
        return replace(begun, ply=self.ply, deal=self.deal + 1, scores=self.scores)


def deal_cards(setup: Setup, piles: Piles, first: int, out: tuple[int, ...]) -> PointsState:
    """The start of a deal: five cards to each seat, one at a time, clockwise from `first` (S5, S26)."""
    hands = [b""] * setup.seats
    order = [(first + i) % setup.seats for i in range(setup.seats)]
    for _ in range(HAND):
        for seat in order:
            if seat not in out:
                card, piles = piles.take()
                hands[seat] += bytes([card])
    nothing = (0,) * setup.seats
    return PointsState(
        setup, setup.opening(out), first, piles, 0, 0, first, out, None, tuple(hands), 1, nothing
    )


def read_hands(setup: Setup, fields: Fields, seed: bytes) -> PointsState:
    """The position of a line, hidden hands and the draw pile dealt from `seed`; raises BadPosition."""
    board, to_move, ply, turn, first, out = read_shared(fields, setup)
    hands, discards = fields.hands(setup.seats), fields.cards("discards")
    known = b"".join(hand for hand in hands if isinstance(hand, bytes))
    hidden = sum(hand for hand in hands if isinstance(hand, int))
    dealt, piles = deal_unknown(known, discards, fields.number("draw"), hidden, seed)
    full = []
    for hand in hands:
        size = hand if isinstance(hand, int) else 0
        full.append(hand if isinstance(hand, bytes) else dealt[:size])
        dealt = dealt[size:]
    scores = fields.numbers("scores")
    deal = fields.number("deal", setup.deals)
    if len(scores) != setup.seats or not deal:
        raise BadPosition("deal= counts from 1, scores= has one number for each seat (S29)")
    state = PointsState(setup, board, to_move, piles, ply, turn, first, out, None, tuple(full), deal, scores)
    return state.judged()


def _with(values: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    return (*values[:seat], value, *values[seat + 1 :])

"""What both ways of drawing cards share: the table with its pawns, piles, seats and turns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from engines.errors import BadPosition, GameError
from engines.game import Outcome, Reason
from engines.sorry import drawing, notation, position
from engines.sorry.board import COLOURS, PLACE_NAMES, WHOLE, decode
from engines.sorry.cards import Piles, names
from engines.sorry.moves import Move
from engines.sorry.setup import Setup


class Shared(NamedTuple):
    """What every position's line tells besides cards and points."""

    board: int
    to_move: int
    ply: int
    turn: int
    first: int
    out: tuple[int, ...]


def read_shared(fields: position.Fields, setup: Setup) -> Shared:
    """Those fields of a line, checked; raises BadPosition."""
    top = setup.seats - 1
    out = fields.numbers("out", top, default="-")
    playing = [seat for seat in range(setup.seats) if seat not in out]
    to_move = fields.number("to", top)
    if len(set(out)) != len(out) or to_move not in playing:
        raise BadPosition("out=: names seats that are out, each once and not the one to move (S31)")
    board = fields.board([setup.colours[seat] for seat in playing])
    return Shared(
        board,
        to_move,
        fields.number("ply"),
        fields.number("turn", setup.turn_limit),
        fields.number("first", top),
        out,
    )


@dataclass(frozen=True, slots=True)
class Table:
    """A position of any Sorry! game.

    `turn` counts the turns that are over in this deal (S30); `first` is the seat that began the deal;
    `out` lists the seats that have fallen out, in their order (S31).
    """

    setup: Setup
    board: int
    to_move: int
    piles: Piles
    ply: int
    turn: int
    first: int
    out: tuple[int, ...]
    reason: Reason | None

    @abstractmethod
    def legal_moves(self) -> Sequence[Move]:
        """Every legal move once, sorted by text."""

    @abstractmethod
    def held(self, seat: int) -> bytes:
        """The cards a seat may play from, in the order they came."""

    @abstractmethod
    def apply(self, move: Move) -> Self:
        """The position after a legal move."""

    @abstractmethod
    def _points(self) -> tuple[int, ...] | None:
        """The totals by seat in a game for points."""

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on (S13, S25, S28-S31)."""
        if self.reason is None:
            return None
        return Outcome(self._placing(), self.reason, self._points())

    def move(self, text: str) -> Move:
        """The legal move that `text` names, canonical or not; raises IllegalMove with the rule."""
        return notation.find(self, text)

    def view(self, seat: int | None) -> dict[str, Any]:
        """What a seat may know: the draw pile's order and other hands stay hidden; None is a spectator.

        `colours` by seat; `pawns` by colour, as positions write their places ("S", "17", ":3", "H"), sorted;
        `turn` the turns that are over in this deal, `first` the seat that began it, `out` the seats that
        have fallen out, in their order; `draw_pile` a number, `discards` names of cards, the oldest first.
        """
        return {
            "seats": self.setup.seats,
            "teams": self.setup.teams,
            "to_move": self.to_move,
            "ply": self.ply,
            "turn": self.turn,
            "first": self.first,
            "out": list(self.out),
            "colours": [COLOURS[colour] for colour in self.setup.colours],
            "pawns": {
                COLOURS[colour]: [PLACE_NAMES[place] for place in decode(self.board, colour)]
                for colour in self.setup.colours
            },
            "draw_pile": len(self.piles.draw),
            "discards": names(self.piles.discards),
        }

    def text(self, seat: int | None = None) -> str:
        """The position as one line with what `seat` may know; `Game.position` reads it back."""
        return position.write(self.view(seat))

    def __str__(self) -> str:
        return drawing.draw(self)

    def playing(self) -> list[int]:
        """The seats that are still in."""
        return [seat for seat in range(self.setup.seats) if seat not in self.out]

    def winner(self) -> int | None:
        """The seat that has won, or the first seat of the team that has (S13, S25)."""
        return next((seat for seat in self.playing() if self.setup.won(self.board, seat)), None)

    def ended(self) -> Reason | None:
        """Why the deal is over, seen from the table alone (S13, S25, S30, S31)."""
        if len(self.playing()) == len(self.setup.partners(self.to_move)):
            return Reason.LAST_STANDING
        if self.winner() is not None:
            return Reason.ALL_HOME
        return Reason.TURN_LIMIT if self.turn == self.setup.turn_limit else None

    def following(self, seat: int, out: tuple[int, ...]) -> int:
        """The next seat clockwise that is in (S1)."""
        after = (seat + 1) % self.setup.seats
        return self.following(after, out) if after in out else after

    def leavers(self, seat: int) -> tuple[int, ...]:
        """The seats that fall out with `seat`; raises GameError if it is not in."""
        if seat not in self.playing():
            raise GameError(f"seat {seat} cannot fall out: the seats that are in are {self.playing()}")
        return self.setup.partners(seat)

    def board_without(self, seats: Sequence[int]) -> int:
        """The board without some seats' pawns (S31)."""
        board = self.board
        for seat in seats:
            board &= ~WHOLE[self.setup.colours[seat]]
        return board

    def _placing(self) -> tuple[int, ...]:
        """Places by how a seat did: a leaver behind all who stayed and all who left later (S31)."""
        did = [self._merit(seat) for seat in range(self.setup.seats)]
        sides = {min(self.setup.partners(seat)): merit for seat, merit in enumerate(did)}
        return tuple(1 + sum(merit < other for other in sides.values()) for merit in did)

    def _merit(self, seat: int) -> tuple[int, int]:
        """What a seat is placed by, the higher the better."""
        if seat in self.out:
            return -1, max(self.out.index(partner) for partner in self.setup.partners(seat))
        points = self._points()
        if points is not None:
            return 0, points[seat]
        winner = self.winner()
        return 0, int(winner is not None and seat in self.setup.partners(winner))

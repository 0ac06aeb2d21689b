"""Sorry! in its three ways of playing, as games of the contract; rule numbers are those of the rule page.

Chance (engines/chance.py): a deal shuffles the deck in the order of `cards.DECK`, a reshuffle the discards
from the oldest on, both with the stream labelled `deck`, which goes on for the whole match; the first card of
the result is the top. `first: seed` draws the seat from the stream labelled `first`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from engines.chance import Stream
from engines.game import Game, Option, OptionValue
from engines.sorry.basic import BasicState, read_drawn, start_drawn
from engines.sorry.cards import Piles
from engines.sorry.points import PointsState, deal_cards, read_hands
from engines.sorry.position import Fields
from engines.sorry.setup import Setup, make_setup

_OPTIONS = {
    "turn_limit": Option(2000, "turns after which a deal ends undecided", "S30", low=1, high=100_000),
    "first": Option("seat", "who begins: seat 0, or drawn from the seed", "S4", choices=("seat", "seed")),
}
_POINTS_OPTIONS = {
    "deals": Option(1, "deals in a match", "S29", low=1, high=100),
    "winner_first": Option(False, "whether a deal's winner begins the next one", "S29"),
    "bonus": Option(
        "highest", "whether the winner's highest bonus counts or all", "S28", choices=("highest", "all")
    ),
}


class _SorryGame(Game):
    hidden: ClassVar[bool] = False
    chance: ClassVar[bool] = True
    teams: ClassVar[bool] = False
    options: ClassVar[Mapping[str, Option]] = _OPTIONS
    version: ClassVar[int] = 1

    def _setup(self, seats: int, options: Mapping[str, OptionValue]) -> Setup:
        self.check_seats(seats)
        return make_setup(seats, self.teams, self.hidden, options)


def _first(setup: Setup, options: Mapping[str, OptionValue], seed: bytes) -> int:
    """The seat that begins (S4)."""
    return Stream(seed, b"first").below(setup.seats)[0] if options["first"] == "seed" else 0


class _ByCardDrawn(_SorryGame):
    def start(self, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> BasicState:
        setup = self._setup(seats, options)
        return start_drawn(setup, Piles.fresh(Stream(seed)), _first(setup, options, seed))

    def position(self, text: str, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> BasicState:
        return read_drawn(self._setup(seats, options), Fields(text), seed)


class Sorry(_ByCardDrawn):
    """The basic game for 2 to 4 players."""

    name: ClassVar[str] = "sorry"
    title: ClassVar[str] = "Sorry!"
    seats: ClassVar[tuple[int, ...]] = (2, 3, 4)


class SorryTeams(_ByCardDrawn):
    """The team rules: red and yellow against blue and green (S21-S25)."""

    name: ClassVar[str] = "sorry-teams"
    title: ClassVar[str] = "Sorry! in teams"
    seats: ClassVar[tuple[int, ...]] = (4,)
    teams: ClassVar[bool] = True


class SorryPoints(_SorryGame):
    """Play for points with hands of five cards (S26-S29)."""

    name: ClassVar[str] = "sorry-points"
    title: ClassVar[str] = "Sorry! for points"
    seats: ClassVar[tuple[int, ...]] = (2, 3, 4)
    hidden: ClassVar[bool] = True
    options: ClassVar[Mapping[str, Option]] = {**_OPTIONS, **_POINTS_OPTIONS}

    def start(self, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> PointsState:
        setup = self._setup(seats, options)
        return deal_cards(setup, Piles.fresh(Stream(seed)), _first(setup, options, seed), ())

    def position(self, text: str, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> PointsState:
        return read_hands(self._setup(seats, options), Fields(text), seed)

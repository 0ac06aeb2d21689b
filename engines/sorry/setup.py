"""What a match of Sorry! is played with: seats, colours, sides and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from engines.game import OptionValue
from engines.sorry.board import ALL_HOME, AT_HOME, CIRCLE, COLOURS, PAWNS, SIDE, START, encode
from engines.sorry.moves import LOST, Side, make_side

SEAT_COLOURS = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}  # S1
ONE_PAWN_OUT = 3  # pawns on START when the fourth begins on the circle (S26)


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that stays the same for a whole match; `colours[seat]` is the seat's own colour."""

    colours: tuple[int, ...]
    teams: bool
    points: bool
    sides: tuple[Side, ...]
    turn_limit: int
    deals: int = 1
    winner_first: bool = False
    all_bonuses: bool = False

    @property
    def seats(self) -> int:
        return len(self.colours)

    def partners(self, seat: int) -> tuple[int, ...]:
        """The seats that win and fall out together (S21, S31), `seat` first."""
        return (seat, (seat + 2) % 4) if self.teams else (seat,)

    def won(self, board: int, seat: int) -> bool:
        """Whether a seat, in team play its team, has all its pawns HOME (S13, S25)."""
        return all(board & AT_HOME[colour] == ALL_HOME[colour] for colour in self.sides[seat].colours)

    def opening(self, out: tuple[int, ...]) -> int:
        """The board at the start of a deal, without the pawns of seats that are out (S4, S26)."""
        pawns: list[list[int]] = [[] for _ in COLOURS]
        for seat, colour in enumerate(self.colours):
            if seat not in out:
                pawns[colour] = [START] * PAWNS
                if self.points:
                    pawns[colour][ONE_PAWN_OUT] = SIDE * colour + CIRCLE
        return encode(pawns)


def make_setup(seats: int, teams: bool, points: bool, options: Mapping[str, OptionValue]) -> Setup:
    """The setup of a match with full options; positions of the same match share one."""
    colours = SEAT_COLOURS[seats]
    setup = Setup(
        colours,
        teams,
        points,
        tuple(_side(seat, colours, teams, points) for seat in range(seats)),
        int(options["turn_limit"]),
        int(options.get("deals", 1)),
        bool(options.get("winner_first", False)),
        options.get("bonus") == "all",
    )
    return _shared(setup)


@lru_cache(maxsize=256)
def _shared(setup: Setup) -> Setup:
    """The first of all equal ones."""
    return setup


@cache
def _side(seat: int, colours: tuple[int, ...], teams: bool, points: bool) -> Side:
    mine = colours[seat % 2 :: 2] if teams else (colours[seat],)
    return make_side(
        mine,
        opponents=set(colours).difference(mine),
        parts=PAWNS * len(mine) if teams else 2,
        declined=f"11 {LOST}" if points else LOST,
    )

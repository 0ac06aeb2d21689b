"""What every format shares: its options, the schedule, one game of it, and a game's result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from engines.errors import BadOption
from service.tournaments.cycles import Lineups


class Partners(StrEnum):
    """Who plays together where seats 0 and 2 play against seats 1 and 3."""

    NONE = "none"  # every seat for itself
    FIXED = "fixed"  # an entrant is a team: it holds both seats of a side, with one bot or two
    ROTATING = "rotating"  # entrants are single bots, partners change from game to game (whist)


@dataclass(frozen=True, slots=True)
class Options:
    """What a format may be told.

    `seats` at a table: 2, 3 or 4. `cycles`: how often the whole schedule is played, the seats moved on by
    one each time. `openings`: games of one set begin from one opening; None means on for more than one
    cycle. `duplicate`: every table is played once from each rotation of the seats, with one deck, before
    the next table (a set). `challengers`: in a gauntlet, the first so many entrants meet all the others.
    """

    seats: int = 2
    partners: Partners = Partners.NONE
    cycles: int = 1
    openings: bool | None = None
    duplicate: bool = False
    challengers: int = 1

    def __post_init__(self) -> None:
        if self.seats not in (2, 3, 4):
            raise BadOption("seats", f"a table has 2, 3 or 4 seats, not {self.seats}")
        if self.partners is not Partners.NONE and self.seats != 4:
            raise BadOption("partners", f"partners need tables of 4, not of {self.seats}")
        if self.cycles < 1:
            raise BadOption("cycles", f"there must be at least one cycle, not {self.cycles}")
        if self.challengers < 1:
            raise BadOption(
                "challengers", f"a gauntlet needs at least one challenger, not {self.challengers}"
            )

    @property
    def rotations(self) -> int:
        """In how many ways the seats can be moved on: a fixed team's two seats are alike."""
        return 2 if self.partners is Partners.FIXED else self.seats

    @property
    def share_openings(self) -> bool:
        """Whether openings are played, each from every rotation of the seats."""
        return self.cycles > 1 if self.openings is None else self.openings


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game of a schedule.

    `game` is its index, from 0. `round`, `table` and `cycle` count from 1, as people do. `seats[s]` is
    the entrant in seat s (twice where a fixed team holds both seats). `set` numbers, from 0, the games
    that the same entrants play from each rotation of the seats; `opening` and `deal` are that number
    where the games of a set share an opening or a deck, else None.
    """

    game: int
    round: int
    table: int
    cycle: int
    seats: tuple[int, ...]
    set: int
    opening: int | None
    deal: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """How one game of a schedule ended.

    By seat: `seats` the entrants, `placing` the places from 1 (equal ones tie), `faults` the reason why a
    seat fell out, None if it did not (empty: none did), `points` the game's own points where it counts
    any.
    """

    game: int
    seats: tuple[int, ...]
    placing: tuple[int, ...]
    faults: tuple[str | None, ...] = ()
    points: tuple[int, ...] | None = None


class Schedule(Protocol):
    """The games that are known so far, computed one at a time when asked for.

    With more results a schedule only grows at its end: a game that was known never changes. A tournament
    is over once its schedule is `complete` and every game has its result; that is counted, never
    inferred.
    """

    @property
    def count(self) -> int:
        """How many games are known."""

    @property
    def rounds(self) -> int:
        """How many rounds they make up."""

    @property
    def complete(self) -> bool:
        """Whether no result can add another game."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that state every imbalance of the schedule: meetings, seats, openings."""

    def game(self, index: int) -> Pairing:
        """The game with that index; raises IndexError beyond the count."""

    def games_in(self, round_number: int) -> range:
        """The indices of the games of a round (from 1)."""

    def games_of(self, entrant: int) -> Iterator[int]:
        """The indices of an entrant's games, ascending."""

    def same_deal(self, index: int) -> Sequence[int]:
        """The games that are played with the deck of this one, itself among them."""

    def lineups(self) -> Lineups:
        """Every known game at once, games × seats: the entrant in each seat."""


class Format(Protocol):
    """A kind of tournament."""

    @property
    def name(self) -> str:
        """The wire name."""

    def schedule(
        self, entrants: int, options: Options, seed: bytes | None, results: Mapping[int, Result]
    ) -> Schedule:
        """The games known once `results` (by game) are in: a pure function of its arguments.

        `seed` (32 bytes) draws the lots that number the entrants; None keeps the order of entry. Raises
        BadOption for what the format cannot schedule.
        """


def rotated(seats: tuple[int, ...], by: int) -> tuple[int, ...]:
    """The seats moved on: who sat in seat `by` sits in seat 0."""
    return seats[by:] + seats[:by]

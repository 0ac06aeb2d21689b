"""The contract that every game keeps, so that one referee, one viewer and one scheduler serve all of them.

A `Game` is what is known before play: its name, its seats, its options, as data. A `State` is a frozen
value; `apply` returns a new one. Chance comes from the 32-byte seed given at the start and from nowhere
else. Seats count from 0; places count from 1 (the winner's), and equal places are ties.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from engines.errors import BadOption, BadSeats

SEED_BYTES = 32

OptionValue = int | str | bool


class Reason(StrEnum):
    """Why a game ended, by the game's own rules (a forfeit's reason is the referee's business)."""

    LINE = "line"  # Q12
    OPPONENT_LINE = "opponent-line"  # Q13
    REPETITION = "repetition"  # Q15
    PLY_LIMIT = "ply-limit"  # Q15
    ALL_HOME = "all-home"  # S13, S25
    TURN_LIMIT = "turn-limit"  # S30
    DEALS_PLAYED = "deals-played"  # S29
    LAST_STANDING = "last-standing"  # Q17, S31


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `placing[seat]` is that seat's place from 1; `points`, totals where they count."""

    placing: tuple[int, ...]
    reason: Reason
    points: tuple[int, ...] | None = None

    @property
    def drawn(self) -> bool:
        """Whether all seats share the first place."""
        return set(self.placing) == {1}


class Move(Protocol):
    """A move: an immutable, hashable value whose `str()` is its canonical text.

    A game with cards also gives the move's `card_name`.
    """

    def __str__(self) -> str: ...


class State(Protocol):
    """A position with everything that decides what follows: a frozen value."""

    @property
    def to_move(self) -> int:
        """The seat whose turn it is; once `outcome` is set, the seat whose turn it would have been."""

    @property
    def ply(self) -> int:
        """Plies played since the start, forced ones included."""

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""

    def legal_moves(self) -> Sequence[Any]:
        """Every legal move once, sorted by text; a forced pass is a move; empty once the game is over."""

    def move(self, text: str) -> Any:
        """The legal move that `text` names (a non-canonical text too).

        Raises IllegalMove, which names the rule.
        """

    def apply(self, move: Any) -> State:
        """The position after `move`, which must come from `legal_moves()` or `move()` of this very state."""

    def view(self, seat: int | None) -> dict[str, Any]:
        """What `seat` may know, as JSON-ready values; `None` is a spectator."""

    def text(self, seat: int | None = None) -> str:
        """The position as one line, with what `seat` may know; `Game.position` reads it back."""

    def without(self, seat: int) -> State:
        """The position after `seat` has fallen out (its team with it); may end the game (Q17, S31)."""

    def __str__(self) -> str:
        """A board that a person can read in a terminal."""


@dataclass(frozen=True, slots=True)
class Option:
    """A match option: its default, what it may be, and the rule it belongs to.

    The type is the default's. `low` and `high` bound integers (inclusive); `choices` lists the strings.
    """

    default: OptionValue
    help: str
    rule: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: object) -> OptionValue:
        """`value` if the option may take it; raises BadOption if not."""
        kind = type(self.default)
        if type(value) is not kind:
            raise BadOption(name, f"must be {_KIND_NAMES[kind]}, not {value!r} ({self.rule})")
        if self.choices and value not in self.choices:
            raise BadOption(name, f"must be one of {', '.join(self.choices)}, not {value!r} ({self.rule})")
        if type(value) is int and not (self.low or 0) <= value <= (self.high or value):
            raise BadOption(name, f"must be from {self.low} to {self.high}, not {value} ({self.rule})")
        assert isinstance(value, (int, str, bool))
        return value


_KIND_NAMES: dict[type, str] = {int: "an integer", str: "a string", bool: "true or false"}


class Game(ABC):
    """A game as data, and the two ways to get a position of it."""

    name: ClassVar[str]  # the wire name, and the ladder's
    title: ClassVar[str]  # for people
    seats: ClassVar[tuple[int, ...]]  # how many may play
    teams: ClassVar[bool]  # whether seats 0 and 2 play against seats 1 and 3
    hidden: ClassVar[bool]  # whether seats know different things
    chance: ClassVar[bool]  # whether the seed matters
    options: ClassVar[Mapping[str, Option]]
    version: ClassVar[int]  # grows when a rule's reading changes; kept with every match

    @abstractmethod
    def start(self, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> State:
        """The first position. `options` as `full_options` gives them; `seed` is 32 bytes."""

    @abstractmethod
    def position(self, text: str, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> State:
        """The position that `State.text` wrote; what it does not tell is dealt from `seed`.

        Raises BadPosition.
        """

    def full_options(self, given: Mapping[str, object]) -> dict[str, OptionValue]:
        """`given` checked and completed with the defaults; raises BadOption."""
        for name in given:
            if name not in self.options:
                known = ", ".join(sorted(self.options)) or "none"
                raise BadOption(name, f"{self.name} has no such option; it has: {known}")
        return {
            name: option.check(name, given[name]) if name in given else option.default
            for name, option in self.options.items()
        }

    def check_seats(self, count: int) -> None:
        """Raise BadSeats unless the game is played with `count` seats."""
        if count not in self.seats:
            wanted = " or ".join(str(n) for n in self.seats)
            raise BadSeats(f"{self.name} is played with {wanted} seats, not {count}")

    def team(self, seat: int) -> int | None:
        """The team of a seat (0 or 1), or None in a game without teams (Q8, S21)."""
        return seat % 2 if self.teams else None

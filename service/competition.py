"""A kept tournament as what `service.tournaments` computes with: its options, its schedule, its tables.

Entrants are numbered in the order of entry; those that withdrew keep their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engines.errors import BadOption
from engines.game import Game
from engines.registry import game_named
from service.models import POINTS_LADDERS, Tournament
from service.tournaments.formats import format_named
from service.tournaments.pairing import Options, Partners, Schedule
from service.tournaments.plan import Plan
from service.tournaments.results import Results
from service.tournaments.standings import Standings, standings
from service.tournaments.tally import Tally, tally
from service.tournaments.withdrawal import NOBODY_LEFT, Settlement, counted

DEFAULT_OPENING_PLIES = 4


def default_seats(game: Game) -> int:
    """Seats at a table unless a tournament says otherwise."""
    return min(game.seats)


def default_partners(game: Game) -> Partners:
    """How teams come about unless a tournament says otherwise: an entrant holds both seats of its team."""
    return Partners.FIXED if game.teams else Partners.NONE


def check_shape(game: Game, options: Options) -> None:
    """Raise BadOption if the game cannot be played at such tables."""
    if options.seats not in game.seats:
        wanted = " or ".join(map(str, game.seats))
        raise BadOption("seats", f"{game.name} is played with {wanted} seats, not {options.seats}")
    if game.teams == (options.partners is Partners.NONE):
        wanted = "fixed or rotating" if game.teams else "none"
        raise BadOption("partners", f"must be {wanted} for {game.name}, not {options.partners}")
    if options.duplicate and not game.chance:
        raise BadOption("duplicate", f"{game.name} has no deals that could be played twice")


def options_of(settings: Mapping[str, Any]) -> Options:
    """The format's options in a tournament's settings; raises BadOption."""
    return Options(
        seats=settings["seats"],
        partners=Partners(settings["partners"]),
        cycles=settings["cycles"],
        openings=settings["openings"],
        duplicate=settings["duplicate"],
        challengers=settings["challengers"],
    )


@dataclass(frozen=True, slots=True)
class Competition:
    """A tournament with its results so far, as columns: there may be half a million."""

    tournament: Tournament
    results: Results

    @classmethod
    def of(cls, tournament: Tournament, records: bytes) -> Competition:
        """From the results as the store keeps them."""
        points = tournament.game in POINTS_LADDERS
        return cls(tournament, Results.from_records(records, tournament.settings["seats"], points))

    @property
    def options(self) -> Options:
        return options_of(self.tournament.settings)

    @property
    def withdrawn(self) -> tuple[int, ...]:
        """The entrants that withdrew after the start."""
        return withdrawn_from(self.tournament)

    def schedule(self) -> Schedule:
        """The games there are; raises BadOption where the entrants are too few."""
        return schedule_of(self.tournament)

    def counted(self) -> tuple[Results, Settlement]:
        """The results that count, forfeits of the withdrawn included, and what the withdrawals come to."""
        if not self.withdrawn:
            return self.results, NOBODY_LEFT
        return counted(plan_of(self.tournament), self.options, self.results, self.withdrawn)


def bots_of(entrant: Mapping[str, str]) -> list[str]:
    """The bot of an entrant, or the two of a team that has two."""
    partner = entrant.get("partner")
    return [entrant["bot"], partner] if partner else [entrant["bot"]]


def seated(tournament: Tournament, seats: Sequence[int]) -> list[str]:
    """The bot in each seat: of a team with two, the first holds the lower of its seats."""
    taken: dict[int, int] = {}
    bots = []
    for number in seats:
        own = bots_of(tournament.entrants[number])
        bots.append(own[taken.get(number, 0) % len(own)])
        taken[number] = taken.get(number, 0) + 1
    return bots


def withdrawn_from(tournament: Tournament) -> tuple[int, ...]:
    """The entrants that withdrew after the start."""
    entrants = enumerate(tournament.entrants)
    return tuple(number for number, entrant in entrants if entrant["withdrawn_at"] is not None)


def schedule_of(tournament: Tournament) -> Schedule:
    """The games there are; raises BadOption where the entrants are too few."""
    return _schedule(*_drawn_from(tournament))


def plan_of(tournament: Tournament) -> Plan:
    """The schedule as columns."""
    return _plan(*_drawn_from(tournament))


def _drawn_from(tournament: Tournament) -> tuple[str, int, Options, str]:
    """All that a schedule follows from."""
    options = options_of(tournament.settings)
    return tournament.format, len(tournament.entrants), options, tournament.seed


def _schedule(kind: str, entrants: int, options: Options, seed: str) -> Schedule:
    return format_named(kind).schedule(entrants, options, bytes.fromhex(seed), {})


@lru_cache(maxsize=8)  # one of half a million games takes 16 MB
def _plan(kind: str, entrants: int, options: Options, seed: str) -> Plan:
    return Plan.of(_schedule(kind, entrants, options, seed), entrants)


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that is shown of a tournament's results."""

    standings: Standings
    tally: Tally
    notes: tuple[str, ...]


def tables(competition: Competition) -> Tables:
    """Standings and tally; before the start everybody shares the first place."""
    tournament = competition.tournament
    tie_breaks = tournament.settings["tie_breaks"]
    if tournament.started_at is None:
        empty = tally(competition.results, len(tournament.entrants), competition.options)
        return Tables(standings(empty, tie_breaks, 1), empty, ())
    schedule = competition.schedule()
    results, settlement = competition.counted()
    found = tally(results, len(tournament.entrants), competition.options)
    due = schedule.count - len(settlement.struck)
    return Tables(standings(found, tie_breaks, due, settlement.annulled), found, schedule.notes)


def game_of(tournament: Tournament) -> Game:
    """The tournament's game."""
    return game_named(tournament.game)

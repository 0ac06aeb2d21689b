"""A kept tournament as what `service.tournaments` computes with: its options, its schedule, its tables.

Entrants are numbered in the order of entry; those that withdrew keep their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.errors import BadOption
from engines.game import Game
from engines.registry import game_named
from service.models import POINTS_LADDERS, Tournament
from service.tournaments.formats import format_named
from service.tournaments.pairing import Options, Partners, Schedule
from service.tournaments.results import Results
from service.tournaments.standings import Standings, standings
from service.tournaments.tables import HeadToHead, cross_table
from service.tournaments.tally import Tally, tally
from service.tournaments.withdrawal import Settlement, settle

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
    def done(self) -> frozenset[int]:
        """The games that have a result from play."""
        return frozenset(self.results.games.tolist())

    @property
    def withdrawn(self) -> tuple[int, ...]:
        """The entrants that withdrew after the start."""
        entrants = enumerate(self.tournament.entrants)
        return tuple(number for number, entrant in entrants if entrant.get("withdrawn_at") is not None)

    def schedule(self) -> Schedule:
        """The games there are; raises BadOption where the entrants are too few."""
        kind = format_named(self.tournament.format)
        seed = bytes.fromhex(self.tournament.seed)
        return kind.schedule(len(self.tournament.entrants), self.options, seed, {})

    def settlement(self, schedule: Schedule) -> Settlement:
        """What the withdrawals come to."""
        withdrawn = self.withdrawn
        return settle(schedule, self.options, self.done if withdrawn else frozenset(), withdrawn)

    def tally(self, settlement: Settlement) -> Tally:
        """All results counted up, forfeits of the withdrawn included."""
        counted = self.results.without(settlement.struck) if settlement.struck else self.results
        if settlement.forfeited:
            counted = _joined(counted, self._forfeits(settlement))
        return tally(counted, len(self.tournament.entrants), self.options)

    def _forfeits(self, settlement: Settlement) -> Results:
        points = self.results.points is not None
        nothing = (0,) * self.options.seats if points else None
        given = [replace(result, points=nothing) for result in settlement.forfeited]
        return Results.of(given, self.options.seats, points)


def _joined(one: Results, other: Results) -> Results:
    """Both, with points if both have them."""
    columns = {
        name: np.concatenate([getattr(one, name), getattr(other, name)])
        for name in ("games", "seats", "placing", "faults")
    }
    points = None
    if one.points is not None and other.points is not None:
        points = np.concatenate([one.points, other.points])
    return Results(**columns, points=points)


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that is shown of a tournament's results."""

    standings: Standings
    tally: Tally
    notes: tuple[str, ...]

    def cross(self) -> tuple[Sequence[int], list[tuple[HeadToHead | None, ...]]]:
        """The entrants in the ranking's order and their cross table."""
        order = [row.entrant for row in self.standings.rows]
        return order, list(cross_table(self.tally, order))


def tables(competition: Competition) -> Tables:
    """Standings and tally; before the start everybody shares the first place."""
    tournament = competition.tournament
    tie_breaks = tournament.settings["tie_breaks"]
    if tournament.started_at is None:
        empty = tally(competition.results, len(tournament.entrants), competition.options)
        return Tables(standings(empty, tie_breaks, 1), empty, ())
    schedule = competition.schedule()
    settlement = competition.settlement(schedule)
    counted = competition.tally(settlement)
    due = schedule.count - len(settlement.struck)
    table = standings(counted, tie_breaks, due, settlement.annulled)
    return Tables(table, counted, schedule.notes)


def game_of(tournament: Tournament) -> Game:
    """The tournament's game."""
    return game_named(tournament.game)

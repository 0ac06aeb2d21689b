"""A tournament's standings and pairings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from service.api.blueprint import Blueprint
from service.api.context import store
from service.api.csv import as_csv
from service.api.objects import seen_tournament
from service.api.paging import page
from service.api.schemas.lists import page_of
from service.api.schemas.tournaments import (
    PairingSchema,
    PairingsQuery,
    StandingsQuery,
    StandingsSchema,
)
from service.competition import Competition, Tables, bots_of, seated, tables
from service.models import Page, Tournament
from service.tournaments.explaining import explanations
from service.tournaments.pairing import Pairing, Schedule
from service.tournaments.results import Results
from service.tournaments.standings import Row

standings_tables = Blueprint(
    "tables", __name__, url_prefix="/v1/tournaments", description="What a tournament has come to."
)

_COUNTS = ("won", "drawn", "lost", "won_by_forfeit", "lost_by_forfeit", "game_points", "decided_by")


@standings_tables.route("/<tournament_id>/standings")
@standings_tables.arguments(StandingsQuery, location="query")
@standings_tables.response(200, StandingsSchema)
@standings_tables.alt_response(200, content_type="text/csv", schema={"type": "string"}, success=True)
def standings(query: dict[str, Any], tournament_id: str) -> Any:
    """The standings

    With the declared tie-breaks and which of them decided; `partial` while games are missing. `format=csv`
    gives the same as a file.
    """
    tournament, found = tables_of(tournament_id)
    rows = list(_rows(tournament, found))
    if query["format"] == "csv":
        return as_csv([row | row.pop("tie_breaks") for row in rows])
    return {
        "tournament": tournament.id,
        "partial": found.standings.partial,
        "tie_breaks": found.standings.tie_breaks,
        "notes": found.notes,
        "rows": rows,
    }


def tables_of(tournament_id: str) -> tuple[Tournament, Tables]:
    """A tournament that the asker may see, and its tables; raises NotFound."""
    tournament = seen_tournament(tournament_id)
    return tournament, tables(_competition(tournament))


def _competition(tournament: Tournament) -> Competition:
    return Competition.of(tournament, store().tournaments.result_records(tournament.id))


def _rows(tournament: Tournament, found: Tables) -> Iterator[dict[str, Any]]:
    ids = [entrant["bot"] for entrant in tournament.entrants]
    ratings = store().ratings.get_many(tournament.game, ids)
    names = [entrant["name"] for entrant in tournament.entrants]
    for row, reason in zip(found.standings.rows, explanations(found.standings, names), strict=True):
        entrant, rating = tournament.entrants[row.entrant], ratings[row.entrant]
        yield {
            **{name: entrant[name] for name in ("bot", "name", "version", "owner", "withdrawn_at")},
            **{name: getattr(row, name) for name in _COUNTS},
            "rank": row.rank,
            "played": row.games,
            "points": float(row.score),
            "explanation": reason,
            "tie_breaks": _tie_breaks(found, row),
            "rating": None if rating is None else rating.rating / 1000,
        }


def _tie_breaks(found: Tables, row: Row) -> dict[str, float | None]:
    named = zip(found.standings.tie_breaks, row.tie_breaks, strict=True)
    return {name: None if value is None else float(value) for name, value in named}


@standings_tables.route("/<tournament_id>/pairings")
@standings_tables.arguments(PairingsQuery, location="query")
@standings_tables.response(200, page_of(PairingSchema))
@standings_tables.alt_response(200, content_type="text/csv", schema={"type": "string"}, success=True)
def pairings(query: dict[str, Any], tournament_id: str) -> Any:
    """The pairings

    In the order of the schedule; none before the start. `format=csv` gives all that are asked for as a file,
    with a column for the bot and the place of each seat; `limit` and `cursor` do not count.
    """
    tournament = seen_tournament(tournament_id)
    whole = query["format"] == "csv"
    if tournament.started_at is None:
        return as_csv(()) if whole else page(Page(()))
    competition = _competition(tournament)
    schedule = competition.schedule()
    games = _wanted(schedule, tournament, query)
    indices, cursor = (list(games), None) if whole else _part(games, query)
    made = store().tournaments.games(tournament_id, indices)
    placings = _placings(competition.results, indices)
    items = [_pairing(tournament, schedule.game(i), made.get(i), placings.get(i)) for i in indices]
    return as_csv(map(_pairing_line, items)) if whole else page(Page(tuple(items), cursor))


def _pairing_line(pairing: dict[str, Any]) -> dict[str, Any]:
    """A pairing with a cell for every seat's bot and place."""
    bots = pairing.pop("bots")
    places = pairing.pop("placing") or [None] * len(bots)
    seats = {f"bot_{seat}": bot for seat, bot in enumerate(bots)}
    return pairing | seats | {f"place_{seat}": place for seat, place in enumerate(places)}


def _placings(results: Results, games: list[int]) -> dict[int, list[int]]:
    """The places by seat of those games that have a result."""
    rows = np.flatnonzero(np.isin(results.games, games))
    return dict(zip(results.games[rows].tolist(), results.placing[rows].tolist(), strict=True))


def _wanted(schedule: Schedule, tournament: Tournament, query: Mapping[str, Any]) -> Iterator[int]:
    games: Iterator[int] = iter(range(schedule.count))
    if query["round"] is not None:
        games = iter(schedule.games_in(query["round"]) if query["round"] <= schedule.rounds else ())
    if query["bot"] is not None:
        numbers = {bot: n for n, entrant in enumerate(tournament.entrants) for bot in bots_of(entrant)}
        own = schedule.games_of(numbers[query["bot"]]) if query["bot"] in numbers else iter(())
        games = iter(sorted(set(own) & set(games))) if query["round"] is not None else own
    return games


def _part(games: Iterator[int], query: Mapping[str, Any]) -> tuple[list[int], str | None]:
    """A page of game numbers and the cursor of the next."""
    last = int(query["cursor"] or -1)
    found: list[int] = []
    for game in games:
        if game > last:
            if len(found) == query["limit"]:
                return found, str(found[-1])
            found.append(game)
    return found, None


def _pairing(
    tournament: Tournament, pairing: Pairing, match: str | None, placing: list[int] | None
) -> dict[str, Any]:
    return {
        "index": pairing.game,
        "round": pairing.round,
        "table": pairing.table,
        "cycle": pairing.cycle,
        "bots": seated(tournament, pairing.seats),
        "match": match,
        "placing": placing,
    }

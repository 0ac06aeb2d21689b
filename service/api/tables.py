"""A tournament's tables: standings, cross table, pairings."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from flask import Response

from service.api.blueprint import Blueprint
from service.api.context import store
from service.api.objects import seen_tournament
from service.api.paging import page
from service.api.schemas.lists import page_of
from service.api.schemas.tournaments import (
    CrossTableSchema,
    PairingSchema,
    PairingsQuery,
    StandingsQuery,
    StandingsSchema,
)
from service.competition import Competition, Tables, tables
from service.models import Page, Tournament
from service.tournaments.pairing import Pairing, Schedule
from service.tournaments.results import Results
from service.tournaments.standings import Row
from service.tournaments.tables import HeadToHead

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
    tournament, found = _tables(tournament_id)
    rows = list(_rows(tournament, found))
    if query["format"] == "csv":
        return Response(_csv(rows), mimetype="text/csv")
    return {
        "tournament": tournament.id,
        "partial": found.standings.partial,
        "tie_breaks": found.standings.tie_breaks,
        "notes": found.notes,
        "rows": rows,
    }


def _tables(tournament_id: str) -> tuple[Tournament, Tables]:
    tournament = seen_tournament(tournament_id)
    return tournament, tables(_competition(tournament))


def _competition(tournament: Tournament) -> Competition:
    return Competition.of(tournament, store().tournaments.result_records(tournament.id))


def _rows(tournament: Tournament, found: Tables) -> Iterator[dict[str, Any]]:
    ids = [entrant["bot"] for entrant in tournament.entrants]
    ratings = store().ratings.get_many(tournament.game, ids)
    for row in found.standings.rows:
        entrant, rating = tournament.entrants[row.entrant], ratings[row.entrant]
        yield {
            **{name: entrant[name] for name in ("bot", "name", "version", "owner", "withdrawn_at")},
            **{name: getattr(row, name) for name in _COUNTS},
            "rank": row.rank,
            "played": row.games,
            "points": float(row.score),
            "tie_breaks": _tie_breaks(found, row),
            "rating": None if rating is None else rating.rating / 1000,
        }


def _tie_breaks(found: Tables, row: Row) -> dict[str, float | None]:
    named = zip(found.standings.tie_breaks, row.tie_breaks, strict=True)
    return {name: None if value is None else float(value) for name, value in named}


def _csv(rows: list[dict[str, Any]]) -> str:
    """The rows as RFC 4180; a cell that a spreadsheet would take for a formula gets an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out)
    plain = [name for name in (rows[0] if rows else {}) if name != "tie_breaks"]
    ties = list(rows[0]["tie_breaks"]) if rows else []
    writer.writerow([*plain, *ties])
    for row in rows:
        writer.writerow([_cell(row[name]) for name in plain] + [row["tie_breaks"][name] for name in ties])
    return out.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


@standings_tables.route("/<tournament_id>/crosstable")
@standings_tables.response(200, CrossTableSchema)
def cross_table(tournament_id: str) -> Any:
    """The cross table

    Everybody against everybody, in the order of the standings.
    """
    tournament, found = _tables(tournament_id)
    order, cells = found.cross()
    bots = [tournament.entrants[entrant] for entrant in order]
    rows = [
        {"bot": bot["bot"], "cells": [_cross_cell(cell) for cell in row]}
        for bot, row in zip(bots, cells, strict=True)
    ]
    return {
        "tournament": tournament.id,
        "partial": found.standings.partial,
        "bots": bots,
        "rows": rows,
    }


def _cross_cell(cell: HeadToHead | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {
        "games": cell.games,
        "points": float(cell.score),
        "ahead": cell.ahead,
        "level": cell.level,
        "behind": cell.behind,
    }


@standings_tables.route("/<tournament_id>/pairings")
@standings_tables.arguments(PairingsQuery, location="query")
@standings_tables.response(200, page_of(PairingSchema))
def pairings(query: dict[str, Any], tournament_id: str) -> Any:
    """The pairings

    In the order of the schedule; none before the start.
    """
    tournament = seen_tournament(tournament_id)
    if tournament.started_at is None:
        return page(Page(()))
    competition = _competition(tournament)
    schedule = competition.schedule()
    indices, cursor = _part(_wanted(schedule, tournament, query), query)
    made = store().tournaments.games(tournament_id, indices)
    placings = _placings(competition.results, indices)
    items = [_pairing(tournament, schedule.game(i), made.get(i), placings.get(i)) for i in indices]
    return page(Page(tuple(items), cursor))


def _placings(results: Results, games: list[int]) -> dict[int, list[int]]:
    """The places by seat of those games that have a result."""
    rows = np.flatnonzero(np.isin(results.games, games))
    return dict(zip(results.games[rows].tolist(), results.placing[rows].tolist(), strict=True))


def _wanted(schedule: Schedule, tournament: Tournament, query: Mapping[str, Any]) -> Iterator[int]:
    games: Iterator[int] = iter(range(schedule.count))
    if query["round"] is not None:
        games = iter(schedule.games_in(query["round"]) if query["round"] <= schedule.rounds else ())
    if query["bot"] is not None:
        numbers = {entrant["bot"]: number for number, entrant in enumerate(tournament.entrants)}
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
        "bots": [tournament.entrants[entrant]["bot"] for entrant in pairing.seats],
        "match": match,
        "placing": placing,
    }

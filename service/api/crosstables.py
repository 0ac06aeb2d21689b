"""Who did how against whom, from which seat, and who fell out for what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from service.api.blueprint import Blueprint
from service.api.csv import as_csv
from service.api.errors import ApiError
from service.api.schemas.tournaments import (
    BreakdownSchema,
    CrossQuery,
    CrossTableSchema,
    StandingsQuery,
)
from service.api.tables import tables_of
from service.competition import Tables
from service.models import Tournament
from service.tournaments.results import FAULTS
from service.tournaments.tables import HeadToHead, by_seat, cross_row, forfeits
from service.tournaments.tally import OUTCOMES

crosstables = Blueprint(
    "crosstables", __name__, url_prefix="/v1/tournaments", description="Who did how against whom."
)

MOST_CELLS = 40_000  # of one answer in JSON


@crosstables.route("/<tournament_id>/crosstable")
@crosstables.arguments(CrossQuery, location="query")
@crosstables.response(200, CrossTableSchema)
@crosstables.alt_response(200, content_type="text/csv", schema={"type": "string"}, success=True)
def cross_table(query: dict[str, Any], tournament_id: str) -> Any:
    """The cross table

    Everybody against everybody, in the order of the standings; with `bot` that one's row alone: head to head
    with all. `format=csv` gives the points as a file, in which more than 200 entrants fit.
    """
    tournament, found = tables_of(tournament_id)
    order = [row.entrant for row in found.standings.rows]
    bots = [tournament.entrants[entrant] for entrant in order]
    shown = [entrant for entrant in order if query["bot"] in (None, tournament.entrants[entrant]["bot"])]
    if query["format"] == "csv":
        return as_csv(_cross_lines(tournament, found, shown, order))
    if len(shown) * len(order) > MOST_CELLS:
        detail = f"{len(order)} entrants make too large a table: name one `bot`, or take format=csv"
        raise ApiError("invalid", detail, (("bot", detail),))
    rows = [
        {
            "bot": tournament.entrants[entrant]["bot"],
            "cells": [_cell(cell) for cell in cross_row(found.tally, entrant, order)],
        }
        for entrant in shown
    ]
    return {
        "tournament": tournament.id,
        "partial": found.standings.partial,
        "bots": bots,
        "rows": rows,
    }


def _cross_lines(
    tournament: Tournament, found: Tables, shown: Sequence[int], order: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """A line an entrant: points against each, empty where two have not met."""
    for entrant in shown:
        own = tournament.entrants[entrant]
        cells = cross_row(found.tally, entrant, order)
        points = {
            f"{place} {tournament.entrants[other]['name']}": "" if cell is None else float(cell.score)
            for place, (other, cell) in enumerate(zip(order, cells, strict=True), start=1)
        }
        yield {"bot": own["bot"], "name": own["name"], **points}


def _cell(cell: HeadToHead | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {
        "games": cell.games,
        "points": float(cell.score),
        "ahead": cell.ahead,
        "level": cell.level,
        "behind": cell.behind,
    }


@crosstables.route("/<tournament_id>/breakdown")
@crosstables.arguments(StandingsQuery, location="query")
@crosstables.response(200, BreakdownSchema)
@crosstables.alt_response(200, content_type="text/csv", schema={"type": "string"}, success=True)
def breakdown(query: dict[str, Any], tournament_id: str) -> Any:
    """Results by seat, and faults by reason

    In the order of the standings. `format=csv` gives the same as a file.
    """
    tournament, found = tables_of(tournament_id)
    order = [row.entrant for row in found.standings.rows]
    if query["format"] == "csv":
        return as_csv(_breakdown_lines(tournament, found, order))
    rows = [
        {
            **_named(tournament, entrant),
            "seats": [{"seat": n, **counts} for n, counts in enumerate(by_seat(found.tally, entrant))],
            "faults": forfeits(found.tally, entrant),
        }
        for entrant in order
    ]
    return {"tournament": tournament.id, "partial": found.standings.partial, "rows": rows}


def _named(tournament: Tournament, entrant: int) -> dict[str, Any]:
    return {name: tournament.entrants[entrant][name] for name in ("bot", "name")}


def _breakdown_lines(tournament: Tournament, found: Tables, order: Sequence[int]) -> Iterator[dict[str, Any]]:
    for entrant in order:
        seats = enumerate(by_seat(found.tally, entrant))
        counts = {f"seat_{n}_{name}": own[name] for n, own in seats for name in OUTCOMES}
        faults = dict.fromkeys(FAULTS, 0) | forfeits(found.tally, entrant)
        yield {**_named(tournament, entrant), **counts, **faults}

"""What decided a place in the table, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from service.tournaments.standings import ANNULLED, POINTS, SHARED, Row, Standings
from service.tournaments.tie_breaks import DIRECT_ENCOUNTER, TIE_BREAKS


def explanations(table: Standings, names: Sequence[str]) -> Iterator[str]:
    """A sentence for each line: what set it apart from the one above (the first: from the one below).

    `names` of the entrants, by number. Empty where there is nobody to compare with.
    """
    rows = table.rows
    for at, row in enumerate(rows):
        other = rows[at - 1] if at else (rows[1] if len(rows) > 1 else None)
        yield _sentence(table, row, other, names) if other else ""


def _sentence(table: Standings, row: Row, other: Row, names: Sequence[str]) -> str:
    whom = names[other.entrant]
    if row.decided_by == ANNULLED:
        return "withdrew before half of its games, so its results are annulled"
    if row.decided_by == SHARED:
        return f"shares the place with {whom}, level on points and on every tie-break"
    side = "ahead of" if row.rank < other.rank else "behind"
    if row.decided_by == POINTS:
        return f"{side} {whom} on points, {_number(row.score)} to {_number(other.score)}"
    at = table.tie_breaks.index(row.decided_by)
    own, theirs = row.tie_breaks[at], other.tie_breaks[at]
    values = "" if own is None or theirs is None else f": {_number(own)} to {_number(theirs)}"
    return f"level with {whom} on points, {side} on {row.decided_by} ({_help(row.decided_by)}){values}"


def _help(name: str) -> str:
    if name == DIRECT_ENCOUNTER:
        return "the share of the points in the games among those who are level"
    return TIE_BREAKS[name].help


def _number(value: Fraction) -> str:
    return f"{float(value):.4g}"

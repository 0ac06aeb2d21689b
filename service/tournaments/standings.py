"""The table of a tournament: ranks, scores, tie-breaks and which of them decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from service.tournaments.tally import OUTCOMES, Tally
from service.tournaments.tie_breaks import DIRECT_ENCOUNTER, TIE_BREAKS, direct_encounter

POINTS = "points"
SHARED = "shared"
ANNULLED = "annulled"

Group = list[int]
Values = dict[str, dict[int, Fraction]]


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's line.

    `games` = won + drawn + lost + won_by_forfeit + lost_by_forfeit. `score` is in points. `tie_breaks`
    are the values in the declared order; direct encounter has one only for those it was applied to.
    `decided_by` says what set the line apart from the one above (the first: from the one below):
    "points", a tie-break's name, "shared" where nothing did and the rank is the same, or "annulled".
    """

    rank: int
    entrant: int
    games: int
    score: Fraction
    won: int
    drawn: int
    lost: int
    won_by_forfeit: int
    lost_by_forfeit: int
    game_points: int
    tie_breaks: tuple[Fraction | None, ...]
    decided_by: str


@dataclass(frozen=True, slots=True)
class Standings:
    """The lines by rank; `partial` while games are missing."""

    rows: tuple[Row, ...]
    tie_breaks: tuple[str, ...]
    partial: bool


def standings(
    tally: Tally, tie_breaks: Sequence[str], games_due: int, annulled: Collection[int] = ()
) -> Standings:
    """The table once `tally.games` of `games_due` games have counted; `annulled` entrants come last."""
    names = tuple(tie_breaks)
    values: Values = {
        name: dict(enumerate(TIE_BREAKS[name].values(tally))) if name in TIE_BREAKS else {} for name in names
    }
    present = [entrant for entrant in range(tally.entrants) if entrant not in annulled]
    groups = list(_by_score(tally, present, names, values))
    if annulled:
        groups.append((sorted(annulled), ANNULLED))
    return Standings(tuple(_rows(tally, groups, names, values)), names, tally.games < games_due)


def _by_score(
    tally: Tally, present: Group, names: tuple[str, ...], values: Values
) -> Iterator[tuple[Group, str]]:
    """The entrants by shared rank, each group with what set it apart from the one above."""
    scores = {entrant: Fraction(int(tally.score[entrant]), tally.unit) for entrant in present}
    for tied in _classes(present, scores):
        for at, (group, reason) in enumerate(_split(tally, tied, names, values)):
            yield group, reason if at else POINTS


def _split(tally: Tally, tied: Group, names: tuple[str, ...], values: Values) -> Iterator[tuple[Group, str]]:
    """`tied` cut up by the first tie-break that cuts it, and the parts by those behind it.

    Direct encounter is applied anew to each part that it leaves (C.07).
    """
    if len(tied) == 1 or not names:
        yield tied, SHARED
        return
    name, rest = names[0], names[1:]
    found = values[name]
    if name == DIRECT_ENCOUNTER:
        shares = direct_encounter(tally, tied)
        found = dict(zip(tied, shares or [Fraction(0)] * len(tied), strict=True))
        if shares:
            values[name] = found | values[name]
    parts = _classes(tied, found)
    following = names if name == DIRECT_ENCOUNTER and len(parts) > 1 else rest
    for part in parts:
        for at, (group, reason) in enumerate(_split(tally, part, following, values)):
            yield group, reason if at else name


def _classes(group: Group, values: dict[int, Fraction]) -> list[Group]:
    """The group cut up by value, highest first; entrants in the order of entry."""
    by_value: dict[Fraction, Group] = defaultdict(list)
    for entrant in group:
        by_value[values[entrant]].append(entrant)
    return [by_value[value] for value in sorted(by_value, reverse=True)]


def _rows(
    tally: Tally, groups: list[tuple[Group, str]], names: tuple[str, ...], values: Values
) -> Iterator[Row]:
    rank = 1
    for number, (group, reason) in enumerate(groups):
        for at, entrant in enumerate(group):
            decided = reason if number else _first_reason(groups)
            if at and reason != ANNULLED:
                decided = SHARED
            yield _row(tally, rank, entrant, tuple(values[name].get(entrant) for name in names), decided)
        rank += len(group)


def _first_reason(groups: list[tuple[Group, str]]) -> str:
    """What set the first line apart from the second."""
    if len(groups[0][0]) > 1:
        return SHARED
    return groups[1][1] if len(groups) > 1 else POINTS


def _row(tally: Tally, rank: int, entrant: int, ties: tuple[Fraction | None, ...], decided_by: str) -> Row:
    outcomes = dict(zip(OUTCOMES, tally.outcomes[entrant].sum(axis=0).tolist(), strict=True))
    return Row(
        rank=rank,
        entrant=entrant,
        games=sum(outcomes.values()),
        score=Fraction(int(tally.score[entrant]), tally.unit),
        game_points=int(tally.points[entrant]),
        tie_breaks=ties,
        decided_by=decided_by,
        **outcomes,
    )

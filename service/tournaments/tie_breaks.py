"""Tie-breaks in FIDE's terms (Handbook C.07): an ordered list, declared before the start.

A higher value ranks higher. At tables of more than two sides "against" means the comparison of two
placings, as it does in the score. Direct encounter depends on who is still tied, all others on the tally
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from engines.errors import BadOption
from service.tournaments.tally import OUTCOMES, Counts, Tally

DIRECT_ENCOUNTER = "direct-encounter"
DEFAULT = (DIRECT_ENCOUNTER, "wins", "sonneborn-berger")


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A tie-break: its text for people, and every entrant's value."""

    help: str
    values: Callable[[Tally], list[Fraction]]


def direct_encounter(tally: Tally, group: Sequence[int]) -> list[Fraction] | None:
    """The share of the points in the games among the tied; None until all of them have met one another."""
    met = tally.met[np.ix_(group, group)]
    if np.count_nonzero(met) < len(group) * (len(group) - 1):
        return None
    halves = tally.halves[np.ix_(group, group)].sum(axis=1)
    return [Fraction(int(own), 2 * int(games)) for own, games in zip(halves, met.sum(axis=1), strict=True)]


def _wins(tally: Tally) -> list[Fraction]:
    return _fractions(_outcomes(tally, "won") + _outcomes(tally, "won_by_forfeit"))


def _won(tally: Tally) -> list[Fraction]:
    return _fractions(_outcomes(tally, "won"))


def _outcomes(tally: Tally, name: str) -> Counts:
    return np.asarray(tally.outcomes[:, :, OUTCOMES.index(name)].sum(axis=1))


def _second_seat_wins(tally: Tally) -> list[Fraction]:
    return _fractions(tally.outcomes[:, 1:, OUTCOMES.index("won")].sum(axis=1))


def _sonneborn_berger(tally: Tally) -> list[Fraction]:
    return _fractions(tally.halves @ tally.score, 2 * tally.unit)


def _buchholz(tally: Tally) -> list[Fraction]:
    return _fractions(tally.met @ tally.score, tally.unit)


def _buchholz_cut(tally: Tally) -> list[Fraction]:
    highest = tally.score.max(initial=0)
    lowest = np.where(tally.met > 0, tally.score, highest).min(axis=1, initial=highest)
    lowest[~tally.met.any(axis=1)] = 0
    return _fractions(tally.met @ tally.score - lowest, tally.unit)


def _koya(tally: Tally) -> list[Fraction]:
    strong = 2 * tally.score >= tally.unit * tally.played
    return _fractions(tally.halves @ strong, tally.unit)


def _game_points(tally: Tally) -> list[Fraction]:
    return _fractions(tally.points)


def _fractions(counts: Counts, unit: int = 1) -> list[Fraction]:
    return [Fraction(count, unit) for count in counts.tolist()]


TIE_BREAKS: Mapping[str, TieBreak] = {
    "wins": TieBreak("wins, those by forfeit included", _wins),
    "won": TieBreak("games won in play", _won),
    "second-seat-wins": TieBreak("games won in play from any seat but the first", _second_seat_wins),
    "sonneborn-berger": TieBreak("the scores of those beaten and half of those tied with", _sonneborn_berger),
    "buchholz": TieBreak("the sum of the opponents' scores", _buchholz),
    "buchholz-cut-1": TieBreak("the same without the lowest of them", _buchholz_cut),
    "koya": TieBreak("points against those with half of their possible points or more", _koya),
    "game-points": TieBreak("the points that the games themselves count", _game_points),
}
NAMES = (DIRECT_ENCOUNTER, *TIE_BREAKS)


def check_tie_breaks(names: Sequence[str]) -> tuple[str, ...]:
    """The list, if every name is known and none comes twice; raises BadOption."""
    for at, name in enumerate(names):
        if name not in NAMES:
            raise BadOption("tie_breaks", f"there is no {name!r}; there are: {', '.join(NAMES)}")
        if name in names[:at]:
            raise BadOption("tie_breaks", f"{name!r} stands in the list twice")
    return tuple(names)

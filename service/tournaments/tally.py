"""Results counted up: what every table of a tournament is made from.

**Scores** are whole numbers of 1/`unit` points. A side scores one unit fraction for every other side: 2
halves for one placed behind it, 1 for one that shares its place; a game has 2·(sides − 1) of them, so a
win is worth a point and a draw of two sides half of one, and at a table of four the winner has 1 point
and three who tie behind it ⅓ each.

**Forfeits.** A side that never came or had withdrawn scores nothing, and it is placed behind all who
came. Its opponent's win counts in points, but not as a game won (FIDE C.07: "win" and "won"), nor is its
own a game lost: both are forfeits. A game that was begun and lost by time, an illegal move or another
fault is a game played, as in chess; the reasons are counted for themselves.

A fixed team is one entrant at one of two seats, whatever its bots did.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from service.tournaments.pairing import Options, Partners
from service.tournaments.results import FAULTS, UNPLAYED, Results

Counts = NDArray[np.int64]
OUTCOMES = ("won", "drawn", "lost", "won_by_forfeit", "lost_by_forfeit")
_BEHIND = 1 << 16  # the place of a side that never came


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts by entrant (n) and by pair of entrants (n × n, row against column)."""

    unit: int
    games: int
    score: Counts  # n, in 1/unit points
    outcomes: Counts  # n × seats × OUTCOMES
    faults: Counts  # n × FAULTS
    points: Counts  # n: the game's own
    met: Counts  # n × n: games against each other
    halves: Counts  # n × n: 2 for each game the row placed ahead of the column, 1 for each tie
    ahead: Counts  # n × n: games the row placed ahead

    @property
    def entrants(self) -> int:
        return len(self.score)

    @property
    def played(self) -> Counts:
        """Every entrant's games with a result, forfeits included."""
        return np.asarray(self.outcomes.sum(axis=(1, 2)))


def tally(results: Results, entrants: int, options: Options) -> Tally:
    """`results` counted up for so many entrants."""
    if options.partners is Partners.FIXED:
        results = _by_team(results)
    seats = range(results.seats.shape[1])
    side = [seat % 2 if options.partners is Partners.ROTATING else seat for seat in seats]
    place = np.where(_absent(results.faults, side), _BEHIND, results.placing)
    rivals = [(one, other) for one, other in combinations(seats, 2) if side[one] != side[other]]
    met, ahead, halves = _by_pair(results.seats, place, rivals, entrants)
    return Tally(
        unit=2 * (len(set(side)) - 1),
        games=len(results.games),
        score=halves.sum(axis=1) * len(set(side)) // len(side),  # a rival side counts once, not by its seats
        outcomes=_outcomes(results.seats, place, side, entrants),
        faults=_faults(results, entrants),
        points=_points(results, entrants),
        met=met,
        halves=halves,
        ahead=ahead,
    )


def _by_team(results: Results) -> Results:
    """Tables of two fixed teams as tables of two seats."""
    first, second = slice(0, 2), slice(2, 4)
    faults = np.maximum(results.faults[:, first], results.faults[:, second])
    points = None if results.points is None else results.points[:, first]
    return Results(results.games, results.seats[:, first], results.placing[:, first], faults, points)


def _absent(faults: Counts, side: list[int]) -> NDArray[np.bool_]:
    """By seat, whether its side never came or had withdrawn; a team falls as one."""
    gone = np.isin(faults, [FAULTS.index(reason) + 1 for reason in UNPLAYED])
    partners = [[other for other, theirs in enumerate(side) if theirs == own] for own in side]
    return np.stack([gone[:, own].any(axis=1) for own in partners], axis=1)


def _by_pair(
    seats: Counts, place: Counts, rivals: list[tuple[int, int]], entrants: int
) -> tuple[Counts, Counts, Counts]:
    """Games, games ahead and halves of every entrant against every other."""
    met, ahead, level = (np.zeros((entrants, entrants), np.int64) for _ in range(3))
    for one, other in rivals:
        cell = seats[:, one] * entrants + seats[:, other]
        first, second = place[:, one], place[:, other]
        for table, chosen in (
            (met, cell),
            (ahead, cell[first < second]),
            (level, cell[(first == second) & (first < _BEHIND)]),
        ):
            table += _square(chosen, entrants)
        ahead += _square(cell[second < first], entrants).T
    met += met.T
    return met, ahead, 2 * ahead + level + level.T


def _square(cell: Counts, entrants: int) -> Counts:
    """How often each cell of an entrants × entrants table is named."""
    return np.bincount(cell, minlength=entrants * entrants).reshape(entrants, entrants)


def _outcomes(seats: Counts, place: Counts, side: list[int], entrants: int) -> Counts:
    """How often each entrant had each of OUTCOMES in each seat."""
    counts = np.zeros((entrants, len(side), len(OUTCOMES)), np.int64)
    for seat, own in enumerate(side):
        rival = place[:, [other for other, theirs in enumerate(side) if theirs != own]].min(axis=1)
        mine = place[:, seat]
        outcome = np.select(
            [mine == _BEHIND, rival == _BEHIND, mine < rival, mine == rival],
            [OUTCOMES.index(name) for name in ("lost_by_forfeit", "won_by_forfeit", "won", "drawn")],
            OUTCOMES.index("lost"),
        )
        cell = seats[:, seat] * len(OUTCOMES) + outcome
        counts[:, seat] = np.bincount(cell, minlength=entrants * len(OUTCOMES)).reshape(
            entrants, len(OUTCOMES)
        )
    return counts


def _faults(results: Results, entrants: int) -> Counts:
    """How often each entrant fell out for each of FAULTS."""
    counts = np.zeros((entrants, len(FAULTS) + 1), np.int64)
    fell = results.faults > 0
    np.add.at(counts, (results.seats[fell], results.faults[fell]), 1)
    return counts[:, 1:]


def _points(results: Results, entrants: int) -> Counts:
    points = np.zeros(entrants, np.int64)
    if results.points is not None:
        np.add.at(points, results.seats, results.points)
    return points

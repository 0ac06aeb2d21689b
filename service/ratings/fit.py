"""Ratings with 95 % intervals from all results at once, whatever their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import erf, log, sqrt

import numpy as np

from service.ratings.games import Floats, Games, Ints, games_of, lopsided, opponents, pools
from service.ratings.models import Davidson, Luce, Model
from service.ratings.newton import Maximum, maximum
from service.ratings.robust import sandwich

POINTS = 400 / log(10)  # Elo points of one natural unit of strength
MEAN = 1500.0  # of every pool
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure in Elo points, with the half-width of its 95 % interval."""

    points: float
    half_width: float

    @property
    def low(self) -> float:
        return self.points - self.half_width

    @property
    def high(self) -> float:
        return self.points + self.half_width


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Players who are connected by games; ratings of different pools cannot be compared.

    `players` are ascending. `strengths` are natural units with mean 0 and `covariance` theirs;
    `first_seat` is what sitting first is worth (two sides only). `draw` is Davidson's ν, None where no
    draws were fitted. `finite` is false where somebody won or lost everything, or the first seat cannot
    be told from a strength: a weak prior (normal, 400 points) then keeps the figures finite.
    """

    players: tuple[int, ...]
    strengths: Floats
    covariance: Floats
    first_seat: Estimate | None
    draw: float | None
    finite: bool
    games: Ints
    opponents: Ints

    def rating(self, player: int) -> Estimate:
        """The player's rating; the pool's mean is 1500.

        400 points are odds of 10 to 1 of wins to losses. Where many games are drawn that is wider than the
        scale of expected scores, on which online Elo moves.
        """
        at = self._at(player)
        return _estimate(MEAN / POINTS + self.strengths[at], self.covariance[at, at])

    def difference(self, player: int, other: int) -> Estimate:
        """How far the player is above the other."""
        one, two = self._at(player), self._at(other)
        variance = self.covariance[one, one] + self.covariance[two, two] - 2 * self.covariance[one, two]
        return _estimate(self.strengths[one] - self.strengths[two], variance)

    def superiority(self, player: int, other: int) -> float:
        """The likelihood that the player is stronger than the other, given all results."""
        gap = self.difference(player, other)
        return 0.5 if gap.half_width == 0 else normal(Z95 * gap.points / gap.half_width)

    def _at(self, player: int) -> int:
        at = int(np.searchsorted(self.players, player))
        if at == len(self.players) or self.players[at] != player:
            raise KeyError(f"player {player} is not in this pool: no games connect it to the others")
        return at


def _estimate(value: float, variance: float) -> Estimate:
    return Estimate(POINTS * float(value), POINTS * Z95 * sqrt(max(0.0, float(variance))))


def normal(z: float) -> float:
    """The standard normal distribution function."""
    return (1 + erf(z / sqrt(2))) / 2


def superiority(wins: int, losses: int) -> float:
    """The likelihood of superiority of one player over another by their own decided games (60–40: 0.977)."""
    return 0.5 if wins == losses else normal((wins - losses) / sqrt(wins + losses))


def fit(kinds: Sequence[Games], players: int, seat_term: bool = True) -> tuple[Pool, ...]:
    """The pools among so many players, the largest first; who has not played is in none.

    Two sides by Davidson's model (with a first-seat term unless `seat_term` is false), more by Luce's; games
    of several kinds are fitted together. The intervals come from the Fisher information, or are
    cluster-robust where every kind has `clusters`. Work and memory grow with the square of a pool's players:
    1 000 take seconds.
    """
    return tuple(_fit_pool(kinds, players, seat_term, members) for members in pools(kinds, players))


def _fit_pool(kinds: Sequence[Games], players: int, seat_term: bool, members: Ints) -> Pool:
    number = np.full(players, -1)
    number[members] = np.arange(len(members))
    own = [part for games in kinds if len((part := _within(games, number)).seats)]
    count, two_sided, draws = len(members), any(g.two_sided for g in own), any(map(_has_draws, own))
    found = maximum(_models(own, count, seat_term, True), count, not lopsided(own, count))
    covariance = found.inverse
    clusters = [games.clusters for games in own if games.clusters is not None]
    if len(clusters) == len(own):
        covariance = sandwich(_models(own, count, seat_term, False), found.values, found.inverse, clusters)
    return Pool(
        players=tuple(members.tolist()),
        strengths=found.values[:count],
        covariance=covariance[:count, :count],
        first_seat=_first_seat(found, covariance, count) if two_sided and seat_term else None,
        draw=float(np.exp(found.values[-1])) if draws else None,
        finite=found.finite,
        games=np.asarray(sum(games_of(games, count) for games in own), np.int64),
        opponents=opponents(own, count),
    )


def _within(games: Games, number: Ints) -> Games:
    """The games of a pool's players, by their numbers in the pool."""
    own = games.chosen(number[games.seats[:, 0]] >= 0)
    return replace(own, seats=number[own.seats])


def _models(kinds: Sequence[Games], players: int, seat_term: bool, combined: bool) -> list[Model]:
    """A model for each kind; all have the strengths, then the first-seat term and log ν if any needs them."""
    draws = any(map(_has_draws, kinds))
    two_sided = any(games.two_sided for games in kinds)
    size = players + ((seat_term + draws) if two_sided else 0)
    return [
        Davidson.of(games, players, draws, seat_term, combined)
        if games.two_sided
        else Luce.of(games, size, combined)
        for games in kinds
    ]


def _has_draws(games: Games) -> bool:
    """Whether two sides shared a place."""
    return games.two_sided and bool((games.placing[:, 0] == games.placing[:, 1]).any())


def _first_seat(found: Maximum, covariance: Floats, count: int) -> Estimate:
    return _estimate(found.values[count], covariance[count, count])

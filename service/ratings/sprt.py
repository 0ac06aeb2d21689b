"""The sequential test of one player against another, over pairs of games: the pentanomial GSPRT.

Both players play each opening or deck from both seats; a pair of games scores 0, ½, 1, 1½ or 2 for the
first player. The pair is the unit, since its two games depend on one another. H0 says the first player is
`elo0` points stronger, H1 `elo1`. The figure is the log-likelihood ratio of the two, with the
distribution of the pairs that is likeliest under each (as fishtest computes it). It is compared with
Wald's bounds: ±2.944 for α = β = 0.05. Elo points are logistic: a lead of d points means an expected
score of 1/(1 + 10^(−d/400)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import log, log10, sqrt

from service.ratings.fit import Z95, Estimate, normal

OUTCOMES = 5
_SCORES = tuple(step / (OUTCOMES - 1) for step in range(OUTCOMES))
_WIDEST = 1000  # points
_EMPTY = 1e-3  # a pair that never came counts as this many, so that either hypothesis stays possible


class Verdict(StrEnum):
    """What the test has come to."""

    RUNNING = "running"
    H0 = "H0"  # no stronger than elo0
    H1 = "H1"  # at least elo1 stronger


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test in progress: `pairs[i]` pairs of games scored i/2 for the first player. Raises ValueError."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    pairs: tuple[int, ...] = (0,) * OUTCOMES

    def __post_init__(self) -> None:
        if not -_WIDEST <= self.elo0 < self.elo1 <= _WIDEST:
            raise ValueError(
                f"elo0 must be below elo1, both within ±{_WIDEST}, not {self.elo0} and {self.elo1}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(
                f"alpha and beta must lie between 0 and 0.5, not at {self.alpha} and {self.beta}"
            )
        if len(self.pairs) != OUTCOMES or min(self.pairs) < 0:
            raise ValueError(f"pairs must be {OUTCOMES} counts, not {self.pairs}")

    def after(self, halves: int) -> Sprt:
        """The test with one more pair, of which the first player scored so many half-points (0 to 4)."""
        if not 0 <= halves < OUTCOMES:
            raise ValueError(f"a pair of games scores 0 to {OUTCOMES - 1} half-points, not {halves}")
        counts = list(self.pairs)
        counts[halves] += 1
        return replace(self, pairs=tuple(counts))

    @property
    def lower(self) -> float:
        """The bound at which H0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The bound at which H1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of H1 to H0."""
        if not any(self.pairs):
            return 0.0
        counts = [count or _EMPTY for count in self.pairs]
        under0, under1 = (_likeliest(counts, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return sum(n * log(one / zero) for n, one, zero in zip(counts, under1, under0, strict=True))

    @property
    def verdict(self) -> Verdict:
        """Which bound the figure has reached."""
        llr = self.llr
        if llr >= self.upper:
            return Verdict.H1
        return Verdict.H0 if llr <= self.lower else Verdict.RUNNING

    @property
    def elo(self) -> Estimate | None:
        """The lead measured so far, None until it is finite; at the end of a test a little too far from 0."""
        mean, error = self._mean_and_error()
        if not 0 < mean < 1:
            return None
        return Estimate(lead(mean), Z95 * error * 400 / log(10) / (mean * (1 - mean)))

    @property
    def superiority(self) -> float:
        """The likelihood that the first player is the stronger one, by the pairs so far."""
        mean, error = self._mean_and_error()
        if error == 0:
            return 0.5 if mean == 0.5 else float(mean > 0.5)
        return normal((mean - 0.5) / error)

    def _mean_and_error(self) -> tuple[float, float]:
        """The mean score of a game, with its standard error from the spread of the pairs."""
        total = sum(self.pairs)
        if not total:
            return 0.5, 0.0
        mean = sum(n * score for n, score in zip(self.pairs, _SCORES, strict=True)) / total
        spread = sum(n * (score - mean) ** 2 for n, score in zip(self.pairs, _SCORES, strict=True))
        return mean, sqrt(spread) / total


def expected_score(elo: float) -> float:
    """The expected score of a player that is so many Elo points stronger."""
    return float(1 / (1 + 10.0 ** (-elo / 400)))


def lead(score: float) -> float:
    """The Elo points that an expected score (above 0, below 1) stands for."""
    return 400 * log10(score / (1 - score))


def _likeliest(counts: Sequence[float], mean: float) -> list[float]:
    """The likeliest probabilities of the five scores among those whose mean is `mean` (between 0 and 1).

    They are pᵢ = p̂ᵢ / (1 + x·(aᵢ − mean)), with the one x that makes Σ pᵢ·(aᵢ − mean) vanish, found by
    bisection.
    """
    shares = [count / sum(counts) for count in counts]
    offsets = [score - mean for score in _SCORES]
    low, high = -1 / offsets[-1], -1 / offsets[0]  # beyond these a probability would be negative
    while True:
        x = (low + high) / 2
        if x in (low, high):
            return [share / (1 + x * offset) for share, offset in zip(shares, offsets, strict=True)]
        excess = sum(share * offset / (1 + x * offset) for share, offset in zip(shares, offsets, strict=True))
        low, high = (x, high) if excess > 0 else (low, x)

"""The two models, both logit models: their likelihoods are concave, and Newton's method is safe.

* **Davidson** (two sides). With d = the first side's strength − the second's + the first-seat term, the
  weights of win, draw and loss are exp(d/2), ν and exp(−d/2) (Davidson 1970; Bradley–Terry where ν = 0).
  A team's strength is the mean of its two seats'. Without a single draw ν is left out.
* **Luce** (more sides). The winner is chosen among those at the table with weights exp(strength) (Luce
  1959). The places behind the winner say nothing; a shared first place counts as the same fraction of a
  win for each.

A model is line-ups with counts of their outcomes. Its parameters are the players' strengths in natural
units, then the first-seat term and log ν where it has them. A line-up's outcome hangs on a few numbers,
its coordinates: d and log ν in Davidson's model, the strengths at the table in Luce's. They are sums of
the few parameters that `parameters` names for the line-up, times `slopes`. All arrays have the line-ups
last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from service.ratings.games import Floats, Games, Ints, line_ups

_EFFECTS = np.array([(0.5, 0.0, -0.5), (0.0, 1.0, 0.0)])  # of d and log ν on the logits of win, draw and loss


@dataclass(frozen=True, slots=True)
class Terms:
    """At one point: the log-likelihood, and by line-up its gradient (l × r) and information (l × l × r)."""

    likelihood: float
    score: Floats
    information: Floats


class Model(Protocol):
    """A likelihood over r line-ups with c parameters and l coordinates each."""

    @property
    def size(self) -> int:
        """How many parameters there are."""

    @property
    def parameters(self) -> Ints:
        """c × r: the parameters that each line-up depends on."""

    @property
    def slopes(self) -> Floats:
        """c × l: the derivatives of the coordinates by them."""

    def terms(self, values: Floats) -> Terms:
        """The likelihood at these parameters, with its derivatives by the coordinates."""


@dataclass(frozen=True, slots=True)
class Davidson:
    """Two sides: `counts` (3 × r) of the first side's wins, draws and losses."""

    size: int
    parameters: Ints
    slopes: Floats
    counts: Floats

    @classmethod
    def of(cls, games: Games, players: int, draws: bool, seat_term: bool, combined: bool = True) -> Davidson:
        """The model of two-sided games; `combined` adds equal line-ups up."""
        first, second = games.placing[:, 0], games.placing[:, 1]
        counts = np.stack([first < second, first == second, first > second]).astype(float)
        columns = games.seats.T
        if combined:
            columns, counts = line_ups(columns, counts)
        size = players + seat_term + draws
        extras = np.arange(players, size)[:, None] + np.zeros(columns.shape[1], np.int64)
        strengths = [0.5, -0.5] * 2 if games.teams else [1.0, -1.0]
        slopes = [(slope, 0.0) for slope in (*strengths, *[1.0] * seat_term)] + [(0.0, 1.0)] * draws
        return cls(size, np.concatenate([columns, extras]), np.array(slopes)[:, : 1 + draws], counts)

    def terms(self, values: Floats) -> Terms:
        effects = _EFFECTS[: self.slopes.shape[1]]
        logits = (self.slopes @ effects).T @ values[self.parameters]
        if len(effects) == 1:
            logits[1] = -np.inf
        chance = _log_chances(logits)
        p = np.exp(chance)
        games = self.counts.sum(axis=0)
        mean = effects @ p
        spread = (effects[:, None] * effects[None, :]) @ p - mean[:, None] * mean[None, :]
        score = effects @ self.counts - games * mean
        return Terms(_likelihood(self.counts, chance), score, games * spread)


@dataclass(frozen=True, slots=True)
class Luce:
    """One winner of each table: `counts` (k × r) of the wins by place in the line-up."""

    size: int
    parameters: Ints
    counts: Floats

    @property
    def slopes(self) -> Floats:
        return np.eye(len(self.parameters))

    @classmethod
    def of(cls, games: Games, size: int, combined: bool = True) -> Luce:
        """The model of games with every seat for itself; `size` parameters, the players' first."""
        best = (games.placing == games.placing.min(axis=1, keepdims=True)).T
        shares = best / best.sum(axis=0)
        if not combined:
            return cls(size, games.seats.T, shares)
        order = np.argsort(games.seats.T, axis=0)  # who sat where does not matter
        columns = np.take_along_axis(games.seats.T, order, axis=0)
        return cls(size, *line_ups(columns, np.take_along_axis(shares, order, axis=0)))

    def terms(self, values: Floats) -> Terms:
        chance = _log_chances(values[self.parameters])
        p = np.exp(chance)
        games = self.counts.sum(axis=0)
        spread = -p[:, None] * p[None, :]
        places = np.arange(len(p))
        spread[places, places] += p
        return Terms(_likelihood(self.counts, chance), self.counts - games * p, games * spread)


def _log_chances(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=0)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=0)))


def _likelihood(counts: Floats, chance: Floats) -> float:
    return float((counts * np.where(counts > 0, chance, 0)).sum())

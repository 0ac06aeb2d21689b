"""The two models, both logit models: their likelihoods are concave, and Newton's method is safe.

* **Davidson** (two sides). With d = the first side's strength − the second's + the first-seat term, the
  weights of win, draw and loss are exp(d/2), ν and exp(−d/2) (Davidson 1970; Bradley–Terry where ν = 0).
  A team's strength is the mean of its two seats'. Without a single draw ν is left out.
* **Luce** (more sides). The winner is chosen among those at the table with weights exp(strength) (Luce
  1959). The places behind the winner say nothing; a shared first place counts as the same fraction of a
  win for each.

A model is line-ups with counts of their outcomes. Its parameters are the players' strengths in natural
units, then the first-seat term and log ν where it has them. An outcome's probability depends on a few
parameters only: `parameters` names them by line-up, and scores and information come in those columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from service.ratings.games import Floats, Games, Ints, line_ups


@dataclass(frozen=True, slots=True)
class Terms:
    """By line-up (r) at one point: log-likelihood, its gradient (r × c), its information (r × c × c)."""

    likelihood: float
    score: Floats
    information: Floats


class Model(Protocol):
    """A likelihood over line-ups."""

    @property
    def parameters(self) -> Ints:
        """r × c: the parameters that each line-up depends on."""

    @property
    def size(self) -> int:
        """How many parameters there are."""

    def terms(self, values: Floats) -> Terms:
        """The likelihood at these parameters, with its derivatives."""


@dataclass(frozen=True, slots=True)
class Davidson:
    """Two sides: `counts` (r × 3) of the first side's wins, draws and losses."""

    players: int
    parameters: Ints
    counts: Floats
    weights: Floats  # of the strengths in d, by column
    seat_term: bool
    draws: bool

    @classmethod
    def of(cls, games: Games, players: int, draws: bool, seat_term: bool, combined: bool = True) -> Davidson:
        """The model of two-sided games; `combined` adds equal line-ups up."""
        first, second = games.placing[:, 0], games.placing[:, 1]
        counts = np.stack([first < second, first == second, first > second], axis=1).astype(float)
        columns = games.seats
        if combined:
            columns, counts = line_ups(columns, counts)
        extras = [players + number for number in range(seat_term + draws)]
        parameters = np.concatenate([columns, np.tile(np.array(extras, np.int64), (len(columns), 1))], axis=1)
        weights = np.array([0.5, -0.5, 0.5, -0.5] if games.teams else [1.0, -1.0])
        return cls(players, parameters, counts, weights, seat_term, draws)

    @property
    def size(self) -> int:
        return self.players + self.seat_term + self.draws

    def terms(self, values: Floats) -> Terms:
        strengths = len(self.weights)
        d = values[self.parameters[:, :strengths]] @ self.weights
        if self.seat_term:
            d = d + values[self.players]
        nu = values[-1] if self.draws else -np.inf
        logits = np.stack([d / 2, np.full_like(d, nu), -d / 2], axis=1)
        chance = _log_chances(logits)
        p = np.exp(chance)
        effect = self._effects()  # outcomes × columns: what the sufficient statistics are
        games = self.counts.sum(axis=1)
        mean = p @ effect
        score = self.counts @ effect - games[:, None] * mean
        spread = np.einsum("ro,oc,od->rcd", p, effect, effect) - mean[:, :, None] * mean[:, None, :]
        return Terms(_likelihood(self.counts, chance), score, games[:, None, None] * spread)

    def _effects(self) -> Floats:
        """The derivative of each outcome's logit by each column: win, draw, loss."""
        d = np.concatenate([self.weights, np.ones(int(self.seat_term))])
        rows = np.stack([d / 2, np.zeros_like(d), -d / 2])
        return np.concatenate([rows, np.array([[0.0], [1.0], [0.0]])], axis=1) if self.draws else rows


@dataclass(frozen=True, slots=True)
class Luce:
    """One winner of each table: `counts` (r × k) of the wins by column."""

    size: int
    parameters: Ints
    counts: Floats

    @classmethod
    def of(cls, games: Games, players: int, combined: bool = True) -> Luce:
        """The model of games with every seat for itself."""
        best = games.placing == games.placing.min(axis=1, keepdims=True)
        shares = best / best.sum(axis=1, keepdims=True)
        if not combined:
            return cls(players, games.seats, shares)
        order = np.argsort(games.seats, axis=1)  # who sat where does not matter
        columns = np.take_along_axis(games.seats, order, axis=1)
        return cls(players, *line_ups(columns, np.take_along_axis(shares, order, axis=1)))

    def terms(self, values: Floats) -> Terms:
        chance = _log_chances(values[self.parameters])
        p = np.exp(chance)
        games = self.counts.sum(axis=1, keepdims=True)
        spread = -p[:, :, None] * p[:, None, :]
        columns = np.arange(p.shape[1])
        spread[:, columns, columns] += p
        return Terms(_likelihood(self.counts, chance), self.counts - games * p, games[:, :, None] * spread)


def _log_chances(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def _likelihood(counts: Floats, chance: Floats) -> float:
    return float((counts * np.where(counts > 0, chance, 0)).sum())

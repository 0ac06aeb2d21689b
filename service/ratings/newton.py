"""The maximum of a likelihood, and the covariance of what it estimates.

The likelihood is that of one model, or the product of several over the same parameters: games of two sides
and of more in one pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from service.ratings.games import Floats, summed
from service.ratings.models import Model, Terms

Models = Sequence[Model]  # all of one size

PRIOR_SD = float(np.log(10))  # 400 Elo points
_STEPS = 60
_STEP_ENDS = 1e-9
_BOUND = 20.0  # a parameter beyond this runs away to infinity
_SINGULAR = 1e-6  # of the smallest to the largest pivot


@dataclass(frozen=True, slots=True)
class Maximum:
    """The parameters and the inverse of their information, both with the strengths centred at 0.

    `finite` is false where the likelihood has no finite or no single maximum (somebody won or lost
    everything, or the first-seat term cannot be told from a strength): then a normal prior of standard
    deviation 400 points stands behind every parameter.
    """

    values: Floats
    inverse: Floats
    finite: bool


def maximum(models: Models, players: int, try_finite: bool = True) -> Maximum:
    """The likeliest parameters for a connected pool; without `try_finite` with the prior from the start."""
    found = _climb(models, players, precision=0.0) if try_finite else None
    if found is not None:
        return Maximum(*found, finite=True)
    found = _climb(models, players, precision=PRIOR_SD**-2)
    if found is None:
        raise ArithmeticError("the fit did not settle, which a concave likelihood with a prior cannot do")
    return Maximum(*found, finite=False)


def _climb(models: Models, players: int, precision: float) -> tuple[Floats, Floats] | None:
    """Newton's steps, halved while they lose; None where they run away or the end is no single point."""
    values = np.zeros(models[0].size)
    terms = _terms(models, values)
    for _ in range(_STEPS):
        known = _information(models, terms, players, precision)
        if not _positive(known):
            return None
        slopes = (gradient(model, found) for model, found in zip(models, terms, strict=True))
        step = np.asarray(np.linalg.solve(known, sum(slopes) - precision * values), np.float64)
        values, terms = _advance(models, values, step, terms, precision)
        if np.abs(values).max() > _BOUND:
            return None
        if np.abs(step).max() < _STEP_ENDS:
            centre = _centring(len(values), players)
            return centre @ values, centre @ np.linalg.inv(known) @ centre.T
    return None


def _terms(models: Models, values: Floats) -> list[Terms]:
    return [model.terms(values) for model in models]


def _advance(
    models: Models, values: Floats, step: Floats, terms: list[Terms], precision: float
) -> tuple[Floats, list[Terms]]:
    """The next point: the whole step, or half of it as often as the likelihood would fall."""

    def height(at: Floats, found: list[Terms]) -> float:
        return sum(one.likelihood for one in found) - precision * float(at @ at) / 2

    lowest = height(values, terms) - 1e-9 * (1 + sum(abs(one.likelihood) for one in terms))
    while height(values + step, after := _terms(models, values + step)) < lowest:
        step = step / 2
    return values + step, after


def gradient(model: Model, terms: Terms) -> Floats:
    """The likelihood's slope by parameter."""
    return summed(model.parameters, model.slopes @ terms.score, model.size)


def information(model: Model, terms: Terms) -> Floats:
    """The information of all parameters, from that of the line-ups' coordinates."""
    size, at, slopes = model.size, model.parameters, model.slopes
    total = np.zeros(size * size)
    for one, row in enumerate(slopes):
        held = np.tensordot(row, terms.information, axes=1)  # l × r
        for other in range(one + 1):
            half = slopes[other] / (2 if one == other else 1)
            total += summed(at[one] * size + at[other], half @ held, size * size)
    square = total.reshape(size, size)
    return square + square.T


def _information(models: Models, terms: list[Terms], players: int, precision: float) -> Floats:
    """The information and the prior's; the strengths' common level, which no game tells, is pinned."""
    known = np.zeros((models[0].size, models[0].size))
    for model, found in zip(models, terms, strict=True):
        known += information(model, found)
    known[:players, :players] += max(1.0, float(known.diagonal().mean())) / players
    known[np.diag_indices(len(known))] += precision
    return known


def _positive(information: Floats) -> bool:
    """Whether the matrix is safely positive definite."""
    try:
        pivots = np.linalg.cholesky(information).diagonal()
    except np.linalg.LinAlgError:
        return False
    return bool(pivots.min() > _SINGULAR * pivots.max())


def _centring(size: int, players: int) -> Floats:
    """The matrix that takes the strengths' mean off them."""
    centre = np.eye(size)
    centre[:players, :players] -= 1 / players
    return centre

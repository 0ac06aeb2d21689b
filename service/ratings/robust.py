"""Cluster-robust covariance: games that share a deck or an opening count as one observation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.ratings.games import Floats, Ints, summed
from service.ratings.models import Model


def sandwich(models: Sequence[Model], values: Floats, inverse: Floats, clusters: Sequence[Ints]) -> Floats:
    """The covariance of the estimates by the scores' spread over clusters (Liang and Zeger 1986).

    Each model has a line-up for every game, `clusters` their numbers; no cluster has games of two models.
    With G clusters, G/(G − 1) · inverse · Σ s sᵀ · inverse, where s is a cluster's total score.
    """
    meat, count = np.zeros_like(inverse), 0
    for model, own in zip(models, clusters, strict=True):
        number, cluster = np.unique(own, return_inverse=True)
        meat += _outer_sum(model, model.slopes @ model.terms(values).score, cluster)
        count += len(number)
    return np.asarray(count / max(1, count - 1) * inverse @ meat @ inverse)


def _outer_sum(model: Model, score: Floats, cluster: Ints) -> Floats:
    """Σ s sᵀ over clusters, made from those parameters only that a cluster has."""
    size = model.size
    cell = (cluster * size + model.parameters).ravel()
    cells, group = np.unique(cell, return_inverse=True)
    totals = summed(group, score, len(cells))
    owner, parameter = np.divmod(cells, size)
    widths = np.bincount(owner)
    starts = np.cumsum(widths) - widths
    meat = np.zeros(size * size)
    for width in np.unique(widths):
        at = starts[widths == width][:, None] + np.arange(width)  # clusters × width
        pairs = parameter[at][:, :, None] * size + parameter[at][:, None, :]
        products = totals[at][:, :, None] * totals[at][:, None, :]
        meat += summed(pairs, products, size * size)
    return meat.reshape(size, size)

"""Fits a ladder by maximum likelihood, beside its online Elo: a job of its own, never in a request."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from service.models import LADDERS
from service.ratings.fit import POINTS, Z95, Estimate, Pool, fit, normal
from service.ratings.ladder import Gathering, Ladder
from service.store import Store
from service.store.fits import FitLine, FitReport

MOST_LINES = 2_000  # memory and work grow with the square
MOST_POOLS = 50  # that a report lists
NOT_BEFORE_MS = 30_000  # since the last fit
SHARE = 20  # a fit is made at most one such part of the time


def due(store: Store, now_ms: int) -> Iterator[str]:
    """The ladders whose ledger has grown since their last fit, unless that was only just."""
    for ladder in LADDERS:
        report = store.fits.report(ladder)
        covered, again_at = 0, 0
        if report is not None:
            covered, again_at = report.ledger, report.at + max(NOT_BEFORE_MS, SHARE * report.took_ms)
        if now_ms >= again_at and store.ledger.length(ladder) > covered:
            yield ladder


def fit_ladder(store: Store, ladder: str, now_ms: int) -> FitReport:
    """Fit all rated games of a ladder and keep the result; seconds for half a million games."""
    began, gathering = time.monotonic(), Gathering()
    for entry in store.ledger.all(ladder):
        gathering.add(entry)
    chosen = gathering.ladder(MOST_LINES)
    pools = fit(chosen.kinds, len(chosen.lines))
    took_ms = round(1000 * (time.monotonic() - began))
    report = _report(gathering.last, now_ms, took_ms, chosen, pools)
    store.fits.keep(ladder, report, dict(_lines(chosen, pools)), b"".join(map(_triangle, pools)))
    return report


def _report(ledger: int, at: int, took_ms: int, chosen: Ladder, pools: Sequence[Pool]) -> FitReport:
    seat = pools[0].first_seat if pools else None
    return FitReport(
        ledger=ledger,
        at=at,
        took_ms=took_ms,
        games=sum(len(games.seats) for games in chosen.kinds),
        lines=len(chosen.lines),
        left_out=chosen.left_out,
        first_seat=(round(seat.points, 1), round(seat.half_width, 1)) if seat else None,
        draw=pools[0].draw if pools else None,
        pools=tuple((len(pool.players), pool.finite) for pool in pools[:MOST_POOLS]),
    )


def _lines(chosen: Ladder, pools: Sequence[Pool]) -> Iterator[tuple[tuple[str, str], FitLine]]:
    start = 0
    for number, pool in enumerate(pools):
        for at, player in enumerate(pool.players):
            estimate = pool.rating(player)
            yield (
                chosen.lines[player],
                FitLine(
                    rating=estimate.points,
                    half_width=estimate.half_width,
                    games=int(pool.games[at]),
                    opponents=int(pool.opponents[at]),
                    pool=number,
                    finite=pool.finite,
                    at=at,
                    start=start,
                ),
            )
        start += len(pool.players) * (len(pool.players) + 1) // 2


def _triangle(pool: Pool) -> bytes:
    """The lower triangle of a pool's covariances, in points²."""
    size = len(pool.players)
    return (POINTS**2 * pool.covariance[np.tril_indices(size)]).astype(np.float32).tobytes()


def compare(store: Store, ladder: str, one: FitLine, other: FitLine) -> tuple[Estimate, float]:
    """How far one line is above another of its pool, and the likelihood that it is the stronger one."""
    own, theirs, both = store.fits.covariances(ladder, one, other)
    gap = Estimate(one.rating - other.rating, Z95 * sqrt(max(0.0, own + theirs - 2 * both)))
    likelihood = 0.5 if gap.half_width == 0 else normal(Z95 * gap.points / gap.half_width)
    return gap, likelihood

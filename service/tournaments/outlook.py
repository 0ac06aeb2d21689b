"""How long a tournament will still take, by what its games took so far and what its bots can play at once.

The rest takes at least as long as the entrant with most to do needs for its own games, one after the other in
the places its bots have; and as long as all places together (the bots' and the workers') need for all games.
The estimate is the longer of the two. A game under way counts half. Before the first result nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from service.tournaments.plan import Mask, Plan
from service.tournaments.steps import Situation


def estimate_ms(
    plan: Plan, unmade: Mask, now: Situation, lengths: Mapping[int, tuple[int, int]], workers: int
) -> int | None:
    """Milliseconds until all `unmade` and open games are over; None before any game was measured.

    `lengths`: by entrant, how many games it has played and the milliseconds they took together. `workers`:
    games that all workers play at once.
    """
    measured = _mean_lengths(plan.entrants, lengths)
    if measured is None:
        return None
    means, overall = measured
    places = np.maximum(np.array(now.places), 1)  # who cannot play now is taken to come back
    left = _left(plan, unmade, now)
    longest = float((left * means / places).max(initial=0))
    games = float(unmade.sum()) + len(now.open) / 2
    at_once = max(1, min(workers, int(places.sum()) // plan.players))
    return int(max(longest, games * overall / at_once))


def _mean_lengths(
    entrants: int, lengths: Mapping[int, tuple[int, int]]
) -> tuple[Sequence[float], float] | None:
    """Every entrant's mean game, and that of all; who has not played yet is taken to be like the others."""
    games = sum(count for count, _ in lengths.values())
    if not games:
        return None
    overall = sum(ms for _, ms in lengths.values()) / games
    means = [lengths[n][1] / lengths[n][0] if n in lengths else overall for n in range(entrants)]
    return means, overall


def _left(plan: Plan, unmade: Mask, now: Situation) -> NDArray[np.float64]:
    """Games that every entrant still has to play."""
    weight = unmade.astype(np.float64)
    weight[list(now.open)] = 0.5
    return np.array([weight[plan.games_of(entrant)].sum() for entrant in range(plan.entrants)])

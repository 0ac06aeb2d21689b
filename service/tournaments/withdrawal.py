"""What becomes of the games of an entrant that withdraws.

* **Before half of its games** have results: they are annulled. All its games are struck, for everybody.
* **Later**: its results stand, and the rest of its games are forfeited. Its opponents win by forfeit; at
  a table of more than two sides the others share the first place. With rotating partners the rest is
  struck instead, since a partner would be punished with it.

Both follow from the schedule and from which games have results, so a restart finds the same. Games that
were under way count once their results are in. Two who withdrew late and did not meet both lose that game
by forfeit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from service.tournaments.pairing import Options, Partners
from service.tournaments.plan import Games, Mask, Plan
from service.tournaments.results import FAULTS, WITHDRAWN, Results


@dataclass(frozen=True, slots=True, eq=False)
class Settlement:
    """`annulled` entrants, games `struck` (no result of theirs counts), and games `forfeited`; ascending."""

    annulled: frozenset[int]
    struck: Games
    forfeited: Games

    @property
    def settled(self) -> Games:
        """The games that need no more play."""
        return np.concatenate([self.struck, self.forfeited])


NOBODY_LEFT = Settlement(frozenset(), np.empty(0, np.int64), np.empty(0, np.int64))


def settle(plan: Plan, options: Options, done: Mask, withdrawn: Collection[int]) -> Settlement:
    """What the withdrawals come to, given which games have results from play (`done`)."""
    games = {entrant: plan.games_of(entrant) for entrant in withdrawn}
    annulled = frozenset(entrant for entrant, own in games.items() if 2 * done[own].sum() < len(own))
    struck, touched = np.zeros(plan.count, bool), np.zeros(plan.count, bool)
    for entrant, own in games.items():
        touched[own] = True
        struck[own] |= entrant in annulled
    rest = touched & ~done & ~struck
    if options.partners is Partners.ROTATING:
        struck, rest = struck | rest, np.zeros(plan.count, bool)
    return Settlement(annulled, np.flatnonzero(struck), np.flatnonzero(rest))


def counted(
    plan: Plan, options: Options, results: Results, withdrawn: Collection[int]
) -> tuple[Results, Settlement]:
    """The results that count: those from play that are not struck, and the forfeits."""
    if not withdrawn:
        return results, NOBODY_LEFT
    settlement = settle(plan, options, results.done(plan.count), withdrawn)
    forfeits = _forfeits(plan, settlement.forfeited, withdrawn, results.points is not None)
    return results.without(settlement.struck).joined(forfeits), settlement


def _forfeits(plan: Plan, games: Games, withdrawn: Collection[int], points: bool) -> Results:
    seats = plan.lineups[games]
    gone = np.isin(seats, list(withdrawn))
    came = seats.shape[1] - gone.sum(axis=1, keepdims=True)
    return Results(
        games=games,
        seats=seats,
        placing=np.where(gone, 1 + came, 1),
        faults=np.where(gone, FAULTS.index(WITHDRAWN) + 1, 0),
        points=np.zeros_like(seats) if points else None,
    )

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

from collections.abc import Collection, Set
from dataclasses import dataclass

from service.tournaments.pairing import Options, Partners, Result, Schedule
from service.tournaments.results import WITHDRAWN, Results


@dataclass(frozen=True, slots=True)
class Settlement:
    """Entrants whose results are `annulled`, games `struck` (none of their results counts), and forfeits."""

    annulled: frozenset[int]
    struck: frozenset[int]
    forfeited: tuple[Result, ...]

    @property
    def settled(self) -> frozenset[int]:
        """The games that need no more play."""
        return self.struck.union(result.game for result in self.forfeited)


def settle(schedule: Schedule, options: Options, done: Set[int], withdrawn: Collection[int]) -> Settlement:
    """What the withdrawals come to, given the games with results from play (`done`)."""
    games = {entrant: set(schedule.games_of(entrant)) for entrant in withdrawn}
    annulled = {entrant for entrant, own in games.items() if 2 * len(own & done) < len(own)}
    struck = set[int]().union(*(games[entrant] for entrant in annulled))
    rest = set[int]().union(*games.values()) - done - struck
    if options.partners is Partners.ROTATING:
        struck, rest = struck | rest, set()
    forfeited = tuple(_forfeit(schedule, game, withdrawn) for game in sorted(rest))
    return Settlement(frozenset(annulled), frozenset(struck), forfeited)


def counted(
    schedule: Schedule, options: Options, results: Results, withdrawn: Collection[int]
) -> tuple[Results, Settlement]:
    """The results that count: those from play that are not struck, and the forfeits."""
    if not withdrawn:
        return results, Settlement(frozenset(), frozenset(), ())
    settlement = settle(schedule, options, set(results.games.tolist()), withdrawn)
    forfeits = Results.of(settlement.forfeited, options.seats, results.points is not None)
    return results.without(settlement.struck).joined(forfeits), settlement


def _forfeit(schedule: Schedule, game: int, withdrawn: Collection[int]) -> Result:
    seats = schedule.game(game).seats
    absent = [entrant in withdrawn for entrant in seats]
    placing = tuple(1 + (len(seats) - sum(absent)) * out for out in absent)
    return Result(game, seats, placing, tuple(WITHDRAWN if out else None for out in absent))

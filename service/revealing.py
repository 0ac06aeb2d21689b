"""When a deck may be known: not before every game that is played with it is over.

Where deals are duplicated, several games have one secret. What tells it (the secret, the seed, the record)
is withheld until the whole set is over. So that the deck is the same in all of them, the bots' nonces do not
enter the seed; what keeps the deal fair is that it is played from every seat.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from service.competition import options_of, plan_of
from service.coordinate import situation_of
from service.models import Match, MatchState, Tournament
from service.store import Store
from service.store.pairings import Books
from service.store.tournaments import OVER
from service.tournaments.steps import to_make

OPEN = (MatchState.QUEUED, MatchState.RUNNING, MatchState.HELD)


def withheld(store: Store, match: Match) -> bool:
    """Whether another game with the match's deck is still to be played or being played."""
    if not match.shared_deal:
        return False
    if match.tournament is not None:
        return Decks(store, store.tournaments.get(match.tournament)).withhold(match)
    others = store.matches.get_many([game for game in match.set_games if game != match.id])
    return any(other is not None and other.state in OPEN for other in others)


class Decks:
    """What may be known of a tournament's decks; how its games stand is looked up once."""

    def __init__(self, store: Store, tournament: Tournament) -> None:
        self._store, self._tournament = store, tournament

    @cached_property
    def _books(self) -> Books | None:
        return self._store.pairings.books(self._tournament.id)

    @cached_property
    def _unmade(self) -> NDArray[np.bool_]:
        """Games that are still to be made."""
        plan, options = plan_of(self._tournament), options_of(self._tournament.settings)
        if self._books is None or self._tournament.state in OVER:
            return np.zeros(plan.count, bool)
        unmade, _ = to_make(plan, options, situation_of(self._store, self._tournament, self._books))
        return unmade

    def withhold(self, match: Match) -> bool:
        """`withheld` of one of its games."""
        if not match.shared_deal or match.pairing is None or self._books is None:
            return False
        own = set(plan_of(self._tournament).schedule.same_deal(match.pairing))
        playing = self._store.matches.get_many([self._books.open[g] for g in own & self._books.open.keys()])
        if any(other is not None and other.secret == match.secret for other in playing):
            return True
        return any(self._unmade[game] and game not in self._books.replays for game in own)

"""All records of a tournament, one after the other, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from service.models import Match, MatchState, Tournament
from service.records import record_of
from service.revealing import Decks
from service.store import Store
from service.store.documents import chunks

AT_ONCE = 50


def records_of(
    store: Store, tournament: Tournament, owner: str, may_see: Callable[[Match], bool]
) -> Iterator[dict[str, Any]]:
    """The records of the games that count, in the order of the schedule; `owner`'s receipts are in them.

    Left out: games that are not over, matches that `may_see` denies, records that are withheld because their
    deck is still played with, and those that were deleted by their age.
    """
    decks = Decks(store, tournament)
    for pairings in chunks(range(tournament.games_total or 0), AT_ONCE):
        made = store.tournaments.games(tournament.id, pairings)
        for match in store.matches.get_many(list(made.values())):
            if match is None or match.state is not MatchState.FINISHED or not may_see(match):
                continue
            if not decks.withhold(match) and (events := store.matches.record(match.id)):
                yield record_of(match, events, owner)

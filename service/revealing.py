"""When a deck may be known: not before every game that is played with it is over.

Where deals are duplicated, several games have one secret. What tells it (the secret, the seed, the record)
is withheld until the whole set is over. So that the deck is the same in all of them, the bots' nonces do not
enter the seed; what keeps the deal fair is that it is played from every seat.
"""

from __future__ import annotations

from service.competition import options_of, plan_of
from service.coordinate import situation_of
from service.models import Match, MatchState, Tournament, TournamentState
from service.store import Store
from service.tournaments.steps import to_make

OPEN = (MatchState.QUEUED, MatchState.RUNNING, MatchState.HELD)


def withheld(store: Store, match: Match) -> bool:
    """Whether another game with the match's deck is still to be played or being played."""
    if not match.shared_deal:
        return False
    if match.tournament is not None:
        return _in_tournament(store, match, store.tournaments.get(match.tournament))
    others = store.matches.get_many([game for game in match.set_games if game != match.id])
    return any(other is not None and other.state in OPEN for other in others)


def _in_tournament(store: Store, match: Match, tournament: Tournament) -> bool:
    books = store.pairings.books(tournament.id)
    if books is None or match.pairing is None:
        return False
    plan = plan_of(tournament)
    own = set(plan.schedule.same_deal(match.pairing))
    playing = store.matches.get_many([books.open[game] for game in own & books.open.keys()])
    if any(other is not None and other.secret == match.secret for other in playing):
        return True
    if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
        return False
    situation = situation_of(store, tournament, books)
    unmade, _ = to_make(plan, options_of(tournament.settings), situation)
    return any(unmade[game] and game not in books.replays for game in own)

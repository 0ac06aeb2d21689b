"""How far a tournament is, and how long it will still take."""

from __future__ import annotations

from dataclasses import dataclass, fields

from service.competition import options_of, plan_of
from service.coordinate import situation_of
from service.models import Tournament, TournamentState
from service.store import Store
from service.tournaments.outlook import estimate_ms
from service.tournaments.steps import to_make

BEGUN = (TournamentState.RUNNING, TournamentState.PAUSED)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Games of the whole schedule; those with a result; being played now; the estimate of the rest in ms.

    `games_settled`: games that need no play since an entrant has withdrawn.
    """

    games_total: int
    games_done: int
    games_settled: int
    running: int
    estimate_ms: int | None


@dataclass(frozen=True, slots=True)
class Followed(Tournament):
    """A tournament with how far it is; None before it begins."""

    progress: Outlook | None = None


def followed(store: Store, tournament: Tournament) -> Followed:
    members = {f.name: getattr(tournament, f.name) for f in fields(Tournament)}
    return Followed(**members, progress=outlook(store, tournament))


def outlook(store: Store, tournament: Tournament) -> Outlook | None:
    """None before a tournament begins."""
    books = store.pairings.books(tournament.id)
    if tournament.started_at is None or books is None:
        return None
    plan, now = plan_of(tournament), situation_of(store, tournament, books)
    unmade, settlement = to_make(plan, options_of(tournament.settings), now)
    estimate = None
    if tournament.state in BEGUN:
        workers = sum(worker.places for worker in store.workers.alive())
        estimate = estimate_ms(plan, unmade, now, store.pairings.lengths(tournament.id), workers)
    settled = len(settlement.settled) - int(now.done[settlement.settled].sum())
    running = len(now.open) - len(now.waiting)
    return Outlook(plan.count, books.done, settled, running, estimate)

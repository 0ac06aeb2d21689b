"""Tells workers of the matches that may start now, and of the tournaments that may have a game to make."""

from __future__ import annotations

from service.jobs import Jobs
from service.store import Store

AT_ONCE = 100


def dispatch(store: Store, jobs: Jobs, keep: int = 0) -> list[str]:
    """Hint at every match that can start now, but for the first `keep`: those are the caller's to play."""
    ready = store.schedule.ready(AT_ONCE)
    for match_id in ready[keep:]:
        jobs.play(match_id)
    for tournament_id in store.contests.take(AT_ONCE):
        jobs.coordinate(tournament_id)
    return ready[:keep]

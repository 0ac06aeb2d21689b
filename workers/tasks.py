"""The Celery tasks: each takes an id, looks at the store, and does what is to be done there, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog
from celery import Task, shared_task

from engines.registry import game_named
from service import jobs
from service.coordinate import advance
from service.dispatch import dispatch
from service.errors import NotFound
from service.models import Match
from service.store.owners import now_ms
from workers import delivering, fitting, runner, verifying
from workers.examining import make_examination
from workers.noting import note_match

if TYPE_CHECKING:
    from workers.serving import Hall

_log = structlog.get_logger(__name__)


def _hall(task: Task) -> Hall:
    hall: Hall = task.app.hall
    return hall


@shared_task(bind=True, name=jobs.PLAY)
def play(self: Any, match_id: str) -> None:
    """Play a match, if it is there and nobody else plays it; then others that may start."""
    hall = _hall(self)
    following: str | None = match_id
    while following is not None and not hall.closing:
        following = _play(hall, following)
    if following is not None and following != match_id:
        hall.jobs.play(following)  # somebody else will


def _play(hall: Hall, match_id: str) -> str | None:
    """Play one match; returns another that can start now, if this one was finished here."""
    try:
        claim = hall.store.matches.claim(match_id, hall.name, hall.settings.lease_ms)
    except NotFound:
        _log.warning("a hint for a match that is not there", match=match_id)
        return None
    if claim is None:
        return None
    if not _outdated(hall, claim.match):
        events = runner.play(hall.room, claim)
        if events is None:
            return None
        hall.count(events)
        note_match(hall.store, claim.match, events)
    hall.tell_of_letters()
    return next(iter(dispatch(hall.store, hall.jobs, keep=1)), None)


def _outdated(hall: Hall, match: Match) -> bool:
    """Void a match that was made under other rules than this program has; a tournament plays it anew."""
    version = game_named(match.game).version
    if match.engine_version == version:
        return False
    reason = (
        f"made under version {match.engine_version} of {match.game}'s rules; the service now has {version}"
    )
    hall.store.matches.void(match.id, reason, "upgrade")
    _log.warning("match voided", match=match.id, reason=reason)
    return True


@shared_task(bind=True, name=jobs.COORDINATE)
def coordinate(self: Any, tournament_id: str) -> None:
    """Make a tournament's next pairings, or end it."""
    hall = _hall(self)
    advance(hall.store, tournament_id, now_ms(), hall.settings.rated_per_pair_day)
    dispatch(hall.store, hall.jobs)


@shared_task(bind=True, name=jobs.FIT)
def fit(self: Any, ladder: str) -> None:
    """Fit a ladder's ratings by maximum likelihood."""
    fitting.fit(_hall(self).store, ladder)


@shared_task(bind=True, name=jobs.VERIFY)
def verify(self: Any, bot_id: str) -> None:
    """Ask a bot to prove that it knows its secret."""
    hall = _hall(self)
    verifying.verify(hall.store, hall.network, bot_id)


@shared_task(bind=True, name=jobs.CHECK)
def check(self: Any, bot_id: str) -> None:
    """See whether a bot is well, because the service wants to know."""
    hall = _hall(self)
    verifying.check(hall.store, hall.network, bot_id)


@shared_task(bind=True, name=jobs.EXAMINE)
def examine(self: Any, check_id: str) -> None:
    """Let the doctor look at a bot: few at a time, as it takes long; the sweep tells of the others again."""
    hall = _hall(self)
    if hall.examining.acquire(blocking=False):
        try:
            make_examination(hall.store, hall.network, check_id, hall.stopping.is_set)
        finally:
            hall.examining.release()


@shared_task(bind=True, name=jobs.DELIVER)
def deliver(self: Any) -> None:
    """Tell bots and webhooks what has ended: one thread of a process looks after that."""
    hall = _hall(self)
    if hall.delivering.acquire(blocking=False):
        try:
            delivering.deliver(hall.store, hall.network, hall.settings, hall.stopping.is_set)
        finally:
            hall.delivering.release()

"""`arbiter sweep`: finds what was lost. Several may run, and none is needed for a result to be right."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import structlog

from service import fitting
from service.config import Settings
from service.dispatch import dispatch
from service.due import Desk, do_due
from service.errors import Unavailable
from service.jobs import Jobs
from service.log import configure
from service.models import Tournament, TournamentState
from service.store import Store
from service.store.owners import now_ms
from service.store.retention import Kept
from service.store.tournaments import TournamentFilter

_log = structlog.get_logger(__name__)
EVERY_S = 1.0
MEND_EVERY = 30  # rounds


def run_sweep(settings: Settings, once: bool) -> None:
    """Sweep every second until SIGTERM or Ctrl-C."""
    configure(settings.log_level, settings.log_format)
    store, jobs = Store.connect(settings.redis_url, connections=4), Jobs.at(settings.celery_url)
    kept = Kept(settings.records_days, settings.matches_days)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    rounds = 0
    while not stopping.is_set():
        try:
            sweep(Desk(store, jobs, settings, now_ms()), mend=rounds % MEND_EVERY == 0)
            if rounds % MEND_EVERY == 0:
                store.retention.apply(kept)
        except Unavailable as error:
            _log.warning("nothing swept", reason=error.detail)
        rounds += 1
        if once:
            return
        stopping.wait(EVERY_S)


def sweep(desk: Desk, mend: bool) -> None:
    """One look at everything that may have been lost, and at what is due."""
    store, jobs = desk.store, desk.jobs
    if mend and (mended := store.sweep.mend()):
        _log.info("mended", **mended)
    if mend:
        end_visits(store)
        for tournament in _running(store):
            jobs.coordinate(tournament.id)
        for ladder in fitting.due(store, desk.now_ms):
            jobs.fit(ladder)
    do_due(desk)
    dispatch(store, jobs)
    for match_id in store.sweep.hints():
        jobs.play(match_id)
    for bot_id in store.verifications.overdue():
        jobs.verify(bot_id)
    for check_id in store.examinations.overdue():
        jobs.examine(check_id)
    if store.outbox.due():
        jobs.deliver()


def end_visits(store: Store) -> None:
    """Places that examinations have taken and, for want of their worker, not given back."""
    visits = store.schedule.visits()
    for check_id, still in zip(visits, store.examinations.open(visits), strict=True):
        if not still:
            store.schedule.leave(check_id)


def _running(store: Store) -> Iterator[Tournament]:
    cursor = None
    while True:
        page = store.tournaments.list(TournamentFilter(state=TournamentState.RUNNING), cursor, 200)
        yield from page.items
        if page.next is None:
            return
        cursor = page.next

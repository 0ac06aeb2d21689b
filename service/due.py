"""Delayed work: what is done when it is due. What was missed is made up for as soon as somebody looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from service import checking
from service.config import Settings
from service.errors import Conflict, NotFound, Refused
from service.jobs import Jobs
from service.models import TournamentState
from service.starting import begin
from service.store import Store

_log = structlog.get_logger(__name__)
NOT_BEGUN = (TournamentState.DRAFT, TournamentState.OPEN)


@dataclass(frozen=True, slots=True)
class Desk:
    """What delayed work needs."""

    store: Store
    jobs: Jobs
    settings: Settings
    now_ms: int


def do_due(desk: Desk) -> int:
    """Do what is due; how much that was. What fails because Redis is away comes again."""
    tasks = desk.store.due.take()
    for task in tasks:
        work = WORK.get(task.kind)
        if work is None:
            _log.warning("no such delayed work; another version of the service may know it", kind=task.kind)
            continue
        again_at = _again_at(work, desk, task.payload)
        if again_at is None:
            desk.store.due.done(task)
        else:
            desk.store.due.add(task.kind, task.payload, again_at)
    return len(tasks)


Work = Callable[[Desk, Mapping[str, Any]], int | None]  # when it is due again (ms), if it is


def _again_at(work: Work, desk: Desk, payload: Mapping[str, Any]) -> int | None:
    try:
        return work(desk, payload)
    except NotFound as error:
        _log.info("delayed work on what is gone", detail=error.detail)
        return None


def _coordinate(desk: Desk, payload: Mapping[str, Any]) -> None:
    desk.store.contests.stir(payload["tournament"])


def _start(desk: Desk, payload: Mapping[str, Any]) -> int | None:
    """Start a tournament whose time has come; it is cancelled, with the reason, if it cannot be played."""
    store, tournament = desk.store, desk.store.tournaments.get(payload["tournament"])
    start_at: int | None = tournament.settings["start_at"]
    if tournament.state not in NOT_BEGUN or start_at is None:
        return None
    if start_at > desk.now_ms:
        return start_at  # it was put off
    try:
        begin(store, tournament, desk.settings.games_per_tournament)
    except (Conflict, Refused) as error:
        if error.problem in ("stale", "wrong-state"):
            return desk.now_ms  # somebody entered or changed it this very moment
        store.tournaments.set_state(tournament.id, TournamentState.CANCELLED, NOT_BEGUN, error.detail)
    return None


def _check(desk: Desk, payload: Mapping[str, Any]) -> int | None:
    return checking.look(desk.store, desk.jobs, payload["bot"], desk.now_ms)


WORK: Mapping[str, Work] = {"coordinate": _coordinate, "start": _start, checking.KIND: _check}

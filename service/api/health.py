"""Is it alive, and can it do its work?"""

from __future__ import annotations

import time
from typing import Any

import marshmallow as ma
from flask import current_app, jsonify

from service.api.blueprint import Blueprint
from service.api.context import store
from service.errors import Unavailable

STUCK_S = 30
health = Blueprint("health", __name__, description="Probes for whatever watches the service.")


class LiveSchema(ma.Schema):
    """The process answers."""

    status = ma.fields.String(required=True)


class ReadySchema(LiveSchema):
    """What the service needs to do its work."""

    redis = ma.fields.String(required=True)
    workers = ma.fields.Integer(required=True)
    places = ma.fields.Integer(required=True)
    running = ma.fields.Integer(required=True)
    detail = ma.fields.String(required=True)


@health.route("/healthz")
@health.response(200, LiveSchema)
def live() -> Any:
    """Is the process alive?"""
    return {"status": "ok"}


@health.route("/readyz")
@health.response(200, ReadySchema)
@health.alt_response(503, schema=ReadySchema, description="Not ready; `detail` says why.")
def ready() -> Any:
    """Can it do its work?

    Redis answers, a worker has been heard of within the last seconds, and matches that workers were told of
    are being played.
    """
    report: dict[str, Any] = {"redis": "ok", "workers": 0, "places": 0, "running": 0, "detail": "all is well"}
    try:
        alive = store().workers.alive()
        told = store().schedule.counts()["hinted"]
    except Unavailable as error:
        return _not_ready({**report, "redis": "away", "detail": error.detail})
    report["workers"] = len(alive)
    report["places"] = sum(worker.places for worker in alive)
    report["running"] = sum(worker.running for worker in alive)
    if not report["places"]:
        drained = any(worker.drained for worker in alive)
        detail = (
            "the workers are drained; let one play again"
            if drained
            else "no worker that plays matches has been heard of; start one"
        )
        return _not_ready({**report, "detail": detail})
    if _stuck().for_s(told > 0 and report["running"] == 0) > STUCK_S:
        detail = (
            f"workers were told of {told} matches and have played none for {STUCK_S} s; look at their logs"
        )
        return _not_ready({**report, "detail": detail})
    return {"status": "ready", **report}


class _Condition:
    """How long something has been so, as far as it was looked at."""

    def __init__(self) -> None:
        self._since: float | None = None

    def for_s(self, holds: bool) -> float:
        """Seconds since it began to hold; 0 while it does not."""
        now = time.monotonic()
        self._since = (self._since or now) if holds else None
        return now - self._since if self._since is not None else 0.0


def _stuck() -> _Condition:
    """Whether workers play none of what they were told of, as this application has seen it."""
    found: _Condition = current_app.extensions.setdefault("arbiter-stuck", _Condition())
    return found


def _not_ready(report: dict[str, Any]) -> Any:
    return jsonify({"status": "not ready", **report}), 503, {"Retry-After": "2"}

"""Is it alive, and can it do its work?"""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from flask import jsonify

from service.api.blueprint import Blueprint
from service.api.context import store
from service.errors import Unavailable

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

    Redis answers, and a worker has been heard of within the last seconds.
    """
    report: dict[str, Any] = {"redis": "ok", "workers": 0, "places": 0, "running": 0, "detail": "all is well"}
    try:
        alive = store().workers.alive()
    except Unavailable as error:
        return _not_ready({**report, "redis": "away", "detail": error.detail})
    report["workers"] = len(alive)
    report["places"] = sum(worker.places for worker in alive)
    report["running"] = sum(worker.running for worker in alive)
    if not report["places"]:
        return _not_ready({**report, "detail": "no worker that plays matches has been heard of; start one"})
    return {"status": "ready", **report}


def _not_ready(report: dict[str, Any]) -> Any:
    return jsonify({"status": "not ready", **report}), 503, {"Retry-After": "2"}

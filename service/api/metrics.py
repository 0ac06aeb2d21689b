"""Every request measured and logged; Prometheus' page of that, and of what the store counts."""

from __future__ import annotations

import hmac
import time
from collections.abc import Iterator
from typing import Any

from flask import Flask, Response, current_app, g, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service import log
from service.api import streams
from service.api.blueprint import Blueprint
from service.api.context import settings
from service.api.errors import ApiError
from service.errors import Unavailable
from service.store import Store

_logger = log.logger("api")
metrics = Blueprint("metrics", __name__, description="For Prometheus.")

_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30)


class _Gauges(Collector):
    """What is read when it is asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("arbiter_streams_open", "Event streams open.", streams.streams.taken)
        yield GaugeMetricFamily("arbiter_polls_open", "Long polls open.", streams.polls.taken)
        up = GaugeMetricFamily("arbiter_redis_up", "Whether Redis answers.")
        try:
            found = list(self._stored())
        except Unavailable:
            found = []
        up.add_metric([], float(bool(found)))
        yield up
        yield from found

    def _stored(self) -> Iterator[Metric]:
        yield from self._workers()
        yield from self._turns()
        info = self._store.operator.info()
        states = GaugeMetricFamily("arbiter_matches", "Matches by what they are at.", labels=["state"])
        for state in ("queued", "running", "held"):
            states.add_metric([state], info.pop(state))
        yield states
        for name, value in info.items():
            yield GaugeMetricFamily(f"arbiter_store_{name}", f"{name}, as the store counts it.", value)
        oldest = self._store.operator.oldest_queued()
        age = 0.0 if oldest is None else max(0.0, time.time() - oldest / 1000)
        yield GaugeMetricFamily("arbiter_queue_age_seconds", "Age of the oldest queued match.", age)

    def _workers(self) -> Iterator[Metric]:
        alive = self._store.workers.alive()
        yield GaugeMetricFamily("arbiter_workers", "Workers heard of lately.", len(alive))
        places = GaugeMetricFamily("arbiter_worker_places", "Matches it plays at once.", labels=["worker"])
        running = GaugeMetricFamily("arbiter_worker_running", "Matches it plays now.", labels=["worker"])
        silent = GaugeMetricFamily("arbiter_worker_silent_seconds", "Since it spoke.", labels=["worker"])
        for worker in alive:
            places.add_metric([worker.name], worker.places)
            running.add_metric([worker.name], worker.running)
            silent.add_metric([worker.name], worker.silent_ms / 1000)
        yield from (places, running, silent)

    def _turns(self) -> Iterator[Metric]:
        totals = self._store.health.totals()
        yield CounterMetricFamily("arbiter_turns", "Turns that bots have taken.", totals.pop("turns", 0))
        charged = totals.pop("charged_us", 0) / 1e6
        yield CounterMetricFamily("arbiter_charged_seconds", "Time that bots were charged.", charged)
        faults = CounterMetricFamily("arbiter_faults", "Faults of bots by reason.", labels=["reason"])
        for name, count in totals.items():
            faults.add_metric([name.removeprefix("fault:")], count)
        yield faults


def register(app: Flask, store: Store) -> None:
    """Measure every request of this application."""
    registry = CollectorRegistry()
    requests = Counter(
        "arbiter_requests_total", "Requests answered.", ["method", "endpoint", "status"], registry=registry
    )
    seconds = Histogram(
        "arbiter_request_seconds", "Time to answer.", ["endpoint"], buckets=_BUCKETS, registry=registry
    )
    registry.register(_Gauges(store))
    app.extensions["arbiter-metrics"] = registry

    def begin() -> None:
        g.began = time.perf_counter()

    def finish(response: Response) -> Response:
        endpoint = request.endpoint or "none"
        requests.labels(request.method, endpoint, response.status_code).inc()
        took = time.perf_counter() - g.get("began", time.perf_counter())
        if not response.is_streamed:
            seconds.labels(endpoint).observe(took)
        _log_request(response, took)
        return response

    app.before_request(begin)
    app.after_request(finish)


def _log_request(response: Response, took_s: float) -> None:
    """A line a request: what went wrong here, what was changed or refused, and, for the curious, the rest."""
    status = response.status_code
    if status >= 500:
        say = _logger.warning
    elif status >= 400 or request.method not in ("GET", "HEAD", "OPTIONS"):
        say = _logger.info
    else:
        say = _logger.debug
    say("request", method=request.method, path=request.path, status=status, took_ms=round(took_s * 1000, 1))


@metrics.route("/metrics")
@metrics.response(200, content_type="text/plain")
def scrape() -> Any:
    """The metrics

    With the bearer token of the setting `metrics_token`; without one from this machine only.
    """
    if not _allowed():
        raise ApiError("no-key", "The metrics are for the operator: send the bearer token of metrics_token.")
    registry: CollectorRegistry = current_app.extensions["arbiter-metrics"]
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _allowed() -> bool:
    token = settings().metrics_token
    if not token:
        return request.remote_addr in ("127.0.0.1", "::1") and "X-Forwarded-For" not in request.headers
    given = request.headers.get("Authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())

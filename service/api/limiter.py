"""Rate limits per key, or per address without one; in memory while Redis does not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request
from flask_limiter import ApplicationLimit, HeaderNames, Limiter

from service.api.auth import address, caller
from service.config import Settings

_READING = ("GET", "HEAD", "OPTIONS")
_WRITING = ("POST", "PUT", "PATCH", "DELETE")
RESET_IN = "X-RateLimit-Reset-In"  # on every answer; service.api.headers makes a Retry-After of it
INSIDE = "arbiter.inside"  # in the environ: a request that a page makes; the page itself was counted
_UNLIMITED = {"health.live", "health.ready", "metrics.scrape", "web.asset"}  # probes, and what never varies
_TIMEOUTS: dict[str, Any] = {"socket_timeout": 0.25, "socket_connect_timeout": 0.25}


def who() -> str:
    """Whose requests are counted together."""
    found = caller()
    return f"key:{found.key.id}" if found else f"address:{address()}"


def _turns() -> bool:
    return request.blueprint == "turns"


def _unlimited() -> bool:
    return request.endpoint in _UNLIMITED or INSIDE in request.environ or _turns()


def _not_turns() -> bool:
    return not _turns()


def _bad_key(response: Response) -> bool:
    return response.status_code == 401


def _not_sign_up() -> bool:
    return request.endpoint != "owners.sign_up" or caller() is not None


def _known() -> bool:
    return caller() is not None or "Authorization" not in request.headers


def create_limiter(app: Flask, settings: Settings) -> Limiter:
    """The limiter, counting in the same Redis as the data."""
    limits: list[str | Callable[[], str] | ApplicationLimit] = [
        ApplicationLimit(settings.rate_reads, who, scope="reads", methods=_READING, exempt_when=_unlimited),
        ApplicationLimit(settings.rate_writes, who, scope="writes", methods=_WRITING, exempt_when=_unlimited),
        ApplicationLimit(settings.rate_turns, who, scope="turns", exempt_when=_not_turns),
        ApplicationLimit(settings.rate_signups, address, scope="sign-ups", exempt_when=_not_sign_up),
        ApplicationLimit(
            settings.rate_bad_keys, address, scope="bad-keys", exempt_when=_known, deduct_when=_bad_key
        ),
    ]
    return Limiter(
        who,
        app=app,
        application_limits=limits,
        storage_uri=settings.redis_url,
        storage_options=_TIMEOUTS,
        strategy="fixed-window",
        in_memory_fallback_enabled=True,
        headers_enabled=True,
        header_name_mapping={HeaderNames.RETRY_AFTER: RESET_IN},
        key_prefix="rate",
    )

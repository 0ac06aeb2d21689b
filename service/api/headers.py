"""What every answer carries: the request's id, security headers, and CORS for the origins that are set."""

from __future__ import annotations

import re
import secrets

import structlog
from flask import Flask, Response, g, request

from service.api.context import settings
from service.api.limiter import RESET_IN
from service.api.paging import conditional

_GIVEN_ID = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SECURITY = {
    "Content-Security-Policy": _CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), camera=(), microphone=()",
}
_ALLOWED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"
_EXPOSED = "ETag, Link, Location, Retry-After, X-Request-Id"


def begin() -> None:
    """Give the request its id: the client's, if it has a plain form."""
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _GIVEN_ID.match(given) else secrets.token_hex(8)
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request=g.request_id, **_things())


def _things() -> dict[str, str]:
    """What the address is about, for every line of the log."""
    named = request.view_args or {}
    return {kind: named[f"{kind}_id"] for kind in ("match", "bot", "tournament") if f"{kind}_id" in named}


def finish(response: Response) -> Response:
    """Complete an answer."""
    response = conditional(response)
    _say_when(response)
    response.headers["X-Request-Id"] = g.get("request_id", "")
    for name, value in _SECURITY.items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return _cors(response)


def _say_when(response: Response) -> None:
    """Whoever asked too often may come again when his count begins anew; other errors say it themselves."""
    reset_in = response.headers.pop(RESET_IN, None)
    if reset_in is not None and response.status_code == 429:
        response.headers.setdefault("Retry-After", reset_in)


def _cors(response: Response) -> Response:
    origin = request.headers.get("Origin")
    if origin is None or origin not in settings().cors_origins:
        return response
    response.vary.add("Origin")
    response.headers["Access-Control-Allow-Origin"] = origin
    response.headers["Access-Control-Expose-Headers"] = _EXPOSED
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    if request.method == "OPTIONS":
        response.headers["Access-Control-Allow-Headers"] = _ALLOWED
        response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE"
        response.headers["Access-Control-Max-Age"] = "600"
    return response


def register(app: Flask) -> None:
    """Install the above; must come before whatever else looks at requests."""
    app.before_request(begin)
    app.after_request(finish)

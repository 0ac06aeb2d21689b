"""Who is asking: the API key in `Authorization: Bearer arb_...`, and what the access table says to that.

A key in the address is never looked at. Wrong keys are counted before they are answered (limits.py).
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

import structlog
from flask import Flask, g, request

from service.api.access import ACCESS, Access, reaches
from service.api.context import store
from service.api.errors import ApiError
from service.models import ApiKey, Owner, Role

_MAX_KEY = 200
OTHER_KEYS = ("metrics.scrape",)  # whose Authorization is no API key
FOUND = "arbiter.caller"  # in the environ: whom this process has recognised by other means (service.web)


@dataclass(frozen=True, slots=True)
class Caller:
    """An owner and the key that speaks for it."""

    owner: Owner
    key: ApiKey

    @property
    def admin(self) -> bool:
        """Whether this key passes as the owner of everything."""
        return self.owner.role is Role.ADMIN and "admin" in self.key.scopes


def caller() -> Caller | None:
    """Who asks; None without a key."""
    found: Caller | None = g.get("caller")
    return found


def asker() -> Caller:
    """Who asks, on a route whose access line names a scope."""
    found = caller()
    assert found is not None, f"{request.endpoint} has no scope in its access line"
    return found


def identify() -> None:
    """Find out who asks; a wrong key is remembered and refused after the limiter has counted it."""
    g.caller, g.refusal = request.environ.get(FOUND), None
    header = request.headers.get("Authorization")
    if header is None or request.endpoint in OTHER_KEYS:
        return
    scheme, _, plain = header.partition(" ")
    if scheme.lower() != "bearer" or not plain.startswith("arb_") or len(plain) > _MAX_KEY:
        g.refusal = ApiError(
            "bad-key", "The Authorization header is not of the form: Bearer arb_<id>_<secret>."
        )
        return
    found = store().keys.authenticate(plain.strip()) if plain.isascii() else None
    if found is None:
        g.refusal = ApiError("bad-key", "There is no such API key, or it has been revoked.")
        return
    key, owner = found
    g.caller = Caller(owner, key)
    structlog.contextvars.bind_contextvars(owner=owner.id, key=key.id)


def enforce() -> None:
    """Refuse what the access table does not allow."""
    if request.method == "OPTIONS":  # a browser asks beforehand, without a key
        return
    if g.refusal is not None:
        raise g.refusal
    line = ACCESS.get(request.endpoint or "")
    if line is None:  # no such route: the 404 or 405 is on its way
        return
    who = caller()
    if who is not None and who.owner.banned is not None:
        raise ApiError("banned", f"The owner {who.owner.name} is banned: {who.owner.banned}")
    if line.scope is not None:
        _check(line, who)


def _check(line: Access, who: Caller | None) -> None:
    if who is None:
        raise ApiError("no-key", "This needs an API key: send Authorization: Bearer arb_<id>_<secret>.")
    if not reaches(who.owner.role, line.role):
        raise ApiError("missing-role", f"This needs the role {line.role}; yours is {who.owner.role}.")
    if line.scope not in who.key.scopes:
        raise ApiError(
            "missing-scope", f"This needs the scope {line.scope}; this key has {', '.join(who.key.scopes)}."
        )


def address() -> str:
    """The client's address; an IPv6 one as its /64, which one subscriber has to himself."""
    text = request.remote_addr or "?"
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return text
    return text if parsed.version == 4 else str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))


def check_table(app: Flask) -> None:
    """Raise at start if a route has no access line, or a line no route."""
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()} - {"static"}
    routes = {name for name in endpoints if not name.startswith("web.")}  # pages act through the API alone
    missing, stale = routes - ACCESS.keys(), ACCESS.keys() - routes
    if missing or stale:
        raise AssertionError(f"access table: routes without a line {missing}, lines without a route {stale}")

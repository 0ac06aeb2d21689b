"""Forms: what was filled in, sent on to the API, and shown again with what the API found wrong.

A field is named like the member it becomes, dotted ("options.ply_limit", "bots.0"), so that the API's errors
find their fields.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from flask import g, redirect, request
from werkzeug.exceptions import HTTPException

from engines.clock import PRESETS
from engines.game import Game
from service.api.auth import Caller, caller
from service.web.inside import ask

CUSTOM = "custom"
_TIMES = ("base_ms", "increment_ms", "delay_ms", "period_ms", "cap_ms")
_CLOCK = ("base_ms", "increment_ms", "delay_ms", "periods", "period_ms", "cap_ms")


class SignInFirst(HTTPException):
    """A redirect to the sign-in page, which leads back."""

    def get_response(self, *_: Any) -> Any:
        where = request.full_path.rstrip("?") if request.method == "GET" else "/me"
        return redirect(f"/sign-in?{urlencode({'next': where})}", 303)


def need_owner() -> Caller:
    """Who is signed in; leads to the sign-in page if nobody is. Raises Unavailable while it is not known."""
    who = caller()
    if who is None and g.away is not None:
        raise g.away
    if who is None:
        raise SignInFirst
    return who


def whole(text: str) -> int | str | None:
    """A whole number; None for an empty field; anything else as it is, for the API to refuse."""
    text = text.strip()
    if not text:
        return None
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else text


def milliseconds(text: str) -> int | str | None:
    """Seconds, perhaps with a fraction, as milliseconds; None for an empty field."""
    text = text.strip().replace(",", ".")
    head, _, tail = text.partition(".")
    if not text:
        return None
    if not (head + tail).isdecimal() or not text.isascii() or len(text) > 12:
        return text
    return int(head or 0) * 1000 + int((tail + "000")[:3])


def minutes(text: str) -> int | str | None:
    """Minutes, perhaps with a fraction, as milliseconds; None for an empty field."""
    found = milliseconds(text)
    return found * 60 if isinstance(found, int) else found


def moment(text: str) -> str | None:
    """What a browser's field for date and time holds, taken as UTC; None for an empty field."""
    text = text.strip()
    return f"{text}Z" if text else None


def moment_text(ms: int | None) -> str:
    """A moment as such a field holds it, to the minute."""
    return "" if ms is None else f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%dT%H:%M}"


@dataclass(slots=True)
class Form:
    """`values` as they were typed, `errors` by field, `problem` in a sentence; `once` marks one sending."""

    values: Mapping[str, str]
    once: str
    errors: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    status: int = 200
    fresh: bool = False  # nothing is filled in, so that defaults are shown

    @classmethod
    def empty(cls, values: Mapping[str, str] = {}) -> Form:
        """A form to be filled in, perhaps with some values to begin with."""
        return cls(dict(values), secrets.token_urlsafe(16), fresh=True)

    @classmethod
    def filled(cls, values: Mapping[str, str]) -> Form:
        """A form that shows what is there."""
        return cls(values, secrets.token_urlsafe(16))

    @classmethod
    def sent(cls) -> Form:
        """The form of this request."""
        return cls(request.form, request.form.get("once", "")[:64] or secrets.token_urlsafe(16))

    def get(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def yes(self, name: str) -> bool:
        return self.values.get(name) == "yes"

    def all(self, name: str) -> list[str]:
        """Every value of a field that may come several times."""
        return request.form.getlist(name)

    def seen_revision(self) -> dict[str, str]:
        """The If-Match of what was there when the form was made."""
        return {"If-Match": f'"r{whole(self.get("revision")) or 0}-0"'}

    def clock(self) -> Any:
        """A preset's name, or a control with those times that were filled in."""
        preset = self.get("clock", "blitz")
        if preset != CUSTOM:
            return preset if preset in PRESETS else "blitz"
        out: dict[str, Any] = {"control": self.get("clock.control")}
        for name in _CLOCK:
            read = milliseconds if name in _TIMES else whole
            value = read(self.get(f"clock.{name}"))
            if value not in (None, 0):
                out[name] = value
        return out

    def options(self, game: Game) -> dict[str, Any]:
        """The game's options that were filled in, by their types."""
        out: dict[str, Any] = {}
        for name, option in game.options.items():
            typed = self.get(f"options.{name}")
            if isinstance(option.default, bool):
                out[name] = typed == "yes"
            elif typed:
                out[name] = whole(typed) if isinstance(option.default, int) else typed
        return out

    def send(self, method: str, path: str, body: Any, headers: Mapping[str, str] = {}) -> Any:
        """Ask the API; its answer's body, or None with `errors`, `problem` and `status` set."""
        answer = ask(method, path, body, self.once if method == "POST" else None, headers)
        if answer.ok:
            return answer.body or {}
        self.status = answer.status
        self.problem = answer.body["detail"]
        self.errors = {error["field"]: error["detail"] for error in answer.body.get("errors", ())}
        self.once = secrets.token_urlsafe(16)
        return None

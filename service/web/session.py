"""Who is signed in: a signed cookie that names an API key, never the key itself, and a token for forms.

The cookie is `HttpOnly` and `SameSite=Lax`, and `Secure` under https. Revoking the key ends the session. Only
pages look at it: the API takes nothing from a cookie. A form shows the token of its cookie (CSRF), also
before anybody has signed in.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, replace

from flask import Response, abort, current_app, g, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from service.api.auth import FOUND, Caller
from service.api.context import settings, store
from service.errors import Unavailable
from service.store.shared_secrets import shared_secret
from service.web.upload import MAX_RECORD_BYTES

COOKIE = "arbiter_session"
FIELD = "csrf"
LASTS_S = 14 * 24 * 3600
_TOKEN_BYTES = 18
LARGE = {"web.show_record": MAX_RECORD_BYTES + 4096}  # what forms may come to, if more than others
_CROSS_SITE = ("cross-site", "same-site")


@dataclass(frozen=True, slots=True)
class Session:
    """What the cookie holds: the id of the key that was shown (None before that), and the forms' token."""

    key: str | None
    token: str


def _signer() -> URLSafeTimedSerializer:
    """What signs cookies, by a secret of all processes, read once in each; raises Unavailable."""
    found: URLSafeTimedSerializer | None = current_app.extensions.get("arbiter-signer")
    if found is None:
        found = URLSafeTimedSerializer(shared_secret(store().db, "session"), salt="arbiter-session")
        current_app.extensions["arbiter-signer"] = found
    return found


def recognise() -> None:
    """Before a page is made: read the cookie and find whose key it names.

    While the store is away nobody is known; pages that need nothing of it can still be read.
    """
    g.session = g.away = None
    cookie = request.cookies.get(COOKIE)
    if cookie is None or not (request.endpoint or "").startswith("web."):
        return
    try:
        key, token = _signer().loads(cookie, max_age=LASTS_S)
        g.session = Session(key, token)
        found = store().keys.known(key) if key else None
    except BadSignature:
        return
    except Unavailable as error:
        g.away = error
        return
    if found and found[1].banned is None:
        request.environ[FOUND] = Caller(found[1], found[0])


def current() -> Session:
    """The session of this request; a new one, without a key, if there was none."""
    if g.get("session") is None:
        _signer()  # if it is not to be had, say so now and not when the page is made
        g.session = Session(None, secrets.token_urlsafe(_TOKEN_BYTES))
        g.session_changed = True
    found: Session = g.session
    return found


def csrf_token() -> str:
    """What a form shows to be believed."""
    return current().token


def sign_in(key_id: str) -> None:
    """Speak for a key from now on, with a new token."""
    g.session = Session(key_id, secrets.token_urlsafe(_TOKEN_BYTES))
    g.session_changed = True


def sign_out() -> None:
    g.session = replace(current(), key=None)
    g.session_changed = True


def check_form() -> None:
    """Refuse a form that did not come from one of our pages."""
    if request.method != "POST":
        return
    request.max_content_length = LARGE.get(request.endpoint or "", request.max_content_length)
    shown = request.form.get(FIELD, "") or request.headers.get("X-CSRF-Token", "")
    known = g.get("session")
    foreign = request.headers.get("Sec-Fetch-Site") in _CROSS_SITE
    if foreign or known is None or not hmac.compare_digest(known.token.encode(), shown.encode()):
        abort(403, "This form is too old or did not come from here: open the page again and repeat.")


def keep(response: Response) -> Response:
    """After a page: hand the cookie out if it has changed."""
    if g.get("session_changed"):
        session = current()
        response.set_cookie(
            COOKIE,
            str(_signer().dumps([session.key, session.token])),
            max_age=LASTS_S,
            httponly=True,
            samesite="Lax",
            secure=request.is_secure or settings().base_url.startswith("https:"),
            path="/",
        )
    response.vary.add("Cookie")
    return response

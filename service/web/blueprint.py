"""The pages' blueprint: what every template may use, and how errors look to a person."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, render_template, request, send_from_directory, url_for
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from engines.registry import GAMES
from service.api.auth import caller
from service.api.errors import on_http_error
from service.api.problems import PROBLEMS
from service.errors import Conflict, NotFound, Refused, ServiceError, Unavailable
from service.web import session
from service.web.show import words
from service.web.show.backdrop import sorry_backdrop
from service.web.show.replay import cut

web = Blueprint("web", __name__, template_folder="templates")
_STATIC = Path(__file__).with_name("static")
_YEAR_S = 365 * 24 * 3600


@cache
def _version() -> str:
    """Names the present assets, so that browsers may keep them for good."""
    digest = hashlib.sha256()
    for path in sorted(_STATIC.iterdir()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@web.get("/assets/<version>/<path:name>")
def asset(version: str, name: str) -> Response:
    response = send_from_directory(_STATIC, name)
    if version == _version():
        response.cache_control.public = response.cache_control.immutable = True
        response.cache_control.max_age = _YEAR_S
    return response


@web.app_context_processor
def _everywhere() -> dict[str, Any]:
    who = caller()
    return {
        "asset": lambda name: url_for("web.asset", version=_version(), name=name),
        "me": who.owner if who else None,
        "csrf_token": session.csrf_token,
        "games": GAMES,
        "words": words,
        "sorry_backdrop": sorry_backdrop,
        "here": request.path,
        "query": _query,
    }


@web.app_template_filter("when")
def _when(ms: int | None) -> Markup:
    """A moment, in UTC, to the minute."""
    if ms is None:
        return Markup("–")
    stamp = datetime.fromtimestamp(ms / 1000, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        stamp.isoformat(timespec="seconds"), stamp.strftime("%-d %b %Y, %H:%M UTC")
    )


@web.app_template_filter("family")
def _family(board: str) -> str:
    """The drawings that a board's pieces come from."""
    return board.split("-")[0]


@web.app_template_filter("points")
def _points(milli: int) -> str:
    """Milli-points as whole rating points."""
    return f"{milli / 1000:.0f}"


@web.app_template_filter("zip_self")
def _zip_self(values: Iterable[str]) -> list[tuple[str, str]]:
    """Choices whose texts are their values."""
    return [(value, value) for value in values]


def _query(**changes: str | None) -> str:
    """This page's query with some values changed, or left out where None."""
    query = {name: value for name, value in request.args.items() if name not in changes}
    query |= {name: value for name, value in changes.items() if value is not None}
    return f"?{urlencode(query)}" if query else request.path


web.add_app_template_filter(cut, "cut")
web.before_request(session.check_form)
web.after_request(session.keep)


def _error_page(status: int, title: str, detail: str, headers: Mapping[str, str] = {}) -> Response:
    page = render_template("web/error.html", status=status, title=title, detail=detail)
    response = make_response(page, status)
    response.headers.extend(headers)
    return response


_FALLBACK = {NotFound: 404, Conflict: 409, Refused: 422, Unavailable: 503}


@web.errorhandler(ServiceError)
def _on_service_error(error: ServiceError) -> Response:
    kind = PROBLEMS.get(error.problem)
    status = kind.status if kind else _FALLBACK.get(type(error), 500)
    title = kind.title if kind else HTTPStatus(status).phrase
    retry = {"Retry-After": str(error.retry_after_s)} if isinstance(error, Unavailable) else {}
    return _error_page(status, title, error.detail, retry)


@web.errorhandler(HTTPException)
def _on_http_error(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400:
        return error
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return _error_page(error.code, error.name, error.description or "", headers)


def on_missing(error: HTTPException) -> Response | HTTPException:
    """No such address: a page for browsers, a problem for programs."""
    best = request.accept_mimetypes.best_match(("application/problem+json", "text/html"))
    if request.path.startswith("/v1/") or best != "text/html":
        return on_http_error(error)
    return _error_page(404, "Not found", f"There is no page at {cut(request.path, 100)}.")

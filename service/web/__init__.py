"""The pages: served by the same application as the API, readable without scripts and alive with them."""

from __future__ import annotations

from flask import Flask

from service.web.blueprint import on_missing, web
from service.web.films import Films
from service.web.pages import (  # noqa: F401  (they add their routes to the blueprint)
    account,
    bots,
    checks,
    home,
    ladders,
    matches,
    protocol,
    rules,
    tournaments,
    viewer,
    webhooks,
)
from service.web.session import recognise

__all__ = ["recognise", "register"]


def register(app: Flask) -> None:
    """Add the pages to the application."""
    app.extensions["arbiter-films"] = Films()
    app.register_blueprint(web)
    app.register_error_handler(404, on_missing)

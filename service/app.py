"""The web application: the REST API, its description, the pages. gunicorn serves `create_app()`."""

from __future__ import annotations

import os
from typing import Any

from flask import Flask
from flask.json.provider import DefaultJSONProvider

from service import log, web
from service.api import auth, errors, headers, metrics
from service.api.admin import admin
from service.api.blueprint import Api
from service.api.bots import bots
from service.api.checks import checks
from service.api.crosstables import crosstables
from service.api.docs import docs
from service.api.entrants import entrants
from service.api.exports import exports
from service.api.games import games
from service.api.glossary import complete
from service.api.health import health
from service.api.keys import keys
from service.api.limiter import create_limiter
from service.api.limits import limits
from service.api.matches import matches
from service.api.owners import owners
from service.api.parsing import MAX_BODY_BYTES
from service.api.ratings import ratings
from service.api.roster import roster
from service.api.schemas.fields import Time
from service.api.streams import create_hubs
from service.api.tables import standings_tables
from service.api.tournaments import tournaments
from service.api.turns import turns
from service.api.webhooks import webhooks
from service.config import Settings
from service.jobs import Jobs
from service.proxies import TrustedProxies
from service.store import Store

VERSION = "1.0.0"
_BLUEPRINTS = (
    owners,
    keys,
    bots,
    checks,
    turns,
    matches,
    tournaments,
    entrants,
    standings_tables,
    crosstables,
    exports,
    ratings,
    games,
    limits,
    webhooks,
    roster,
    admin,
    health,
    metrics.metrics,
    docs,
)
_DESCRIPTION = """\
A tournament and match service for programs ("bots") that play Quixo and Sorry!. Sign up at `POST /v1/owners`
and send the key as `Authorization: Bearer arb_...`; register a bot, verify it, ask for matches, enter
tournaments.

Times are RFC 3339 in UTC; durations are whole milliseconds in members that end in `_ms`. Lists come in pages:
`next` is the cursor of the next one. GETs carry an ETag and answer 304 to If-None-Match. Requests that create
something take an Idempotency-Key.

Errors are RFC 9457 problems: `type` names the kind and is a page that explains it, `errors` names the fields
at fault, `request_id` is in the service's log."""


class _Json(DefaultJSONProvider):
    """Members in the order of their schema, in UTF-8."""

    sort_keys = False
    ensure_ascii = False
    compact = True


def create_app(settings: Settings | None = None, store: Store | None = None) -> Flask:
    """The application; settings from the environment unless given. Raises BadSettings."""
    settings = settings or Settings.load(os.environ)
    log.configure(settings.log_level, settings.log_format)
    store = store or Store.connect(settings.redis_url, timeout_s=1.0, retries=1, connections=64)
    app = Flask(__name__, static_folder=None)
    app.json = _Json(app)
    app.config.update(_flask_config(settings))
    app.extensions["arbiter-store"] = store
    app.extensions["arbiter-jobs"] = Jobs.at(settings.celery_url)
    app.extensions["arbiter-settings"] = settings
    app.extensions["arbiter-hubs"] = create_hubs(store)
    _before_views(app, settings, store)
    _describe(app, settings)
    web.register(app)
    auth.check_table(app)
    app.wsgi_app = TrustedProxies(app.wsgi_app, settings.trusted_proxies)  # type: ignore[method-assign]
    return app


def _flask_config(settings: Settings) -> dict[str, Any]:
    return {
        "MAX_CONTENT_LENGTH": MAX_BODY_BYTES,
        "MAX_FORM_MEMORY_SIZE": MAX_BODY_BYTES,
        "PROPAGATE_EXCEPTIONS": False,
        "API_TITLE": "Arbiter",
        "API_VERSION": VERSION,
        "OPENAPI_VERSION": "3.1.0",
        "OPENAPI_URL_PREFIX": "/",
        "API_SPEC_OPTIONS": {
            "info": {"description": _DESCRIPTION},
            "servers": [{"url": settings.base_url}],
        },
    }


def _before_views(app: Flask, settings: Settings, store: Store) -> None:
    """What looks at every request, in this order: its id, the clock, who asks, how often, whether he may."""
    headers.register(app)
    metrics.register(app, store)
    errors.register(app)
    app.before_request(web.recognise)
    app.before_request(auth.identify)
    create_limiter(app, settings)
    app.before_request(auth.enforce)


def _describe(app: Flask, settings: Settings) -> None:
    """Register the resources and describe them."""
    api = Api(app)
    scheme = {"type": "http", "scheme": "bearer", "bearerFormat": "arb_<id>_<secret>"}
    api.spec.components.security_scheme("key", scheme)
    api.register_field(Time, "string", "date-time")
    for blueprint in _BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.extensions["arbiter-openapi"] = complete(api.spec.to_dict())

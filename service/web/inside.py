"""The pages as a client of the API in the same process: what a form does goes through the same views,
schemas, policies, limits and errors as a request from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import current_app, g, json, request
from werkzeug.test import EnvironBuilder

from service.api.auth import FOUND, caller
from service.api.errors import ApiError
from service.api.limiter import INSIDE
from service.api.problems import BASE


@dataclass(frozen=True, slots=True)
class Answer:
    """What the API answered: its text, and `body` as parsed JSON, None if it was none."""

    status: int
    text: str
    body: Any
    headers: Mapping[str, str]

    @property
    def ok(self) -> bool:
        return self.status < 400

    def check(self) -> Answer:
        """Itself; raises ApiError with the API's words if it refused."""
        if self.ok:
            return self
        raise ApiError(self.body["type"].removeprefix(BASE), self.body["detail"])


def ask(
    method: str,
    path: str,
    body: Any = None,
    once: str | None = None,
    headers: Mapping[str, str] = {},
    query: Mapping[str, Any] = {},
) -> Answer:
    """Ask the API as whoever is signed in. `once` is an Idempotency-Key."""
    own = {"X-Request-Id": g.request_id, **({"Idempotency-Key": once} if once else {}), **headers}
    builder = EnvironBuilder(
        path=path,
        method=method,
        query_string=query,
        json=body,
        headers=list(own.items()),
        environ_base={"REMOTE_ADDR": request.remote_addr, INSIDE: True, FOUND: caller()},
        base_url=request.host_url,
    )
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    with app.app_context(), app.request_context(builder.get_environ()):
        response = app.full_dispatch_request()
        text = response.get_data(as_text=True)
        body = json.loads(text) if text and response.mimetype.endswith("json") else None
    return Answer(response.status_code, text, body, dict(response.headers))

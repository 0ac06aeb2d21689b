"""flask-smorest's blueprint and API with strict parsing and RFC 9457 in the OpenAPI description."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from http import HTTPStatus
from typing import Any

import flask_smorest
import marshmallow as ma
from flask import Response, current_app, json
from flask_smorest.utils import prepare_response

from service.api.access import ACCESS, SCOPES
from service.api.errors import MEDIA_TYPE, ProblemSchema
from service.api.once import HEADER
from service.api.parsing import Parser

_HEADERS: dict[str, Any] = {
    "X-Request-Id": {"description": "Names the request in the service's log.", "schema": {"type": "string"}},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The ETag of the last read, or * to overwrite whatever is there.",
    "schema": {"type": "string"},
}
_EVERYWHERE = (400, 401, 403, 405, 429, 500, 503)  # 405: another method at the same address
_WITH_BODY = (409, 413, 415, 422)


PATH_NAMES: dict[str, tuple[str, str]] = {
    "owner_id": ("An owner's id.", "o_01k8z4n2q7h3v9ty"),
    "bot_id": ("A bot's id.", "b_01k8z4n2q7h3v9ty"),
    "match_id": ("A match's id.", "m_quixo_01k8z4n2q7h3v9ty"),
    "tournament_id": ("A tournament's id.", "t_quixo_01k8z4n2q7h3v9ty"),
    "check_id": ("A check's id.", "c_01k8z4n2q7h3v9ty"),
    "key_id": ("A key's id: what stands between arb_ and the second _.", "01k8z4n2q7h3v9ty"),
    "webhook_id": ("A webhook's id.", "w_01k8z4n2q7h3v9ty"),
    "invitation_id": ("An invitation's id.", "i_01k8z4n2q7h3v9ty"),
    "message_id": ("The message_id of a fetched message.", "m_quixo_01k8z4n2q7h3v9ty:12:1"),
    "ladder": ("A game's name.", "quixo"),
    "name": ("The name of what is asked for.", "quixo"),
    "slug": ("The last part of a problem's type.", "unknown-bot"),
}


def _path_parameter(name: str) -> dict[str, Any]:
    text, example = PATH_NAMES[name]
    return {"name": name, "in": "path", "description": text, "example": example}


View = Callable[..., Any]
Decorator = Callable[[View], View]


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A resource of the API."""

    ARGUMENTS_PARSER = Parser()

    def route(self, rule: str, **options: Any) -> Decorator:
        """Register a view of a resource; what its address names is described by PATH_NAMES."""
        named = [_path_parameter(name) for name in re.findall(r"<(?:\w+:)?(\w+)>", rule)]
        found: Decorator = super().route(rule, parameters=named, **options)
        return found

    def arguments(self, schema: type[ma.Schema], **options: Any) -> Decorator:
        """Read the body, or the query, by a schema; it becomes the view's first argument."""
        found: Decorator = super().arguments(schema, **options)
        return found

    def response(self, status: int, schema: Any = None, **options: Any) -> Decorator:
        """Answer with a status and a schema."""
        found: Decorator = super().response(status, schema, **options)
        return found

    def doc(self, **described: Any) -> Decorator:
        """Describe more of an operation, as OpenAPI has it."""
        found: Decorator = super().doc(**described)
        return found

    def alt_response(self, status: int, **options: Any) -> Decorator:
        """Describe another answer."""
        found: Decorator = super().alt_response(status, **options)
        return found

    def register_views_in_doc(self, api: Any, app: Any, spec: Any, *, name: str, parameters: Any) -> None:
        for endpoint, methods in self._docs.items():
            named = f"{name}.{endpoint}"
            has_id = any(rule.arguments for rule in app.url_map.iter_rules(named))
            for method, info in methods.items():
                if method != "parameters":
                    _document(named, method, info, has_id)
        super().register_views_in_doc(api, app, spec, name=name, parameters=parameters)


def _document(endpoint: str, method: str, info: dict[str, Any], has_id: bool) -> None:
    """Add to an operation's description what every operation has: its id, its key, its errors."""
    line = ACCESS[endpoint]
    manual = info.setdefault("manual_doc", {})
    manual["operationId"] = endpoint.replace(".", "-")
    manual["security"] = [{"key": []}] if line.scope else [{}, {"key": []}]
    if line.scope:
        manual["x-scope"], manual["x-role"] = line.scope, str(line.role)
        needs = f"Needs the scope `{line.scope}`, to {SCOPES[line.scope]}."
        manual["description"] = "\n\n".join(filter(None, [info["docstring"].get("description"), needs]))
    statuses = set(_EVERYWHERE) | ({404} if has_id else set())
    if method in ("post", "put", "patch", "delete"):
        statuses |= set(_WITH_BODY)
    if info.pop("needs_if_match", False):
        statuses |= {412, 428}
        manual["parameters"] = [*manual.get("parameters", []), _IF_MATCH]
    if info.pop("takes_once", False):
        manual["parameters"] = [*manual.get("parameters", []), HEADER]
    if info.get("arguments"):
        statuses.add(422)
        info["arguments"].get("responses", {}).clear()
    statuses -= {int(status) for status in info.get("response", {}).get("responses", {})}
    manual["responses"] = {
        **{str(s): HTTPStatus(s).name for s in sorted(statuses)},
        **manual.get("responses", {}),
    }


def marked(name: str) -> Decorator:
    """A decorator that marks a view for the description: needs_if_match, takes_once."""

    def decorator(view: View) -> View:
        doc = deepcopy(getattr(view, "_apidoc", {}))
        view._apidoc = doc | {name: True}  # type: ignore[attr-defined]
        return view

    return decorator


class Api(flask_smorest.Api):  # type: ignore[misc]
    """The OpenAPI description, with problems as its errors."""

    DEFAULT_ERROR_RESPONSE_NAME = None
    ERROR_SCHEMA = ProblemSchema
    _text: str | None = None

    def _register_error_handlers(self) -> None:
        """Ours are in service.api.errors."""

    def _openapi_json(self) -> Response:
        """The description, written once."""
        if self._text is None:
            self._text = json.dumps(current_app.extensions["arbiter-openapi"], indent=2)
        return Response(self._text, mimetype="application/json")

    def _register_responses(self) -> None:
        for status in HTTPStatus:
            if status >= 400:
                response = {"description": status.phrase, "schema": ProblemSchema, "headers": _HEADERS}
                prepare_response(response, self.spec, MEDIA_TYPE)
                self.spec.components.response(status.name, response, lazy=True)

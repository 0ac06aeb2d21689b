"""The API described for people: one page made from the OpenAPI description, and a page per problem.

Made on the server, without scripts and foreign hosts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Any

from flask import Response, abort, current_app, render_template
from markupsafe import Markup, escape

import engines.schemas
from service.api.access import ACCESS, SCOPES, Access, reaches
from service.api.blueprint import Blueprint
from service.api.problems import PROBLEMS
from service.models import Role

SCHEMAS = ("bot-protocol-1", "record-1")
docs = Blueprint(
    "docs", __name__, template_folder="templates", static_folder=None, description="This description."
)

_METHODS = ("get", "post", "put", "patch", "delete")


def _spec() -> dict[str, Any]:
    """The OpenAPI description of this application, made once."""
    spec: dict[str, Any] = current_app.extensions["arbiter-openapi"]
    return spec


@cache
def _anchor(operation_id: str) -> str:
    return f"op-{operation_id}"


def _operations(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for path, item in spec["paths"].items():
        for method in _METHODS:
            if method in item:
                operation = item[method]
                yield {
                    "method": method.upper(),
                    "path": path,
                    "tag": operation["tags"][0],
                    "anchor": _anchor(operation["operationId"]),
                    "summary": operation.get("summary", ""),
                    "text": operation.get("description", ""),
                    "scope": operation.get("x-scope"),
                    "role": operation.get("x-role"),
                    "parameters": [
                        _resolved(spec, p)
                        for p in (*item.get("parameters", ()), *operation.get("parameters", ()))
                    ],
                    "body": (body := _schema_name(operation.get("requestBody", {}))),
                    "example": _body_example(spec, body, every=False),
                    "answers": (answers := [one for one in _answers(spec, operation) if one[0] < "400"]),
                    "answer": _body_example(spec, answers[0][2] if answers else None, every=True),
                    "access": _who_may(ACCESS[operation["operationId"].replace("-", ".", 1)]),
                    "errors": [one[0] for one in _answers(spec, operation) if one[0] >= "400"],
                }


def _resolved(spec: Mapping[str, Any], thing: Mapping[str, Any]) -> Mapping[str, Any]:
    """A component instead of the reference to it."""
    if "$ref" not in thing:
        return thing
    found: Any = spec
    for step in thing["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


def _answers(spec: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    for status, answer in operation["responses"].items():
        answer = _resolved(spec, answer)
        yield str(status), answer.get("description", ""), _schema_name(answer)


def _schema_name(thing: Mapping[str, Any]) -> str | None:
    for media in thing.get("content", {}).values():
        if "$ref" in media.get("schema", {}):
            return str(media["schema"]["$ref"].rsplit("/", 1)[-1])
    return None


def _example(spec: Mapping[str, Any], schema: Mapping[str, Any], every: bool = True) -> Any:
    """What something of that schema looks like; `every`: with the members that may be left out, too."""
    schema = schema if "example" in schema else _resolved(spec, schema)
    if "example" in schema:
        return schema["example"]
    if "enum" in schema:
        return schema["enum"][0]
    if several := next((schema[how] for how in ("oneOf", "anyOf", "allOf") if how in schema), None):
        return _example(spec, several[0])
    if "properties" in schema:
        shown = schema["properties"] if every else schema.get("required", ())
        return {name: _example(spec, schema["properties"][name]) for name in shown}
    if "items" in schema:
        return [_example(spec, schema["items"])]
    return False if schema.get("type") == "boolean" else None


def _body_example(spec: Mapping[str, Any], name: str | None, every: bool) -> Any:
    return _example(spec, spec["components"]["schemas"][name], every) if name else None


def _ticked(text: str) -> Markup:
    """Text with what stands in backticks as code."""
    parts = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


def _type_name(schema: Mapping[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[-1])
    if "items" in schema:
        return f"list of {_type_name(schema['items'])}"
    for several in ("oneOf", "anyOf", "allOf"):
        if several in schema:
            return " or ".join(_type_name(one) for one in schema[several])
    kind = schema.get("type", "any")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{words} ({schema['format']})" if "format" in schema else words


def _bounds(schema: Mapping[str, Any]) -> str:
    """A schema's bounds in a few words."""
    parts = []
    if "enum" in schema:
        parts.append("one of " + ", ".join(str(value) for value in schema["enum"]))
    for low, high, unit in (("minimum", "maximum", ""), ("minLength", "maxLength", " characters")):
        if high in schema or schema.get(low, 1) > 1:
            parts.append(f"{schema.get(low, '…')} to {schema.get(high, '…')}{unit}")
    if "default" in schema:
        parts.append(f"default {schema['default']!r}")
    return "; ".join(parts)


_PUBLIC = {"": "yes", "seen": "public ones", "own": "no"}


def _who_may(line: Access) -> tuple[str, ...]:
    """A line of the access table as cells: without a key, then for each role."""
    without = _PUBLIC[line.thing] if line.scope is None else "no"
    others = {"": "yes", "seen": "own and public ones", "own": "own"}[line.thing]
    roles = (others if reaches(role, line.role) else "no" for role in Role if role is not Role.ADMIN)
    return without, *roles, "yes"


@docs.route("/docs")
@docs.response(200, content_type="text/html")
def page() -> Any:
    """This description for people"""
    made = current_app.extensions.get("arbiter-docs") or _page(_spec())
    current_app.extensions["arbiter-docs"] = made  # it never changes
    return Response(made, mimetype="text/html")


def _page(spec: dict[str, Any]) -> str:
    operations = list(_operations(spec))
    return render_template(
        "docs.html",
        info=spec["info"],
        tags=spec["tags"],
        operations=operations,
        schemas=spec["components"]["schemas"],
        scopes=SCOPES,
        roles=["no key", *map(str, Role)],
        problems=PROBLEMS,
        type_name=_type_name,
        bounds=_bounds,
        ticked=_ticked,
        pretty=partial(json.dumps, indent=2, ensure_ascii=False),
    )


@docs.route("/problems/<slug>")
@docs.response(200, content_type="text/html")
def problem(slug: str) -> Any:
    """What an error's type means"""
    if slug not in PROBLEMS:
        abort(404)
    return Response(render_template("problem.html", slug=slug, problem=PROBLEMS[slug]), mimetype="text/html")


@docs.route("/docs/style.css")
@docs.response(200, content_type="text/css")
def style() -> Any:
    """The page's style sheet"""
    return Response(render_template("docs.css"), mimetype="text/css")


@docs.route("/schemas/<name>.json")
@docs.response(200, content_type="application/schema+json")
def schema(name: str) -> Any:
    """A JSON Schema

    `record-1`: the record of a match. `bot-protocol-1`: every message between the service and a bot.
    """
    if name not in SCHEMAS:
        abort(404)
    text = (files(engines.schemas) / f"{name}.json").read_text(encoding="utf-8")
    return Response(text, mimetype="application/schema+json")

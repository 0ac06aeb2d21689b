"""Request bodies read strictly: UTF-8, no member twice, no NaN, bounded depth, nothing unknown."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import marshmallow as ma
from flask import Request
from marshmallow import ValidationError
from webargs.flaskparser import FlaskParser

from service.api.errors import ApiError, validation_error

MAX_BODY_BYTES = 256 * 1024
MAX_DEPTH = 16
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Parser(FlaskParser):
    """webargs' parser for Flask with strict JSON, and our errors."""

    DEFAULT_UNKNOWN_BY_LOCATION = {  # noqa: RUF012 -- webargs declares it so
        "json": ma.RAISE,
        "query": ma.RAISE,
        "headers": ma.EXCLUDE,
    }

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        body = req.get_data(cache=True)
        if not body and getattr(schema, "may_be_absent", False):
            return {}
        if not body:
            raise ApiError("bad-request", "A JSON body is expected here, and none came.")
        if not req.is_json:
            raise ApiError(
                "unsupported-media-type",
                f"Content-Type is {req.mimetype or 'missing'}; send application/json.",
            )
        if req.content_encoding not in (None, "", "identity"):
            raise ApiError(
                "unsupported-media-type",
                f"Content-Encoding {req.content_encoding} is not read; send plain JSON.",
            )
        return read_json(body)

    def handle_error(
        self,
        error: ValidationError,
        req: Request,
        schema: ma.Schema,
        *,
        error_status_code: int | None,
        error_headers: Any,
    ) -> NoReturn:
        messages = error.messages
        by_location = messages if isinstance(messages, dict) else {"": messages}
        raise validation_error(next(iter(by_location.values()))) from None


def read_json(body: bytes) -> Any:
    """The document in `body`; raises ApiError."""
    if depth(body) > MAX_DEPTH:
        raise ApiError("too-deep", f"The body nests deeper than {MAX_DEPTH} levels.")
    try:
        text = body.decode()
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ApiError("malformed-json", f"The body is not UTF-8 (byte {error.start}).") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ApiError("malformed-json", f"The body is not JSON: {error.msg} ({where}).") from None
    except ValueError as error:  # an integer of thousands of digits
        raise ApiError("malformed-json", f"The body holds a number that is too long: {error}.") from None
    if "\\u" in text and _LONE_SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise ApiError("malformed-json", "The body holds half of a surrogate pair, which is no character.")
    return value


def depth(body: bytes) -> int:
    """How deep a document nests, without parsing it; brackets inside strings do not count."""
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return 0
    level = deepest = 0
    for bracket in _BRACKETS.finditer(_STRINGS.sub(b"", body)):
        level += 1 if bracket[0] in b"[{" else -1
        deepest = max(deepest, level)
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ApiError(
            "duplicate-member",
            f"The member {twice[:60]!r} stands twice in one object.",
            ((twice[:60], "stands twice"),),
        )
    return out


def _no_constant(name: str) -> NoReturn:
    raise ApiError("malformed-json", f"The body holds {name}, which is not JSON.")

"""RFC 9457 answers: every error leaves the API as application/problem+json, whatever raised it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import marshmallow as ma
from flask import Flask, Response, g, json, request
from flask_limiter import RateLimitExceeded
from werkzeug.exceptions import HTTPException

from service import log
from service.api.problems import BASE, BY_STATUS, PROBLEMS
from service.errors import Conflict, NotFound, Refused, ServiceError, Unavailable

MEDIA_TYPE = "application/problem+json"
UNKNOWN = "Unknown field."  # marshmallow's message
_logger = log.logger("api")

FieldError = tuple[str, str]  # where, what


class ApiError(ServiceError):
    """An error that the API itself finds; may name several fields and carry headers."""

    def __init__(
        self, problem: str, detail: str, errors: tuple[FieldError, ...] = (), headers: Mapping[str, str] = {}
    ) -> None:
        super().__init__(problem, detail)
        self.errors = errors
        self.headers = headers


class FieldErrorSchema(ma.Schema):
    """One member of the request that is at fault."""

    field = ma.fields.String(
        required=True, metadata={"description": "Path of the member, dotted.", "example": "bots.1"}
    )
    detail = ma.fields.String(required=True, metadata={"description": "What is wrong with it."})


class ProblemSchema(ma.Schema):
    """An RFC 9457 problem."""

    type = ma.fields.String(
        required=True,
        metadata={
            "description": "The kind of problem, stable; a page that explains it.",
            "example": BASE + "unknown-bot",
        },
    )
    title = ma.fields.String(required=True, metadata={"description": "The kind in words."})
    status = ma.fields.Integer(required=True, metadata={"description": "The HTTP status."})
    detail = ma.fields.String(
        required=True, metadata={"description": "What is wrong, where, and what to do."}
    )
    errors = ma.fields.List(
        ma.fields.Nested(FieldErrorSchema), metadata={"description": "The fields at fault."}
    )
    request_id = ma.fields.String(metadata={"description": "Names the request in the service's log."})


def problem(
    slug: str,
    detail: str,
    errors: tuple[FieldError, ...] = (),
    headers: Mapping[str, str] = {},
    status: int | None = None,
) -> Response:
    """The answer for one kind of problem."""
    kind = PROBLEMS[slug]
    body: dict[str, Any] = {
        "type": BASE + slug,
        "title": kind.title,
        "status": status or kind.status,
        "detail": detail,
        "request_id": g.get("request_id"),
    }
    if errors:
        body["errors"] = [{"field": field, "detail": text} for field, text in errors]
    answer = Response(json.dumps(body), status or kind.status, mimetype=MEDIA_TYPE)
    answer.headers.extend(headers)
    if kind.status == 401:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="arbiter"'
    return answer


_FALLBACK: Mapping[type[ServiceError], str] = {
    NotFound: "not-found",
    Conflict: "wrong-state",
    Refused: "invalid",
}


def on_service_error(error: ServiceError) -> Response:
    """The store's and the policies' errors, and the API's own."""
    slug = error.problem if error.problem in PROBLEMS else _FALLBACK.get(type(error), "internal")
    if isinstance(error, Unavailable):
        return problem("unavailable", error.detail, headers={"Retry-After": str(error.retry_after_s)})
    if isinstance(error, ApiError):
        return problem(slug, error.detail, error.errors, error.headers)
    errors = ((error.field, error.detail),) if error.field else ()
    return problem(slug, error.detail, errors)


def on_http_error(error: HTTPException) -> Response | HTTPException:
    """What Flask and Werkzeug raise: no such route, wrong method, body too large, an uncaught exception."""
    if error.code is None or error.code < 400:
        return error
    slug = BY_STATUS.get(error.code, "bad-request" if error.code < 500 else "internal")
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return problem(slug, _detail(error), headers=headers, status=error.code)


def _detail(error: HTTPException) -> str:
    if error.code == HTTPStatus.NOT_FOUND:
        return f"There is nothing at {request.path}; /docs lists the addresses there are."
    if error.code == HTTPStatus.METHOD_NOT_ALLOWED:
        return f"{request.method} is not possible at {request.path}; see the Allow header."
    if error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return f"The body is larger than the {request.max_content_length} bytes that are read."
    if error.code == HTTPStatus.INTERNAL_SERVER_ERROR:
        return "Something went wrong in the service. The log has the cause under this request id."
    return error.description or HTTPStatus(error.code or 500).phrase


def on_rate_limit(error: RateLimitExceeded) -> Response:
    """Too many requests; Flask-Limiter adds Retry-After and X-RateLimit-*."""
    limit = error.limit.limit if error.limit else ""
    return problem("too-many-requests", f"More than {limit}; wait as long as Retry-After says.")


def validation_error(messages: Any) -> ApiError:
    """What marshmallow found wrong with the body, the query or the headers."""
    errors = tuple(flat(messages))
    unknown = [field for field, text in errors if text == UNKNOWN]
    if unknown:
        detail = f"Unknown: {', '.join(unknown)}. /docs lists what may be sent here."
        return ApiError("unknown-member", detail, tuple((f, _sentence(t)) for f, t in errors))
    first = f"{errors[0][0]}: {_sentence(errors[0][1])}" if errors else "The request is not valid."
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return ApiError("invalid", first + more, tuple((f, _sentence(t)) for f, t in errors))


def flat(messages: Any, path: str = "") -> Iterator[FieldError]:
    """marshmallow's nested messages as (dotted path, sentence); the schema's own stand under ""."""
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            step = "" if name == "_schema" else str(name)
            yield from flat(inner, f"{path}.{step}".strip(".") if step else path)
    elif isinstance(messages, list):
        for inner in messages:
            yield from flat(inner, path)
    else:
        yield path, str(messages)


def _sentence(text: str) -> str:
    return "is unknown; leave it out or correct its name" if text == UNKNOWN else re.sub(r"\.$", "", text)


def register(app: Flask) -> None:
    """Install the handlers above."""
    app.register_error_handler(ServiceError, on_service_error)
    app.register_error_handler(RateLimitExceeded, on_rate_limit)
    app.register_error_handler(HTTPException, on_http_error)

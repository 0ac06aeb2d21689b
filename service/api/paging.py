"""Pages of lists, and answers that need not be sent again (ETag)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from flask import Response, request

from service.api.errors import ApiError
from service.models import Page

_REVISION = re.compile(r'(?:^|[\s,])"r([0-9]{1,15})-[0-9a-f]+"')
_TAGGED = ("application/json", "text/html", "text/css", "text/csv")


def page(found: Page, items: Iterable[Any] | None = None) -> tuple[dict[str, Any], int, dict[str, str]]:
    """A page as a view returns it: the body, and the address of the next one in `Link`."""
    body = {"items": list(found.items if items is None else items), "next": found.next}
    return body, 200, _link(found.next)


def _link(cursor: str | None) -> dict[str, str]:
    if cursor is None:
        return {}
    query = {name: value for name, value in request.args.items() if name != "cursor"}
    return {"Link": f'<{request.path}?{urlencode({**query, "cursor": cursor})}>; rel="next"'}


def conditional(response: Response) -> Response:
    """Tag a whole JSON answer to a GET, and answer 304 where the client has it already."""
    revision = response.headers.pop("X-Revision", None)
    fit = request.method in ("GET", "HEAD") and response.status_code == 200 and not response.is_streamed
    fit = fit and not response.cache_control.no_store
    if revision is None and (not fit or response.mimetype not in _TAGGED):
        return response
    response.add_etag()
    if revision is not None:
        digest, _ = response.get_etag()
        response.set_etag(f"r{revision}-{digest}")
    response.headers.setdefault("Cache-Control", "no-cache")
    response.vary.add("Authorization")
    if fit:
        response.make_conditional(request)
    return response


def expected_revision() -> int | None:
    """The revision that If-Match asks for; None for `*`. Raises ApiError if there is no If-Match."""
    given = request.headers.get("If-Match", "").strip()
    if not given:
        raise ApiError(
            "if-match-required",
            "Send If-Match with the ETag of your last read, or If-Match: * to overwrite whatever is there.",
        )
    if given == "*":
        return None
    if found := _REVISION.search(given):
        return int(found[1])
    raise ApiError("stale", "If-Match is no ETag of this object; read it again and use the new one.")

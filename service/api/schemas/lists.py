"""Lists: the query that pages them, and the page."""

from __future__ import annotations

from functools import cache
from typing import Any

import marshmallow as ma
from marshmallow import validate

from service.api.schemas.fields import Digits, described

MAX_LIMIT = 200


class ListQuery(ma.Schema):
    """What every list takes."""

    limit = Digits(1, MAX_LIMIT, load_default=50, metadata=described("How many items a page holds at most."))
    cursor = ma.fields.String(
        load_default=None,
        validate=validate.Regexp(
            r"[A-Za-z0-9_:.=-]{1,200}\Z", error="is not a cursor; use `next` as it came"
        ),
        metadata=described("`next` of the page before; leave it out for the first page."),
    )


class NumberedQuery(ListQuery):
    """What a list takes whose cursor is a number."""

    cursor = ma.fields.String(
        load_default=None,
        validate=validate.Regexp(r"[0-9]{1,15}\Z", error="is not a cursor; use `next` as it came"),
        metadata=described("`next` of the page before; leave it out for the first page."),
    )


@cache
def page_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """The schema of a page of `item`."""
    name = item.__name__.removesuffix("Schema")
    fields: dict[str, ma.fields.Field[Any]] = {
        "items": ma.fields.List(ma.fields.Nested(item), required=True),
        "next": ma.fields.String(
            required=True, allow_none=True, metadata=described("The next page's cursor, null at the end.")
        ),
    }
    return ma.Schema.from_dict(fields, name=f"{name}PageSchema")

"""Ladders, ratings and their history."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import post_dump

from service.api.schemas.fields import Id, Time, described


class LadderSchema(ma.Schema):
    """A pool of ratings."""

    ladder = ma.fields.String(required=True)
    title = ma.fields.String(required=True)


class LadderListSchema(ma.Schema):
    """All ladders."""

    items = ma.fields.List(ma.fields.Nested(LadderSchema), required=True)


class RatingSchema(ma.Schema):
    """A bot's line in a ladder."""

    rank = ma.fields.Integer(required=True, allow_none=True)
    bot = Id("b", required=True)
    name = ma.fields.String(required=True)
    rating = ma.fields.Float(required=True, metadata=described("Elo points."))
    rating_milli = ma.fields.Integer(required=True, metadata=described("The same in whole milli-points."))
    games = ma.fields.Integer(required=True)
    wins = ma.fields.Integer(required=True)
    draws = ma.fields.Integer(required=True)
    losses = ma.fields.Integer(required=True)
    provisional = ma.fields.Boolean(required=True, metadata=described("Few games so far; it moves fast."))


class RatingChangeSchema(ma.Schema):
    """What one match did to a rating."""

    match = Id("m", required=True)
    at = Time(required=True)
    before = ma.fields.Float(required=True)
    after = ma.fields.Float(required=True)
    place = ma.fields.Integer(required=True)
    opponents = ma.fields.List(Id("b"), required=True)

    @post_dump
    def _points(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Milli-points as points."""
        return data | {"before": data["before"] / 1000, "after": data["after"] / 1000}

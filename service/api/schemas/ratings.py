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
    version = ma.fields.String(
        required=True,
        metadata=described("Of the bot: each version has a rating of its own, this is the newest."),
    )
    fit = ma.fields.Float(
        required=True,
        allow_none=True,
        metadata=described(
            "Its rating by maximum likelihood, from all games at once; the pool's mean is 1500."
        ),
    )
    interval = ma.fields.List(
        ma.fields.Float(), required=True, allow_none=True, metadata=described("95 % interval of the fit.")
    )
    opponents = ma.fields.Integer(
        required=True, allow_none=True, metadata=described("Different ones, in the games of the fit.")
    )
    pool = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata=described("Of bots that games connect, from 0; fits of different pools cannot be compared."),
    )


class FitPoolSchema(ma.Schema):
    """Bots that games connect."""

    pool = ma.fields.Integer(required=True)
    lines = ma.fields.Integer(required=True, metadata=described("Bots, each version for itself."))
    finite = ma.fields.Boolean(
        required=True,
        metadata=described("False: somebody won or lost everything, so a weak prior keeps figures finite."),
    )


class FitSchema(ma.Schema):
    """A ladder's fit by maximum likelihood."""

    ladder = ma.fields.String(required=True)
    ledger = ma.fields.Integer(required=True, metadata=described("The last ledger entry it covers."))
    behind = ma.fields.Integer(required=True, metadata=described("Entries that have come since."))
    at = Time(required=True, allow_none=True, metadata=described("Null before the first fit."))
    took_ms = ma.fields.Integer(required=True)
    games = ma.fields.Integer(required=True)
    lines = ma.fields.Integer(required=True, metadata=described("Bots, each version for itself."))
    left_out = ma.fields.Integer(
        required=True, metadata=described("Lines with the fewest games, beyond the most that are fitted.")
    )
    first_seat = ma.fields.Float(
        required=True, allow_none=True, metadata=described("What sitting first is worth, in points.")
    )
    first_seat_half_width = ma.fields.Float(required=True, allow_none=True)
    draw = ma.fields.Float(
        required=True, allow_none=True, metadata=described("Davidson's ν; null if nothing was drawn.")
    )
    pools = ma.fields.List(
        ma.fields.Nested(FitPoolSchema), required=True, metadata=described("The largest first, 50 at most.")
    )


class SuperiorityQuery(ma.Schema):
    """Which two bots."""

    bot = Id("b", required=True)
    other = Id("b", required=True)


class SuperioritySchema(ma.Schema):
    """Two bots compared."""

    ladder = ma.fields.String(required=True)
    bot = Id("b", required=True)
    other = Id("b", required=True)
    difference = ma.fields.Float(required=True, metadata=described("Points the first is above the second."))
    interval = ma.fields.List(ma.fields.Float(), required=True, metadata=described("Its 95 % interval."))
    superiority = ma.fields.Float(
        required=True, metadata=described("The likelihood that the first is the stronger one.")
    )


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

"""Bots."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import ValidationError, post_dump, validate, validates_schema

from engines.registry import GAMES
from service.api.schemas.fields import Id, Line, Prose, Time, Whole, Yes, described
from service.api.schemas.lists import ListQuery
from service.endpoint import MAX_URL, BadUrl, Endpoint
from service.models import BotState

CHALLENGES = ("anyone", "owners", "nobody")
TRANSPORTS = ("http", "poll")


class Games(ma.fields.List[str]):
    """Names of games, each once."""

    def __init__(self, text: str = "The games it plays.", **kwargs: Any) -> None:
        super().__init__(
            ma.fields.String(validate=validate.OneOf(list(GAMES), error="must be one of {choices}")),
            validate=validate.Length(1, len(GAMES)),
            metadata=described(text, example=["quixo"]),
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return tuple(dict.fromkeys(super()._deserialize(value, attr, data, **kwargs)))


def readable(url: str) -> None:
    """Raise ValidationError unless a bot or a webhook can have this address."""
    try:
        Endpoint.parse(url)
    except BadUrl as error:
        raise ValidationError(str(error)) from None


def _url(**kwargs: Any) -> ma.fields.String:
    return ma.fields.String(
        validate=readable,
        metadata=described(
            "The one address that is POSTed to.",
            example="https://bots.example.org/quixo",
            minLength=1,
            maxLength=MAX_URL,
        ),
        **kwargs,
    )


def _challengers(**kwargs: Any) -> ma.fields.List[str]:
    return ma.fields.List(
        Id("o"),
        validate=validate.Length(0, 100),
        metadata=described("The owners who may challenge it, where `challenges` is owners."),
        **kwargs,
    )


class BotRequestSchema(ma.Schema):
    """A bot to be registered."""

    name = Line(1, 40, required=True, metadata=described("Unique among its owner's bots.", example="Greedy"))
    games = Games(required=True)
    url = _url(load_default=None)
    transport = ma.fields.String(
        load_default="http",
        validate=validate.OneOf(TRANSPORTS),
        metadata=described("http: the service calls `url`; poll: the bot fetches its turns, and has no url."),
    )
    version = Line(
        1, 40, load_default="1", metadata=described("A new version starts a rating line of its own.")
    )
    concurrency = Whole(1, 64, load_default=1, metadata=described("Matches it plays at once."))
    description = Prose(0, 2000, load_default="")
    private = Yes(load_default=False, metadata=described("Seen by its owner only, never rated."))
    challenges = ma.fields.String(
        load_default="anyone",
        validate=validate.OneOf(CHALLENGES),
        metadata=described("Who may ask for a match with it, and enter it in a tournament of theirs."),
    )
    challengers = _challengers(load_default=())
    challenges_per_day = Whole(
        0, 10_000, load_default=None, allow_none=True, metadata=described("Challenges it takes a day (UTC).")
    )

    @validates_schema
    def _address(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data["transport"] == "http" and data["url"] is None:
            raise ValidationError("is needed, unless transport is poll", "url")
        if data["transport"] == "poll" and data["url"] is not None:
            raise ValidationError("has no meaning where transport is poll", "url")


class BotChangeSchema(ma.Schema):
    """What an owner may change."""

    name = Line(1, 40)
    games = Games()
    url = _url()
    version = Line(1, 40)
    concurrency = Whole(1, 64)
    description = Prose(0, 2000)
    private = Yes()
    challenges = ma.fields.String(validate=validate.OneOf(CHALLENGES))
    challengers = _challengers()
    challenges_per_day = Whole(0, 10_000, allow_none=True)
    away = Yes(metadata=described("true: gets no new matches until it is false again."))


class BotSchema(ma.Schema):
    """A bot. `url`, `challengers` and `failures` are there for its owner only."""

    id = Id("b", required=True)
    owner = Id("o", required=True)
    name = ma.fields.String(required=True)
    games = ma.fields.List(ma.fields.String(), required=True)
    version = ma.fields.String(required=True)
    transport = ma.fields.String(required=True, validate=validate.OneOf(TRANSPORTS))
    concurrency = ma.fields.Integer(required=True)
    state = ma.fields.Enum(BotState, by_value=True, required=True)
    state_reason = ma.fields.String(required=True, allow_none=True)
    description = ma.fields.String(required=True)
    private = ma.fields.Boolean(required=True)
    challenges = ma.fields.String(required=True, validate=validate.OneOf(CHALLENGES))
    challenges_per_day = ma.fields.Integer(required=True, allow_none=True)
    created_at = Time(required=True)
    verified_at = Time(required=True, allow_none=True)
    last_poll_at = Time(
        required=True, allow_none=True, metadata=described("When it last fetched its turns, if it does.")
    )
    revision = ma.fields.Integer(required=True, metadata=described("Grows with every change."))
    url = ma.fields.String(allow_none=True)
    challengers = ma.fields.List(Id("o"))
    failures = ma.fields.Integer(metadata=described("Failures in a row; five pause it."))

    OWNER_ONLY = ("url", "challengers", "failures")

    @post_dump(pass_original=True)
    def _hide(self, data: dict[str, Any], original: Any, **kwargs: Any) -> dict[str, Any]:
        from service.api.objects import owns

        if not owns(original.owner):
            for name in self.OWNER_ONLY:
                data.pop(name, None)
        return data


class NewBotSchema(BotSchema):
    """A bot as its registration answers: with the secret, which is not shown again."""

    secret = ma.fields.String(
        required=True, metadata=described("Signs all that is sent to the bot; shown once.", example="whsec_…")
    )


class SecretSchema(ma.Schema):
    """A new signing secret."""

    secret = ma.fields.String(
        required=True, metadata=described("Shown once; the old one holds for a day more.")
    )


class VerificationSchema(ma.Schema):
    """How the last verification went."""

    bot = Id("b", required=True)
    state = ma.fields.String(required=True, validate=validate.OneOf(("none", "pending", "passed", "failed")))
    asked_at = Time(required=True, allow_none=True)
    finished_at = Time(required=True, allow_none=True)
    detail = ma.fields.String(
        required=True, allow_none=True, metadata=described("What was sent, what came, what was expected.")
    )


class PercentilesSchema(ma.Schema):
    """Of the bot's last turns (up to 1 000), in milliseconds."""

    p50_ms = ma.fields.Float(required=True)
    p90_ms = ma.fields.Float(required=True)
    p99_ms = ma.fields.Float(required=True)
    max_ms = ma.fields.Float(required=True)


class BotHealthSchema(ma.Schema):
    """What its owner needs to know about how a bot is doing."""

    bot = Id("b", required=True)
    state = ma.fields.Enum(BotState, by_value=True, required=True)
    state_reason = ma.fields.String(required=True, allow_none=True)
    verified_at = Time(required=True, allow_none=True)
    failures = ma.fields.Integer(required=True)
    open_matches = ma.fields.Integer(required=True)
    last_seen_at = Time(required=True, allow_none=True, metadata={"description": "End of its last match."})
    turns = ma.fields.Integer(required=True, metadata={"description": "Turns that the figures are of."})
    charged = ma.fields.Nested(PercentilesSchema, required=True, allow_none=True)
    connecting = ma.fields.Nested(PercentilesSchema, required=True, allow_none=True)
    faults = ma.fields.Dict(
        ma.fields.String(),
        ma.fields.Integer(),
        required=True,
        metadata={"description": "How often, by reason."},
    )


class BotQuery(ListQuery):
    """Which bots to list."""

    game = ma.fields.String(load_default=None, validate=validate.OneOf(list(GAMES)))
    owner = ma.fields.String(
        load_default=None, validate=validate.Length(1, 40), metadata=described("An owner's id, or me.")
    )
    state = ma.fields.Enum(BotState, by_value=True, load_default=None)

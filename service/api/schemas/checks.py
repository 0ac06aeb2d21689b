"""Checks of bots by the doctor."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from engines.protocol import FaultReason
from service.api.schemas.bots import BotHealthSchema, Games, VerificationSchema
from service.api.schemas.fields import Id, Time, described
from service.api.schemas.games import ClockField
from service.models import ExaminationState

LEVELS = {
    "ok": "as it should be",
    "note": "worth knowing",
    "advice": "works, and could be better",
    "error": "loses matches, or keeps the bot from being verified",
}


class CheckRequestSchema(ma.Schema):
    """What the doctor is to look at; may be left out as a whole."""

    may_be_absent = True
    games = Games("Some of the games it plays; left out: all of them.")
    clock = ClockField()


class FindingSchema(ma.Schema):
    """One thing that was looked at. The four texts are empty where there is nothing to mend."""

    game = ma.fields.String(required=True, metadata=described("Empty where it holds for all."))
    check = ma.fields.String(required=True, metadata=described("What was looked at.", example="keep-alive"))
    level = ma.fields.String(
        required=True,
        validate=validate.OneOf(list(LEVELS)),
        metadata=described("; ".join(f"{name}: {text}" for name, text in LEVELS.items())),
    )
    summary = ma.fields.String(required=True)
    sent = ma.fields.String(required=True)
    came = ma.fields.String(required=True)
    expected = ma.fields.String(required=True)
    mend = ma.fields.String(required=True)
    reason = ma.fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf([str(reason) for reason in FaultReason]),
        metadata=described("The fault that it would be in a match."),
    )


class CheckProgressSchema(ma.Schema):
    """How far a check is."""

    game = ma.fields.String(required=True, allow_none=True, metadata=described("Looked at now, or last."))
    requests = ma.fields.Integer(required=True, metadata=described("Messages sent to the bot."))


class ServiceViewSchema(ma.Schema):
    """What the service knows of the bot from its matches."""

    health = ma.fields.Nested(BotHealthSchema, required=True)
    verification = ma.fields.Nested(VerificationSchema, required=True)
    last_poll_at = Time(required=True, allow_none=True)


class CheckSchema(ma.Schema):
    """A check of a bot by the doctor, with the service's own view of the bot as it is now."""

    id = Id("c", required=True)
    bot = Id("b", required=True)
    state = ma.fields.Enum(ExaminationState, by_value=True, required=True)
    detail = ma.fields.String(
        required=True, allow_none=True, metadata=described("Why it waits, or could not be finished.")
    )
    passed = ma.fields.Boolean(
        required=True, allow_none=True, metadata=described("Whether nothing must be mended; null until done.")
    )
    games = ma.fields.List(ma.fields.String(), required=True)
    clock = ma.fields.Dict(required=True)
    asked_at = Time(required=True)
    begun_at = Time(required=True, allow_none=True)
    finished_at = Time(required=True, allow_none=True)
    progress = ma.fields.Nested(CheckProgressSchema, required=True)
    findings = ma.fields.List(ma.fields.Nested(FindingSchema), required=True)
    service = ma.fields.Nested(ServiceViewSchema, required=True)

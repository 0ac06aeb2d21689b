"""Webhooks and how their deliveries went."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from service.api.schemas.bots import readable
from service.api.schemas.fields import Id, Time, described
from service.endpoint import MAX_URL
from service.store.webhooks import EVENTS


class WebhookRequestSchema(ma.Schema):
    """Where to tell what."""

    url = ma.fields.String(
        required=True,
        validate=readable,
        metadata=described(
            "POSTed to.", example="https://example.org/arbiter", minLength=1, maxLength=MAX_URL
        ),
    )
    events = ma.fields.List(
        ma.fields.String(validate=validate.OneOf(EVENTS)),
        load_default=list(EVENTS),
        validate=validate.Length(1, len(EVENTS)),
        metadata=described("What to be told of: your bots' matches, tournaments you are in, bots paused."),
    )


class WebhookSchema(ma.Schema):
    """A webhook without its secret."""

    id = Id("w", required=True)
    url = ma.fields.String(required=True)
    events = ma.fields.List(ma.fields.String(), required=True)
    created_at = Time(required=True)
    paused = ma.fields.String(
        required=True, allow_none=True, metadata=described("Why nothing is sent any more, if so.")
    )


class NewWebhookSchema(WebhookSchema):
    """A webhook as it is shown once."""

    secret = ma.fields.String(
        required=True, metadata=described("Signs what is sent (Standard Webhooks).", example="whsec_…")
    )


class WebhookListSchema(ma.Schema):
    """The asking owner's webhooks."""

    items = ma.fields.List(ma.fields.Nested(WebhookSchema), required=True)


class DeliverySchema(ma.Schema):
    """One try to tell a webhook something."""

    letter = ma.fields.String(required=True, metadata=described("The message; `webhook-id` in the request."))
    event = ma.fields.String(required=True)
    at = Time(required=True)
    attempt = ma.fields.Integer(required=True)
    status = ma.fields.Integer(required=True, allow_none=True, metadata=described("What it answered."))
    detail = ma.fields.String(required=True)
    delivered = ma.fields.Boolean(required=True)
    next_at = Time(required=True, allow_none=True, metadata=described("When it is tried again, if it is."))


class DeliveryListSchema(ma.Schema):
    """The last tries, newest first."""

    items = ma.fields.List(ma.fields.Nested(DeliverySchema), required=True)

"""Turns of bots that poll."""

from __future__ import annotations

import marshmallow as ma

from service.api.schemas.fields import Digits, described
from service.api.schemas.matches import MAX_WAIT_S

MAX_MESSAGES = 64


class TurnsQuery(ma.Schema):
    """How long to wait, for how much."""

    wait = Digits(
        0,
        MAX_WAIT_S,
        load_default=MAX_WAIT_S,
        metadata=described("Seconds to wait for a message; 0 answers at once with all that are open."),
    )
    max = Digits(1, MAX_MESSAGES, load_default=8, metadata=described("Messages that are taken at once."))


class TurnsSchema(ma.Schema):
    """Messages to a bot."""

    messages = ma.fields.List(
        ma.fields.Dict(),
        required=True,
        metadata=described("What a bot with an address is sent, each with its `message_id`."),
    )

"""Turns of bots without an address: they fetch their messages here and post their replies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from flask import Response, request

from engines.protocol import MAX_REPLY_BYTES
from service.api.blueprint import Blueprint
from service.api.connection import age_us, hung_up
from service.api.context import settings, store
from service.api.errors import ApiError
from service.api.objects import own_bot
from service.api.schemas.turns import TurnsQuery, TurnsSchema
from service.api.streams import polls
from service.errors import Unavailable
from service.store.mailbox import Mail, Mailbox, Replied

turns = Blueprint("turns", __name__, url_prefix="/v1/bots", description="Turns of bots that poll.")

COME_AGAIN_S = 1  # while too many poll: within the time that is not charged

_REPLY = {
    "required": True,
    "content": {"application/json": {"schema": {"type": "object", "description": "As over HTTP."}}},
}


class _Gone(Exception):
    """Who polled has hung up; what is fetched now would be lost to him."""


@turns.route("/<bot_id>/turns")
@turns.arguments(TurnsQuery, location="query")
@turns.response(200, TurnsSchema)
@turns.alt_response(204, success=True)
@turns.alt_response(409, response="CONFLICT")
def fetch(query: dict[str, Any], bot_id: str) -> Response:
    """Fetch turns

    Waits for messages to the bot and answers 204 if none comes. One that is not answered comes again every
    two seconds.
    """
    _check_polls(bot_id)
    store().bots.polled(bot_id)
    mails = _fetched(bot_id, query["max"], query["wait"] * 1000)
    if not mails:
        return Response(status=204)
    bodies = ",".join(mail.body for mail in mails)
    answer = Response(f'{{"messages":[{bodies}]}}', mimetype="application/json")
    answer.headers["Cache-Control"] = "no-store"
    answer.call_on_close(partial(_note_sent, store().mailbox, mails))
    return answer


def _note_sent(mailbox: Mailbox, mails: Sequence[Mail]) -> None:
    """Let the clocks run from now; they run already, so nothing is lost but some milliseconds of a bot's."""
    with suppress(Unavailable):
        mailbox.sent(mails)


def _check_polls(bot_id: str) -> None:
    """Raise NotFound unless the bot is the asker's, ApiError unless it polls."""
    bot = own_bot(bot_id)
    if bot.url is not None:
        raise ApiError("wrong-state", f"{bot.name} has an address; it is sent its turns there.")


def _fetched(bot_id: str, most: int, wait_ms: int) -> list[Mail]:
    """Messages, waited for where there is a place to wait in."""
    check = _check_listens()
    if not wait_ms:
        return store().mailbox.fetch(bot_id, most, 0, check, again_us=0)
    try:
        polls.take(settings().max_polls, "polls", COME_AGAIN_S)
    except ApiError:
        if found := store().mailbox.fetch(bot_id, most, 0, check):
            return found
        raise
    try:
        return store().mailbox.fetch(bot_id, most, wait_ms, check)
    except _Gone:
        return []
    finally:
        polls.free()


def _check_listens() -> Callable[[], None]:
    gone = hung_up()

    def check() -> None:
        if gone():
            raise _Gone

    return check


@turns.route("/<bot_id>/replies/<message_id>", methods=["POST"])
@turns.doc(requestBody=_REPLY)
@turns.response(204)
@turns.alt_response(410, response="GONE")
def reply(bot_id: str, message_id: str) -> None:
    """Reply to a message

    The first reply counts. It is read as strictly as one over HTTP: what is malformed, illegal or too large
    loses in the same way.
    """
    _check_polls(bot_id)
    body = _body()
    outcome = store().mailbox.reply(bot_id, message_id, body, age_us())
    if outcome is Replied.ANSWERED:
        raise ApiError("already-answered", f"{message_id} has been answered; the first reply counts.")
    if outcome is Replied.OVER:
        raise ApiError("gone", f"{message_id} is not open (any more): its turn has passed, or its match.")
    if len(body) > MAX_REPLY_BYTES:
        raise ApiError("body-too-large", f"A reply has at most {MAX_REPLY_BYTES} bytes; this is a fault.")


def _body() -> bytes:
    """The reply, as far as it is looked at; raises ApiError if it is encoded."""
    if request.content_encoding not in (None, "", "identity"):
        raise ApiError(
            "unsupported-media-type",
            f"Content-Encoding {request.content_encoding} is not read; send plain JSON.",
        )
    request.max_content_length = sys.maxsize  # what is behind the bound is not read
    return request.stream.read(MAX_REPLY_BYTES + 1)

"""Every kind of error that the API answers with, in one table. A slug, once published, keeps its meaning.

An answer's `type` is `/problems/<slug>`, which is also a page that explains it (RFC 9457).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BASE = "/problems/"


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of error: its HTTP status, a title that never varies, and what to do about it."""

    status: int
    title: str
    advice: str


PROBLEMS: Mapping[str, Problem] = {
    # The request itself
    "bad-request": Problem(400, "Bad request", "The request could not be read; the detail says where."),
    "malformed-json": Problem(400, "Malformed JSON", "Send one JSON document in UTF-8."),
    "duplicate-member": Problem(400, "Duplicate member", "Give every member of an object once."),
    "too-deep": Problem(400, "Nested too deep", "Send a flatter document."),
    "unknown-member": Problem(400, "Unknown member", "Leave out what the errors name, or correct its name."),
    "bad-cursor": Problem(400, "Bad cursor", "Use `next` as it came, with the same filters."),
    "not-acceptable": Problem(406, "Not acceptable", "Ask for application/json or text/event-stream."),
    "body-too-large": Problem(413, "Body too large", "Send less at once; /v1/limits has the bound."),
    "unsupported-media-type": Problem(
        415, "Unsupported media type", "Send Content-Type: application/json, without Content-Encoding."
    ),
    "invalid": Problem(422, "Invalid values", "Correct the fields that the errors name."),
    "method-not-allowed": Problem(405, "Method not allowed", "Use one of the methods in the Allow header."),
    # Who asks
    "no-key": Problem(401, "No API key", "Send Authorization: Bearer arb_..."),
    "bad-key": Problem(401, "Unknown API key", "Check the key; a revoked one stays dead. Make another one."),
    "banned": Problem(403, "Owner banned", "The operator has banned this owner; the detail has the reason."),
    "missing-scope": Problem(403, "Key without that scope", "Use a key whose scopes include the one named."),
    "missing-role": Problem(403, "Role not sufficient", "Ask the operator for the role that is named."),
    "signup-closed": Problem(403, "Sign-up closed", "Ask the operator to add you."),
    "bad-invitation": Problem(403, "Bad invitation", "Ask the operator for an invitation code."),
    # What is asked for
    "not-found": Problem(404, "Not found", "Check the id; what is private answers like this."),
    "gone": Problem(410, "Gone", "What was asked about is over."),
    "name-taken": Problem(409, "Name taken", "Choose another name."),
    "wrong-state": Problem(409, "Not possible in this state", "The detail says which states allow it."),
    "already-started": Problem(409, "Already started", "Nothing is to be done: it has been started before."),
    "too-few-entrants": Problem(409, "Too few entrants", "Enter more bots, then start."),
    "already-entered": Problem(409, "Already entered", "Nothing is to be done: the bot is in."),
    "tournament-full": Problem(409, "Tournament full", "Enter another one, or ask its owner for room."),
    "entry-closed": Problem(409, "Entry closed", "It is over, or by the tournament owner's invitation."),
    "match-not-over": Problem(409, "Match not over", "Follow its events until it is."),
    "record-withheld": Problem(409, "Record withheld", "Ask again once all games with its deck are over."),
    "not-comparable": Problem(409, "Not comparable", "Let them play each other, or a common opponent."),
    "already-answered": Problem(409, "Already answered", "The first reply counts."),
    "stale": Problem(412, "Changed meanwhile", "Read it again and repeat the change with the new ETag."),
    "if-match-required": Problem(428, "If-Match required", "Send the ETag of your last read, or *."),
    "in-progress": Problem(409, "Still in progress", "The same request is at work; ask again shortly."),
    "idempotency-key-reused": Problem(
        422, "Idempotency key used before", "Take a new Idempotency-Key for a different request."
    ),
    "shown-once": Problem(409, "Secret already shown", "Revoke what was made then and make another one."),
    # Bots and matches
    "unknown-bot": Problem(422, "Unknown bot", "Check the id; GET /v1/bots lists the bots."),
    "own-bot-both-sides": Problem(422, "One bot on both sides", "Name different bots for different sides."),
    "game-not-played": Problem(422, "Bot does not play this game", "Choose a bot whose `games` name it."),
    "wrong-seat-count": Problem(422, "Wrong number of seats", "Name one bot for each seat of the game."),
    "unverified-bot": Problem(409, "Bot not verified", "Start the bot, then POST /v1/bots/{id}/verify."),
    "bot-retired": Problem(409, "Bot retired", "Choose another bot; retirement is for good."),
    "bot-away": Problem(409, "Bot away", "Try later, or choose another bot."),
    "bot-paused": Problem(409, "Bot paused", "It failed repeatedly; its owner resumes it by verifying."),
    "challenge-refused": Problem(403, "Challenge refused", "Its owner does not take this challenge."),
    "challenges-used-up": Problem(429, "No more challenges today", "Try again after 00:00 UTC."),
    "checks-used-up": Problem(429, "No more checks today", "Try again after 00:00 UTC."),
    "bad-option": Problem(422, "Bad game option", "GET /v1/games/{name} lists the options and their values."),
    "bad-clock": Problem(422, "Bad time control", "Use a preset or a control; /v1/limits lists both."),
    # Bounds
    "quota": Problem(409, "Quota used up", "Free some of what you have; /v1/limits lists the quotas."),
    "too-many-requests": Problem(429, "Too many requests", "Wait for as long as Retry-After says."),
    "too-many-streams": Problem(503, "Too many open streams", "Wait as long as Retry-After says, or poll."),
    "unavailable": Problem(503, "Unavailable", "Repeat the request after Retry-After seconds."),
    "internal": Problem(500, "Internal error", "Report the request id to the operator."),
}

# What a status means when nothing more is known about an error.
BY_STATUS: Mapping[int, str] = {
    400: "bad-request",
    401: "no-key",
    403: "missing-scope",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    410: "gone",
    413: "body-too-large",
    415: "unsupported-media-type",
    422: "invalid",
    429: "too-many-requests",
    500: "internal",
    503: "unavailable",
}

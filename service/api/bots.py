"""Bots: register, read, list, change, retire, verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import jobs, now_ms, settings, store
from service.api.errors import ApiError
from service.api.objects import own_bot, owner_named, seen_bot, viewer
from service.api.once import once
from service.api.paging import expected_revision, page
from service.api.schemas.bots import (
    BotChangeSchema,
    BotHealthSchema,
    BotQuery,
    BotRequestSchema,
    BotSchema,
    NewBotSchema,
    SecretSchema,
    VerificationSchema,
)
from service.api.schemas.lists import page_of
from service.config import port_ranges
from service.endpoint import Endpoint
from service.ids import new_id
from service.models import Bot, BotState
from service.store.bots import BotFilter, new_secret

bots = Blueprint("bots", __name__, url_prefix="/v1/bots", description="The programs that play.")

_AT_HOME = (BotState.ACTIVE, BotState.AWAY)


@bots.route("", methods=["POST"])
@bots.arguments(BotRequestSchema)
@bots.response(201, NewBotSchema)
@marked("takes_once")
def register(wanted: dict[str, Any]) -> Any:
    """Register a bot

    The answer holds its signing secret, which is shown this once. Start the bot with it, then ask for its
    verification. A bot that polls is active at once, and can be asked for matches while it polls.
    """
    check_port(wanted["url"])
    draft = Bot(
        id=new_id("b"),
        owner=asker().owner.id,
        state=BotState.UNVERIFIED if wanted["transport"] == "http" else BotState.ACTIVE,
        state_reason=None,
        secret=new_secret(),
        created_at=now_ms(),
        **{**wanted, "challengers": tuple(wanted["challengers"])},
    )
    bot = store().bots.create(draft, settings().bots_per_owner, once())
    return bot, 201, {"Location": f"/v1/bots/{bot.id}"}


def check_port(url: str | None) -> None:
    """Raise ApiError unless the operator allows bots at this port."""
    if url is None:
        return
    port = Endpoint.parse(url).port
    if not any(low <= port <= high for low, high in port_ranges(settings().bot_ports)):
        allowed = ", ".join(settings().bot_ports)
        detail = f"port {port} is not allowed here; allowed are: {allowed}"
        raise ApiError("invalid", f"url: {detail}", (("url", detail),))


def ask_verification(bot: Bot) -> None:
    """Note that verification is wanted, and tell the workers."""
    store().verifications.ask(bot.id)
    jobs().verify(bot.id)


@bots.route("")
@bots.arguments(BotQuery, location="query")
@bots.response(200, page_of(BotSchema))
def list_bots(query: dict[str, Any]) -> Any:
    """List bots

    Newest first; private ones are there for their owner only.
    """
    game = query["game"]
    wanted = BotFilter(owner_named(query["owner"]), game, query["state"], viewer())
    return page(store().bots.list(wanted, query["cursor"], query["limit"]))


@bots.route("/<bot_id>")
@bots.response(200, BotSchema)
def read(bot_id: str) -> Any:
    """Read a bot"""
    return _with_revision(seen_bot(bot_id))


def _with_revision(bot: Bot) -> Any:
    return bot, 200, {"X-Revision": str(bot.revision)}


@bots.route("/<bot_id>", methods=["PATCH"])
@bots.arguments(BotChangeSchema)
@bots.response(200, BotSchema)
@marked("needs_if_match")
def change(changes: dict[str, Any], bot_id: str) -> Any:
    """Change a bot

    A changed `url` has to be verified again, which begins at once.
    """
    bot = own_bot(bot_id)
    expected = expected_revision()
    if bot.state is BotState.RETIRED:
        raise ApiError("bot-retired", f"{bot.name} is retired and cannot be changed any more.")
    if "url" in changes and bot.transport != "http":
        raise ApiError("invalid", "url: a bot that polls has none.", (("url", "a bot that polls has none"),))
    check_port(changes.get("url"))
    away = changes.pop("away", None)
    if changes:
        changes = {k: tuple(v) if isinstance(v, list) else v for k, v in changes.items()}
        after = store().bots.update(bot_id, changes, expected, bot)
        if after.url != bot.url:
            ask_verification(after)
        bot, expected = after, after.revision
    if away is not None:
        bot = _set_away(bot, away)
    return _with_revision(bot)


def _set_away(bot: Bot, away: bool) -> Bot:
    if bot.state not in _AT_HOME:
        raise ApiError(
            "wrong-state", f"{bot.name} is {bot.state}; only an active bot can be set away or back."
        )
    state = BotState.AWAY if away else BotState.ACTIVE
    return store().bots.set_state(bot.id, state, "set away by its owner" if away else None, _AT_HOME)


@bots.route("/<bot_id>", methods=["DELETE"])
@bots.response(204)
def retire(bot_id: str) -> None:
    """Retire a bot

    For good: it gets no new matches; its record stays.
    """
    bot = own_bot(bot_id)
    if bot.state is not BotState.RETIRED:
        store().bots.set_state(bot_id, BotState.RETIRED, "retired by its owner")


@bots.route("/<bot_id>/verify", methods=["POST"])
@bots.response(202, VerificationSchema)
def verify(bot_id: str) -> Any:
    """Verify a bot

    A worker asks it to prove that it knows its secret; of a bot that polls, that it has polled lately. A
    paused bot that passes is active again.
    """
    bot = own_bot(bot_id)
    if bot.state is BotState.RETIRED:
        raise ApiError("bot-retired", f"{bot.name} is retired for good.")
    ask_verification(bot)
    where = f"/v1/bots/{bot.id}/verification"
    return verification_of(bot), 202, {"Location": where, "Retry-After": "1"}


@bots.route("/<bot_id>/verification")
@bots.response(200, VerificationSchema)
def verification(bot_id: str) -> Any:
    """How the last verification went"""
    return verification_of(own_bot(bot_id))


def verification_of(bot: Bot) -> dict[str, Any]:
    """How the bot's last verification went, as VerificationSchema has it."""
    return {"bot": bot.id, **asdict(store().verifications.get(bot.id))}


@bots.route("/<bot_id>/health")
@bots.response(200, BotHealthSchema)
def health(bot_id: str) -> Any:
    """How a bot is doing

    What its last turns took, and its faults by reason.
    """
    return health_of(own_bot(bot_id))


def health_of(bot: Bot) -> dict[str, Any]:
    """What the service knows of how a bot is doing, as BotHealthSchema has it."""
    seen = store().health.get(bot.id)
    return {
        "bot": bot.id,
        "state": bot.state,
        "state_reason": bot.state_reason,
        "verified_at": bot.verified_at,
        "failures": bot.failures,
        "open_matches": store().schedule.open_matches(bot.id),
        "last_seen_at": seen.last_seen_at,
        "turns": len(seen.charged_us),
        "charged": percentiles(seen.charged_us),
        "connecting": percentiles(seen.connect_us),
        "faults": seen.faults,
    }


def percentiles(values_us: Sequence[int]) -> dict[str, float] | None:
    """Percentiles (nearest rank) in milliseconds; None of nothing."""
    if not values_us:
        return None
    ordered = sorted(values_us)

    def at(percent: int) -> float:
        return ordered[-(-len(ordered) * percent // 100) - 1] / 1000

    return {"p50_ms": at(50), "p90_ms": at(90), "p99_ms": at(99), "max_ms": ordered[-1] / 1000}


@bots.route("/<bot_id>/secret", methods=["POST"])
@bots.response(200, SecretSchema)
def rotate_secret(bot_id: str) -> Any:
    """Rotate the signing secret

    The new one is shown this once. For a day requests are signed with both.
    """
    own_bot(bot_id)
    return store().bots.rotate_secret(bot_id)

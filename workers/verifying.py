"""Verification: does the program behind a bot's URL know the bot's secret?

Asked by its owner (`verify`), or by the service itself (`check`): of a bot in use, and of a paused one.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

import structlog

from engines.protocol import MalformedReply, encode, sign, verify_request
from service.checking import keep_checking
from service.errors import Conflict
from service.matches import polls_now
from service.models import Bot
from service.store import Store
from service.store.owners import now_ms
from workers.bot_client import BadUrl, BotFault, Endpoint, HttpError, Line, Network, OurFault
from workers.proving import prove

_log = structlog.get_logger(__name__)
LIMIT_US = 5_000_000


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is wrong: `detail` for the owner, `public` without the bot's address; `sent`: it got a request."""

    detail: str
    public: str
    sent: bool = True
    fault: BotFault | None = None  # unless there was a whole answer, or nothing was sent

    @property
    def gone(self) -> bool:
        """The bot answered 410: it is not to be called any more."""
        return isinstance(self.fault, HttpError) and self.fault.gone


class Moved(Exception):
    """The bot's address or state was changed while it was asked, so the answer counts for nothing."""


def verify(store: Store, network: Network, bot_id: str) -> None:
    """Ask once and keep what came of it. A fault of ours leaves the request open: the sweep asks again."""
    try:
        verify_now(store, network, bot_id)
    except (OurFault, Moved) as error:
        _log.warning("verification put off", bot=bot_id, reason=str(error))


def verify_now(store: Store, network: Network, bot_id: str) -> Refusal | None:
    """Ask once and keep what came of it; what was wrong, if anything was. Raises OurFault, Moved."""
    bot = store.bots.get(bot_id)
    keep_checking(store, now_ms(), bot_id)
    if not store.verifications.begin(bot):
        detail = store.verifications.get(bot_id).detail or ""
        return Refusal(detail, detail, sent=False)
    try:
        refused = _refused(bot, network)
    except OurFault:
        store.verifications.not_sent(bot)
        raise
    if refused is not None and not refused.sent:
        store.verifications.not_sent(bot)
    _keep(store, bot, refused)
    return refused


def _keep(store: Store, bot: Bot, refused: Refusal | None) -> None:
    """Raises Moved: then the new address has a verification of its own, and nothing is kept of this one."""
    _check_address(store, bot)
    if refused is None:
        detail = "the bot has polled lately" if bot.url is None else "the bot answered the challenge"
        try:
            store.verifications.passed(bot, detail)
        except Conflict as error:
            raise Moved(error.detail) from error
    else:
        if refused.gone:
            store.checks.gone(bot.id)
        store.verifications.failed(bot.id, refused.detail)


def _check_address(store: Store, asked: Bot) -> None:
    """An address proves nothing of the one that took its place meanwhile. Raises Moved."""
    if store.bots.get(asked.id).url != asked.url:
        raise Moved("the bot's address was changed while it was asked")


def check(store: Store, network: Network, bot_id: str) -> None:
    """Ask once because the service wants to know. A fault of ours counts as not asked."""
    bot = store.bots.get(bot_id)
    try:
        refused = _refused(bot, network)
        _check_address(store, bot)
        if refused is None:
            store.checks.passed(bot)
    except (OurFault, Moved, Conflict) as error:
        _log.warning("check put off", bot=bot_id, reason=str(error))
        return
    _log.info("bot checked", bot=bot_id, state=bot.state, refused=refused and refused.detail)
    if refused and refused.gone:
        store.checks.gone(bot_id)
    elif refused:
        store.checks.failed(bot_id, refused.public)


def _refused(bot: Bot, network: Network) -> Refusal | None:
    """None if the bot is there and is what it says, otherwise what is wrong. Raises OurFault.

    A bot that polls shows its owner's key with every call; it only has to be there.
    """
    if bot.url is not None:
        return ask(bot, network)
    if polls_now(bot, now_ms()):
        return None
    away = "the bot fetches its turns and has not polled lately; start it"
    return Refusal(away, away, sent=False)


def ask(bot: Bot, network: Network) -> Refusal | None:
    """None if the bot proved itself, otherwise what came and what was expected. Raises OurFault."""
    challenge = secrets.token_hex(32)
    body = encode(verify_request(challenge))
    held = bot.secrets(now_ms())
    headers = sign(held, f"verify:{bot.id}", int(time.time()), body)
    headers["content-type"] = "application/json"
    try:
        line = Line(Endpoint.parse(bot.url or ""), network)
    except BadUrl as error:
        return Refusal(str(error), "its url is not one that the service calls", sent=False)
    try:
        prove(held, challenge, line.post(body, headers, LIMIT_US, tries=1).body)
        return None
    except MalformedReply as error:
        wrong = f"malformed-reply: {error}"
        return Refusal(wrong, wrong)
    except BotFault as fault:
        return Refusal(
            f"{fault.reason}: {fault.detail}", f"{fault.reason}: {fault.public}", fault.connected, fault
        )
    finally:
        line.close()

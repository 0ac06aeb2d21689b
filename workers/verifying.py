"""Verification: does the program behind a bot's URL know the bot's secret?

Asked by its owner (`verify`), or by the service itself (`check`): of a bot in use, and of a paused one.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

import structlog

from engines.protocol import MalformedReply, check_verify_answer, encode, sign, verify_request
from service.checking import keep_checking
from service.matches import polls_now
from service.models import Bot
from service.store import Store
from workers.bot_client import BadUrl, BotFault, Endpoint, HttpError, Line, Network, OurFault

_log = structlog.get_logger(__name__)
LIMIT_US = 5_000_000


class Gone(Exception):
    """The bot answered 410: it is not to be called any more."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is wrong: `detail` for the owner, `public` without the bot's address; `sent`: it got a request."""

    detail: str
    public: str
    sent: bool = True


def verify(store: Store, network: Network, bot_id: str) -> None:
    """Ask once and keep what came of it. A fault of ours leaves the request open: the sweep asks again."""
    bot = store.bots.get(bot_id)
    keep_checking(store, bot_id, _now_ms())
    if not store.verifications.begin(bot_id):
        return
    try:
        refused = _refused(bot, network)
    except OurFault as error:
        store.verifications.not_sent(bot_id)
        _log.warning("verification put off", bot=bot_id, reason=str(error))
    except Gone as answer:
        store.checks.gone(bot_id)
        store.verifications.failed(bot_id, str(answer))
    else:
        if refused is not None:
            if not refused.sent:
                store.verifications.not_sent(bot_id)
            store.verifications.failed(bot_id, refused.detail)
        elif bot.url is None:
            store.verifications.passed(bot_id, "the bot has polled lately")
        else:
            store.verifications.passed(bot_id)


def check(store: Store, network: Network, bot_id: str) -> None:
    """Ask once because the service wants to know. A fault of ours counts as not asked."""
    bot = store.bots.get(bot_id)
    try:
        refused = _refused(bot, network)
    except OurFault as error:
        _log.warning("check put off", bot=bot_id, reason=str(error))
    except Gone:
        store.checks.gone(bot_id)
    else:
        _log.info("bot checked", bot=bot_id, state=bot.state, refused=refused and refused.detail)
        if refused is None:
            store.checks.passed(bot_id)
        else:
            store.checks.failed(bot_id, refused.public)


def _refused(bot: Bot, network: Network) -> Refusal | None:
    """None if the bot is there and is what it says, otherwise what is wrong. Raises OurFault, Gone.

    A bot that polls shows its owner's key with every call; it only has to be there.
    """
    if bot.url is not None:
        return ask(bot, network)
    if polls_now(bot, _now_ms()):
        return None
    away = "the bot fetches its turns and has not polled lately; start it"
    return Refusal(away, away, sent=False)


def ask(bot: Bot, network: Network) -> Refusal | None:
    """None if the bot proved itself, otherwise what came and what was expected. Raises OurFault, Gone."""
    challenge = secrets.token_hex(32)
    body = encode(verify_request(challenge))
    held = bot.secrets(_now_ms())
    headers = sign(held, f"verify:{bot.id}", int(time.time()), body)
    headers["content-type"] = "application/json"
    try:
        line = Line(Endpoint.parse(bot.url or ""), network)
    except BadUrl as error:
        return Refusal(str(error), "its url is not one that the service calls", sent=False)
    try:
        wrong = _wrong(held, challenge, line.post(body, headers, LIMIT_US, tries=1).body)
        return None if wrong is None else Refusal(wrong, wrong)
    except BotFault as fault:
        refused = f"{fault.reason}: {fault.detail}"
        if isinstance(fault, HttpError) and fault.gone:
            raise Gone(refused) from None
        return Refusal(refused, f"{fault.reason}: {fault.public}", fault.connected)
    finally:
        line.close()


def _wrong(held: tuple[str, ...], challenge: str, reply: bytes) -> str | None:
    """What is wrong with the answer; None if it shows one of the secrets that the bot may hold."""
    said = []
    for secret in held:
        try:
            check_verify_answer(secret, challenge, reply)
        except MalformedReply as error:
            said.append(f"malformed-reply: {error}")
        else:
            return None
    return said[0]


def _now_ms() -> int:
    return time.time_ns() // 1_000_000

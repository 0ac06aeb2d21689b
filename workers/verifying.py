"""Verification: does the program behind a bot's URL know the bot's secret?"""

from __future__ import annotations

import secrets
import time

import structlog

from engines.protocol import MalformedReply, check_verify_answer, encode, sign, verify_request
from service.matches import polls_now
from service.models import Bot
from service.store import Store
from workers.bot_client import BadUrl, BotFault, Endpoint, Line, Network, OurFault

_log = structlog.get_logger(__name__)
LIMIT_US = 5_000_000


def verify(store: Store, network: Network, bot_id: str) -> None:
    """Ask once and keep what came of it. A fault of ours leaves the request open: the sweep asks again."""
    bot = store.bots.get(bot_id)
    if bot.url is None:
        _look_for(store, bot)
        return
    if not store.verifications.begin(bot_id):
        return
    try:
        refused = ask(bot, network)
    except OurFault as error:
        _log.warning("verification put off", bot=bot_id, reason=str(error))
        return
    if refused is None:
        store.verifications.passed(bot_id)
    else:
        store.verifications.failed(bot_id, refused)


def _look_for(store: Store, bot: Bot) -> None:
    """A bot that polls shows its owner's key with every call; it only has to be there."""
    if polls_now(bot, time.time_ns() // 1_000_000):
        store.verifications.passed(bot.id, "the bot has polled lately")
    else:
        store.verifications.failed(bot.id, "the bot fetches its turns and has not polled lately; start it")


def ask(bot: Bot, network: Network) -> str | None:
    """None if the bot proved itself, otherwise what came and what was expected. Raises OurFault."""
    challenge = secrets.token_hex(32)
    body = encode(verify_request(challenge))
    headers = sign([bot.secret], f"verify:{bot.id}", int(time.time()), body)
    headers["content-type"] = "application/json"
    try:
        line = Line(Endpoint.parse(bot.url or ""), network)
    except BadUrl as error:
        return str(error)
    try:
        check_verify_answer(bot.secret, challenge, line.post(body, headers, LIMIT_US, tries=1).body)
    except BotFault as fault:
        return f"{fault.reason}: {fault.detail}"
    except MalformedReply as error:
        return f"malformed-reply: {error}"
    finally:
        line.close()
    return None

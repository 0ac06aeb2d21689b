"""Takes the outbox to the outside: `end` to each seat's bot, at least once; what fails is put off."""

from __future__ import annotations

import time

import structlog

from engines.chance import match_seed
from engines.messages import SeatMessages
from engines.protocol import encode, sign
from service.config import Settings
from service.errors import NotFound
from service.models import Letter
from service.store import Store
from workers.bot_client import BotFault, Endpoint, HttpError, Line, Network, OurFault

_log = structlog.get_logger(__name__)
LIMIT_US = 5_000_000
TRIES = 5
FIRST_WAIT_MS = 5_000


def deliver(store: Store, network: Network, settings: Settings, limit: int = 100) -> int:
    """Deliver what is due; how many letters were looked at."""
    letters = store.outbox.take(limit)
    for letter in letters:
        if _told(store, network, settings, letter) or letter.attempt >= TRIES:
            store.outbox.done(letter.id)
        else:
            wait_ms = FIRST_WAIT_MS * 2 ** (letter.attempt - 1)
            store.outbox.again(letter.id, time.time_ns() // 1_000_000 + wait_ms)
    return len(letters)


def _told(store: Store, network: Network, settings: Settings, letter: Letter) -> bool:
    """Whether the letter needs no further try."""
    if letter.item["kind"] != "end":
        return True
    try:
        return _tell_end(store, network, settings, letter)
    except NotFound:
        return True  # the bot or the match is no more


def _tell_end(store: Store, network: Network, settings: Settings, letter: Letter) -> bool:
    match = store.matches.get(letter.item["match"])
    player = match.players[letter.item["seat"]]
    bot = store.bots.get(player.bot)
    if bot.url is None or match.result is None:
        return True
    events = store.matches.events(match.id, 0, 1)
    seats = SeatMessages(match.id, match.game, match.options, player.seat, player.team)
    body = encode(
        seats.end(
            match.result,
            rated=match.rated,
            unrated_reason=match.unrated_reason,
            seed=match_seed(bytes.fromhex(match.secret), events[0][1]["nonces"]).hex(),
            chain_head=match.chain_head or "",
            record_url=f"{settings.base_url}/v1/matches/{match.id}/record",
        )
    )
    headers = sign([bot.secret], f"{match.id}:end:{letter.attempt}", int(time.time()), body)
    headers["content-type"] = "application/json"
    line = Line(Endpoint.parse(bot.url), network)
    try:
        line.post(body, headers, LIMIT_US, tries=1)
    except HttpError:
        return True  # it came; what is answered to `end` does not matter
    except (BotFault, OurFault) as error:
        _log.info("end not told", match=match.id, bot=bot.id, reason=str(error))
        return False
    finally:
        line.close()
    return True

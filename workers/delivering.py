"""Takes the outbox to the outside: `end` to each seat's bot, at least once; what fails is put off.

A bot without an address finds it in its mailbox.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog

from engines.chance import match_seed
from engines.messages import SeatMessages
from engines.protocol import encode, sign
from service.config import Settings
from service.errors import NotFound
from service.models import Bot, Letter, Match, Player
from service.revealing import withheld
from service.store import Store
from service.store.mailbox import Place
from service.store.owners import now_ms
from workers import hooks
from workers.bot_client import BotFault, Endpoint, HttpError, Line, Network, OurFault

_log = structlog.get_logger(__name__)
LIMIT_US = 5_000_000
TRIES = 5
FIRST_WAIT_MS = 5_000
AT_ONCE = 32  # of a batch, which must be worked off before its letters are due again
POSTMEN = 16


def deliver(
    store: Store, network: Network, settings: Settings, stopping: Callable[[], bool] = lambda: False
) -> None:
    """Deliver what is due, several letters at once, until nothing is or `stopping`."""

    def one(letter: Letter) -> None:
        try:
            wait_ms = _again_in(store, network, settings, letter)
        except OurFault as fault:
            _log.warning("letter put back", letter=letter.id, reason=str(fault))
            store.outbox.put_back(letter, now_ms() + FIRST_WAIT_MS)
            return
        if wait_ms is None:
            store.outbox.done(letter.id)
        else:
            store.outbox.again(letter.id, now_ms() + wait_ms)

    with ThreadPoolExecutor(POSTMEN, "post") as postmen:
        while not stopping() and (letters := store.outbox.take(AT_ONCE)):
            list(postmen.map(one, letters))


def _again_in(store: Store, network: Network, settings: Settings, letter: Letter) -> int | None:
    """Deliver one; in how many ms it is to be tried again, None if it is done with. Raises OurFault."""
    try:
        if letter.item["kind"] == "webhook":
            return hooks.tell(store, network, settings, letter)
        if _tell_end(store, network, settings, letter) or letter.attempt >= TRIES:
            return None
    except NotFound as error:
        _log.info("nobody to tell", letter=letter.id, reason=error.detail)
        return None
    return int(FIRST_WAIT_MS * 2 ** (letter.attempt - 1))


def _tell_end(store: Store, network: Network, settings: Settings, letter: Letter) -> bool:
    match = store.matches.get(letter.item["match"])
    player = match.players[letter.item["seat"]]
    bot = store.bots.get(player.bot)
    if bot.unproved:
        return False
    if match.result is None:
        return True
    body = _end(store, settings, match, player)
    message_id = f"{match.id}:end:{player.seat * TRIES + letter.attempt}"  # a bot may hold two seats
    if bot.url is None:
        store.mailbox.tell(Place(bot.id, match.id, player.seat), message_id, body)
        return True
    return _posted(network, bot, message_id, body)


def _end(store: Store, settings: Settings, match: Match, player: Player) -> bytes:
    assert match.result is not None
    events = store.matches.events(match.id, 0, 1)
    seats = SeatMessages(match.id, match.game, match.options, player.seat, player.team)
    return encode(
        seats.end(
            match.result,
            rated=match.rated,
            unrated_reason=match.unrated_reason,
            seed=None if withheld(store, match) else _seed(match, events[0][1]["nonces"]),
            chain_head=match.chain_head or "",
            record_url=f"{settings.base_url}/v1/matches/{match.id}/record",
        )
    )


def _seed(match: Match, nonces: Sequence[str]) -> str:
    return match_seed(bytes.fromhex(match.secret), nonces).hex()


def _posted(network: Network, bot: Bot, message_id: str, body: bytes) -> bool:
    headers = sign(bot.secrets(now_ms()), message_id, int(time.time()), body)
    headers["content-type"] = "application/json"
    line = Line(Endpoint.parse(bot.url or ""), network)
    try:
        line.post(body, headers, LIMIT_US, tries=1)
    except HttpError:
        return True  # it came; what is answered to `end` does not matter
    except BotFault as error:
        _log.info("end not told", message=message_id, bot=bot.id, reason=str(error))
        return False
    finally:
        line.close()
    return True

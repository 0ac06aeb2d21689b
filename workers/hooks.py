"""Tells webhooks what has happened: signed, at least once, behind the same guard as bots.

What happened is one letter; from it comes one for each webhook that wants to know, with tries of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import structlog

from engines.protocol import encode, sign
from service import pseudonyms
from service.checking import begin_probing
from service.config import Settings
from service.models import Delivery, Letter, Match, Webhook
from service.store import Store
from service.store.owners import now_ms
from service.times import rfc3339
from workers.bot_client import BadUrl, BotFault, Endpoint, Line, Network

_log = structlog.get_logger(__name__)
LIMIT_US = 5_000_000
SLOW_S = 2.0
GONE = 410
# How long before the second try, and so on; after the last one it is given up.
WAITS_MS = (5_000, 30_000, 120_000, 600_000, 3_600_000)


def tell(store: Store, network: Network, settings: Settings, letter: Letter) -> int | None:
    """Do what a letter asks for; in how many ms it is tried again, if it is. Raises NotFound, OurFault."""
    if "webhook" not in letter.item:
        if letter.item["event"] == "bot.paused":  # the service itself is told so, too: no crash loses that
            begin_probing(store, letter.item["bot"], now_ms())
        _spread(store, letter)
        return None
    hook = store.webhooks.get(letter.item["webhook"])
    if hook.paused is not None or store.webhooks.delivered(hook.id, letter.id):
        return None
    delivery = _tried(store, network, hook, letter, _body(store, settings, letter))
    store.webhooks.note(hook, delivery)
    if delivery.delivered:
        return None
    if delivery.status == GONE:
        store.webhooks.gone(hook)
    elif delivery.next_at is None:
        _log.warning("webhook not told", webhook=hook.id, letter=letter.id, reason=delivery.detail)
        store.webhooks.gave_up(hook, letter.id, delivery.detail)
    return None if delivery.next_at is None else delivery.next_at - delivery.at


def _spread(store: Store, letter: Letter) -> None:
    """A letter for each webhook that wants to be told."""
    owners, told = _whom(store, letter.item)
    for hook in store.webhooks.of(owners):
        if letter.item["event"] in hook.events and hook.paused is None:
            store.outbox.add(f"{hook.id}:{letter.id}", {**letter.item, **told, "webhook": hook.id})


def _whom(store: Store, item: Mapping[str, Any]) -> tuple[Iterable[str], dict[str, Any]]:
    """The owners whom something concerns, and what must be noted of it now, as it may pass."""
    if "match" in item:
        return item["owners"], {}
    if "tournament" in item:
        cup = store.tournaments.get(item["tournament"])
        return {cup.owner, *(entrant["owner"] for entrant in cup.entrants)}, {}
    bot = store.bots.get(item["bot"])
    return [bot.owner], {"at": now_ms(), "name": bot.name, "reason": bot.state_reason}


def _body(store: Store, settings: Settings, letter: Letter) -> bytes:
    at, data = _what(store, letter.item, settings.base_url)
    return encode({"type": letter.item["event"], "timestamp": rfc3339(at), "data": data})


def _what(store: Store, item: Mapping[str, Any], base: str) -> tuple[int, dict[str, Any]]:
    """When something happened (ms), and what is told of it. Raises NotFound."""
    if "match" in item:
        match = store.matches.get(item["match"])
        return match.finished_at or now_ms(), _about_match(match, base)
    if "tournament" in item:
        cup = store.tournaments.get(item["tournament"])
        about = {"tournament": cup.id, "name": cup.name, "game": cup.game}
        return cup.finished_at or now_ms(), {**about, "url": f"{base}/v1/tournaments/{cup.id}/standings"}
    if "bot" in item:
        return item["at"], {name: item[name] for name in ("bot", "name", "reason")}
    return item["at"], {"webhook": item["webhook"]}


def _about_match(match: Match, base: str) -> dict[str, Any]:
    players = [
        {"seat": p.seat, "team": p.team, "bot": p.bot, "name": p.name, "version": p.version}
        for p in match.players
    ]
    return {
        "at": match.finished_at,
        "match": match.id,
        "game": match.game,
        "tournament": match.tournament,
        "rated": match.rated,
        "players": pseudonyms.told(match, players),
        "result": match.result,
        "record_url": f"{base}/v1/matches/{match.id}/record",
    }


def _tried(store: Store, network: Network, hook: Webhook, letter: Letter, body: bytes) -> Delivery:
    """Try once; how it went and when it is tried again. Raises OurFault."""
    status, detail, begun = None, "delivered", time.monotonic()
    if store.webhooks.is_hushed(hook.id):
        detail = "not sent: a message to it has just been waited for in vain"
    else:
        try:
            status = _status(network, hook, letter, body)
        except BotFault as fault:
            detail = f"{fault.reason}: {fault.detail}"
        except BadUrl as error:
            detail = str(error)
        if status is None and time.monotonic() - begun > SLOW_S:
            store.webhooks.hush(hook.id)
    arrived = status is not None and 200 <= status < 300
    if status is not None and not arrived:
        detail = f"it answered with status {status}; any 2xx is expected"
    at, wait_ms = now_ms(), dict(enumerate(WAITS_MS, start=1)).get(letter.attempt)
    over = arrived or status == GONE or wait_ms is None
    next_at = None if over or wait_ms is None else at + wait_ms
    return Delivery(letter.id, letter.item["event"], at, letter.attempt, status, detail, arrived, next_at)


def _status(network: Network, hook: Webhook, letter: Letter, body: bytes) -> int:
    """Post once; the status that comes, whatever follows it. Raises BotFault, BadUrl, OurFault."""
    headers = sign(hook.secrets(now_ms()), letter.id, int(time.time()), body)
    headers["content-type"] = "application/json"
    line = Line(Endpoint.parse(hook.url), network)
    try:
        return line.post(body, headers, LIMIT_US, tries=1).status
    except BotFault as fault:
        if fault.receipt.answer is None:
            raise
        return fault.receipt.answer.status
    finally:
        line.close()

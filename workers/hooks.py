"""Tells webhooks what has happened: signed, at least once, behind the same guard as bots."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from engines.protocol import encode, sign
from service.config import Settings
from service.models import Delivery, Letter, Match, Webhook
from service.store import Store
from service.times import rfc3339
from workers.bot_client import BadUrl, BotFault, Endpoint, HttpError, Line, Network, OurFault

LIMIT_US = 5_000_000
GONE = 410


def tell(store: Store, network: Network, settings: Settings, letter: Letter, last: bool) -> bool:
    """Tell every webhook that wants to know and has not been told; whether no further try is needed.

    `last`: this is the last try, and those it does not reach count it as a failure.
    """
    event = letter.item["event"]
    hooks, data = _whom_and_what(store, settings, letter)
    at = data.pop("at") or time.time_ns() // 1_000_000
    body = encode({"type": event, "timestamp": rfc3339(at), "data": data})
    wanting = [hook for hook in hooks if hook.paused is None and (event in hook.events or event == "ping")]
    missed = False
    for hook in wanting:
        if store.webhooks.delivered(hook.id, letter.id):
            continue
        delivery = _post(network, hook, letter, body)
        store.webhooks.note(hook, delivery)
        if delivery.status == GONE:
            store.webhooks.gone(hook)
        elif not delivery.delivered and last:
            store.webhooks.gave_up(hook, delivery.detail)
        missed = missed or not (delivery.delivered or delivery.status == GONE)
    return not missed


def _whom_and_what(store: Store, settings: Settings, letter: Letter) -> tuple[list[Webhook], dict[str, Any]]:
    """The webhooks of those whom a letter concerns, and what it says (`at`: when, ms). Raises NotFound."""
    item, base = letter.item, settings.base_url
    if "match" in item:
        match = store.matches.get(item["match"])
        return store.webhooks.of(item["owners"]), _about_match(match, base)
    if "tournament" in item:
        cup = store.tournaments.get(item["tournament"])
        owners = {cup.owner, *(entrant["owner"] for entrant in cup.entrants)}
        about = {"at": cup.finished_at, "tournament": cup.id, "name": cup.name, "game": cup.game}
        return store.webhooks.of(owners), {**about, "url": f"{base}/v1/tournaments/{cup.id}/standings"}
    if "bot" in item:
        bot = store.bots.get(item["bot"])
        told = {"at": None, "bot": bot.id, "name": bot.name, "reason": bot.state_reason}
        return store.webhooks.of([bot.owner]), told
    return [store.webhooks.get(item["webhook"])], {"at": None, "webhook": item["webhook"]}


def _about_match(match: Match, base: str) -> dict[str, Any]:
    players: Iterable[dict[str, Any]] = (
        {"seat": p.seat, "team": p.team, "bot": p.bot, "name": p.name, "version": p.version}
        for p in match.players
    )
    return {
        "at": match.finished_at,
        "match": match.id,
        "game": match.game,
        "tournament": match.tournament,
        "rated": match.rated,
        "players": list(players),
        "result": match.result,
        "record_url": f"{base}/v1/matches/{match.id}/record",
    }


def _post(network: Network, hook: Webhook, letter: Letter, body: bytes) -> Delivery:
    """Post once; how it went."""
    status, detail, arrived = None, "delivered", False
    headers = sign([hook.secret], letter.id, int(time.time()), body)
    headers["content-type"] = "application/json"
    try:
        line = Line(Endpoint.parse(hook.url), network)
        try:
            status = line.post(body, headers, LIMIT_US, tries=1).status
            arrived = True
        finally:
            line.close()
    except HttpError as error:
        status, arrived = error.status, 200 <= error.status < 300
        detail = "delivered" if arrived else error.detail
    except BotFault as fault:
        detail = f"{fault.reason}: {fault.detail}"
    except (BadUrl, OurFault) as error:
        detail = str(error)
    at = time.time_ns() // 1_000_000
    return Delivery(letter.id, letter.item["event"], at, letter.attempt, status, detail, arrived)

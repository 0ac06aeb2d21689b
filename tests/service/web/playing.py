"""Whole matches of random moves, for pages to show: as events, as records, and in a store."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Any

from engines.chance import commitment, match_seed
from engines.clock import PRESETS
from engines.game import Game
from engines.protocol import FaultReason, MoveReply
from engines.record import chain_on, chain_start, public, setup_from
from engines.referee import Answer, Fault, referee
from engines.registry import GAMES
from service.matches import Common, Order, make_match
from service.models import Claim, Match
from service.records import header_of, record_of
from service.store import Store

LEASE_MS = 600_000
RECEIPT = {"connect_us": 210, "send_us": 33, "wait_us": 20_100, "charged_us": 20_400, "attempts": 1}
ALL_TABLES = [(game, seats) for game in GAMES.values() for seats in game.seats]


def header_for(game: Game, seats: int, seed: int = 1, **options: Any) -> tuple[dict[str, Any], bytes]:
    """A record's header and the server's secret."""
    secret = random.Random(f"{game.name} {seats} {seed}").randbytes(32)
    players = [
        {"seat": seat, "team": game.team(seat), "bot": f"b_{seat}", "name": f"bot {seat}", "version": "1"}
        for seat in range(seats)
    ]
    header = {
        "schema_version": 1,
        "match_id": f"m_{game.name}_{seed}",
        "game": game.name,
        "options": game.full_options(options),
        "clock": PRESETS["blitz"].to_json(),
        "opening": {"plies": 2, "seed": "00" * 32},
        "attempts": 2,
        "players": players,
        "rated": True,
        "engine_version": game.version,
        "commitment": commitment(secret),
    }
    return header, secret


def played(
    header: Mapping[str, Any],
    secret: bytes,
    seed: int = 1,
    stop_after: int = 10**9,
    fault_at: int = -1,
    says: str | None = None,
) -> list[dict[str, Any]]:
    """The events of a match of random moves, some with comments (or all `says`); a timeout at `fault_at`."""
    chance = random.Random(seed)
    events = [{"type": "started", "at": 0, "nonces": [""] * len(header["players"]), "no_shows": []}]
    running = referee(setup_from(header, secret, events[0]))
    turn = next(running)
    try:
        for number in range(stop_after):
            events += turn.events
            turn = running.send(_answer(turn, chance, number == fault_at, says))
    except StopIteration as stop:
        last = stop.value.events
        return [*events, *last[:-1], {**last[-1], "at": 1}]
    return events + list(turn.events)


def _answer(turn: Any, chance: random.Random, fails: bool, says: str | None) -> Answer | Fault:
    if fails:
        return Fault(FaultReason.TIMEOUT, "no answer in time; 0 bytes had come", 70_000_000)
    comment = says or ("towards the middle" if chance.random() < 0.1 else None)
    reply = MoveReply(chance.choice(turn.legal), comment)
    return Answer(reply, chance.randrange(1000, 200_000), 1, RECEIPT)


def refused(turn: int, seat: int, got: str, detail: str) -> dict[str, Any]:
    """The event of an illegal answer that may be repeated, in a match of two."""
    return {
        "type": "fault",
        "turn": turn,
        "seat": seat,
        "reason": "illegal-move",
        "got": got,
        "detail": detail,
        "final": False,
        "attempt": 1,
        "charged_us": 5,
        "remaining_us": [1, 2],
        "periods_left": [0, 0],
    }


def record_from(header: Mapping[str, Any], secret: bytes, events: list[dict[str, Any]]) -> dict[str, Any]:
    """A finished match's record."""
    shown = [public(event) for event in events]
    return {
        "header": header,
        "events": shown,
        "secret": secret.hex(),
        "seed": match_seed(secret, events[0]["nonces"]).hex(),
        "result": events[-1]["result"],
        "chain_head": chain_on(chain_start(header), shown).hex(),
    }


def stored(
    store: Store, game: str, bots: list[Any], stop_after: int | None = None, says: str | None = None
) -> Match:
    """A match in a store: played to its end, or running with some moves made."""
    order = Order(GAMES[game], tuple(bots), GAMES[game].full_options({}), PRESETS["blitz"], bots[0].owner)
    draft = make_match(order, bots, Common(), None, time.time_ns() // 1_000_000)
    claim = claimed(store, store.matches.create(draft)[0])
    header, secret = header_of(claim.match), bytes.fromhex(claim.match.secret)
    if stop_after is not None:
        store.matches.append(claim, 1, played(header, secret, stop_after=stop_after))
    else:
        events = played(header, secret, says=says)
        store.matches.append(claim, 1, events[:-1])
        finish(store, claim, events)
    return store.matches.get(claim.match.id)


def claimed(store: Store, match: Match) -> Claim:
    store.workers.beat("w", "matches", 1000, 0)
    store.schedule.ready(1000)
    claim = store.matches.claim(match.id, "w", LEASE_MS)
    assert claim is not None
    return claim


def finish(store: Store, claim: Claim, events: list[dict[str, Any]]) -> None:
    """Write the last event of a match whose others are written."""
    head = chain_on(chain_start(header_of(claim.match)), map(public, events)).hex()
    store.matches.finish(claim, len(events), events[-1:], events[-1]["result"], head)


def stored_record(store: Store, match: Match) -> dict[str, Any]:
    return record_of(match, store.matches.record(match.id))

"""Owners, bots, matches and their play for the tests of the store: plain values, made in one line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engines.chance import commitment
from engines.clock import PRESETS
from engines.record import chain_on, chain_start, public
from service.ids import new_id
from service.models import Bot, BotState, Claim, Match, MatchState, Player, Written
from service.records import header_of
from service.store import Store

SECRET = bytes(range(32))
LEASE_MS = 8000


def a_bot(name: str = "bot", owner: str = "o_1", **changes: Any) -> Bot:
    bot = Bot(
        id=new_id("b"),
        owner=owner,
        name=name,
        games=("quixo",),
        version="1",
        url="http://127.0.0.1:9/",
        transport="http",
        concurrency=1,
        state=BotState.ACTIVE,
        state_reason=None,
        secret="whsec_AAAA",
        created_at=1,
    )
    return replace(bot, **changes)


def a_match(*bots: Bot, ladder: str = "quixo", **changes: Any) -> Match:
    teams = ladder.endswith("-teams")
    match = Match(
        id=new_id("m", ladder),
        game=ladder,
        players=tuple(
            Player(seat, seat % 2 if teams else None, bot.id, bot.name, bot.version, bot.owner)
            for seat, bot in enumerate(bots)
        ),
        options={},
        clock=next(iter(PRESETS.values())).to_json(),
        opening_plies=0,
        opening_seed="00" * 32,
        attempts=1,
        rated=True,
        unrated_reason=None,
        engine_version=1,
        secret=SECRET.hex(),
        commitment=commitment(SECRET),
        state=MatchState.QUEUED,
        created_at=1_700_000_000_000,
        requested_by="o_1",
    )
    return replace(match, **changes)


def started(seats: int = 2) -> dict[str, Any]:
    return {"type": "started", "at": 1_700_000_000_000, "nonces": [""] * seats, "no_shows": []}


def move(turn: int, seat: int = 0, text: str = "c1N", charged_us: int = 1234) -> dict[str, Any]:
    receipt = {"connect_us": 0, "tls_us": 0, "send_us": 41, "wait_us": charged_us - 60, "receive_us": 19}
    receipt |= {"stall_us": 0, "charged_us": charged_us, "attempts": 1, "stamp": "kernel"}
    return {
        "type": "move",
        "turn": turn,
        "seat": seat,
        "move": text,
        "charged_us": charged_us,
        "remaining_us": [60_000_000 - charged_us, 60_000_000],
        "periods_left": [0, 0],
        "attempt": 1,
        "receipt": receipt,
    }


def result_of(*placing: int, **changes: Any) -> dict[str, Any]:
    drawn = set(placing) == {1}
    result = {
        "outcome": "drawn" if drawn else "decided",
        "reason": "ply-limit" if drawn else "line",
        "placing": list(placing),
        "points": None,
        "faults": [],
    }
    return result | changes


def finished(result: dict[str, Any], at: int = 1_700_000_100_000) -> dict[str, Any]:
    return {"type": "finished", "at": at, "result": result}


def head_of(match: Match, events: list[dict[str, Any]]) -> str:
    return chain_on(chain_start(header_of(match)), map(public, events)).hex()


def workers_there(store: Store, places: int = 1000) -> None:
    store.workers.beat("w", "matches", places, 0)


def claimed(store: Store, match: Match, worker: str = "w") -> Claim:
    """Create a match, dispatch it and claim it."""
    workers_there(store)
    store.matches.create(match)
    assert match.id in store.schedule.ready(1000)
    claim = store.matches.claim(match.id, worker, LEASE_MS)
    assert claim is not None
    return claim


def finish(store: Store, claim: Claim, *placing: int, **changes: Any) -> Written:
    """Finish a claimed match with nothing but its start and its end."""
    result = result_of(*placing, **changes)
    begun = [dict(event) for event in claim.events] or [started(len(claim.match.players))]
    if not claim.events:
        store.matches.append(claim, 1, begun)
    last = [finished(result)]
    return store.matches.finish(claim, len(begun) + 1, last, result, head_of(claim.match, begun + last))


def played(store: Store, match: Match, *placing: int) -> None:
    """Play a match from its creation to its end."""
    assert finish(store, claimed(store, match), *placing) is Written.APPLIED

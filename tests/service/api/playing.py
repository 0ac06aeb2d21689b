"""A worker that plays whatever is ready at once: seats play their first legal move, then one resigns."""

from __future__ import annotations

from typing import Any

from engines.protocol import FaultReason, MoveReply
from engines.record import chain_on, chain_start, public, setup_from
from engines.referee import Answer, Fault, Turn, referee
from service.models import Claim
from service.records import header_of
from service.store import Store
from service.store.owners import now_ms

RECEIPT = {"charged_us": 1000, "attempts": 1, "stamp": "kernel", "wait_us": 900}


def beat(store: Store, places: int = 100_000) -> None:
    """A worker says that it is there."""
    store.workers.beat("test-worker", "matches", places, 0, {})


def claim(store: Store, match_id: str) -> Claim:
    """The right to run one match, which must be ready."""
    beat(store)
    while store.schedule.ready(1000):
        pass
    found = store.matches.claim(match_id, "test-worker", 8000)
    assert found is not None, f"{match_id} cannot be claimed"
    return found


def begin(store: Store, match_id: str) -> Claim:
    """Claim a match and record its start."""
    found = claim(store, match_id)
    nonces = [""] * len(found.match.players)
    started = {"type": "started", "at": now_ms(), "nonces": nonces, "no_shows": []}
    store.matches.append(found, 1, [started])
    return found


def play(store: Store, match_id: str, moves: int = 4, loser: int | None = None) -> None:
    """Play a match: `moves` moves, then `loser` (or whoever's turn it is) resigns."""
    found = begin(store, match_id)
    events: list[dict[str, Any]] = list(store.matches.record(match_id))
    header, secret = header_of(found.match), bytes.fromhex(found.match.secret)
    running = referee(setup_from(header, secret, events[0]))
    try:
        turn, asked = next(running), 0
        while True:
            if turn.events:
                store.matches.append(found, len(events) + 1, turn.events)
                events += turn.events
            turn, asked = running.send(_reply(turn, asked < moves, loser)), asked + 1
    except StopIteration as stop:
        last = [*stop.value.events[:-1], {**stop.value.events[-1], "at": now_ms()}]
        head = chain_on(chain_start(header), map(public, [*events, *last])).hex()
        store.matches.finish(found, len(events) + 1, last, stop.value.result, head)


def _reply(turn: Turn, goes_on: bool, loser: int | None) -> Answer | Fault:
    if goes_on or (loser is not None and turn.seat != loser):
        return Answer(MoveReply(turn.legal[0]), 1000, receipt=RECEIPT)
    return Fault(FaultReason.RESIGNED, "it resigned", 1000, receipt=RECEIPT)


def play_all(store: Store, match_ids: list[str], loser: int | None = None) -> None:
    for match_id in match_ids:
        play(store, match_id, moves=2, loser=loser)

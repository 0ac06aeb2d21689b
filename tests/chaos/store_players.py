"""Matches played against the store alone, as a worker would: claim, append, finish, and hold on."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from service.errors import Unavailable
from service.models import Bot, Claim, Match, Written
from service.store import Store
from tests.servers import RedisServer, redis_server_binary
from tests.service.store.make import a_bot, a_match, finished, head_of, move, result_of, started

T = TypeVar("T")
PLACINGS = ((1, 2), (2, 1), (1, 1))
PATIENCE_S = 60.0


@contextlib.contextmanager
def server_of(kind: str, folder: Path, **options: str) -> Iterator[RedisServer]:
    """A running server: "embedded", or "redis-server" (raises LookupError where there is none)."""
    binary = {} if kind == "embedded" else {"binary": redis_server_binary()}
    if binary.get("binary", "") is None:
        raise LookupError("no redis-server on this machine")
    server = RedisServer(folder, options=options, **binary).start()
    try:
        yield server
    finally:
        server.stop()


def crowd_of(store: Store, count: int) -> list[Bot]:
    """Bots that may play any number of matches at once."""
    return [store.bots.create(a_bot(f"bot {i}", concurrency=10_000)) for i in range(count)]


def some_matches(bots: Sequence[Bot], count: int, seed: int) -> list[Match]:
    rng = random.Random(seed)
    return [a_match(*rng.sample(bots, 2)) for _ in range(count)]


def insist(call: Callable[[], T]) -> T:
    """Call until Redis answers."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return call()
        except Unavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@dataclass
class Player:
    """Plays every match it can claim to its end; every answer of the store is kept in `written`."""

    store: Store
    name: str
    lease_ms: int = 2_000
    moves: int = 6
    confirmed: set[str] = field(default_factory=set)
    written: list[Written] = field(default_factory=list)

    def play(self, match_id: str) -> bool:
        """Whether this player finished the match."""
        claim = insist(lambda: self.store.matches.claim(match_id, self.name, self.lease_ms))
        return claim is not None and self.play_on(claim)

    def play_on(self, claim: Claim) -> bool:
        """Go on where the events end; False as soon as the match is somebody else's."""
        events = [dict(event) for event in claim.events]
        for event in script(claim.match.id, self.moves)[len(events) :]:
            if not self._write(lambda e=event: self.store.matches.append(claim, len(events) + 1, [e])):
                return False
            events.append(event)
        return self._finish(claim, events)

    def _finish(self, claim: Claim, events: list[dict[str, Any]]) -> bool:
        result = result_of(*PLACINGS[sum(map(ord, claim.match.id)) % 3])
        last = [finished(result)]
        head = head_of(claim.match, events + last)
        first = len(events) + 1
        if not self._write(lambda: self.store.matches.finish(claim, first, last, result, head)):
            return False
        self.confirmed.add(claim.match.id)
        return True

    def _write(self, call: Callable[[], Written]) -> bool:
        written = insist(call)
        self.written.append(written)
        return written is not Written.FENCED


def script(match_id: str, moves: int) -> list[dict[str, Any]]:
    """What happens in a match: the same for whoever plays it."""
    rng = random.Random(match_id)
    return [started(), *(move(ply, ply % 2, charged_us=rng.randrange(1_000, 90_000)) for ply in range(moves))]


def wrong_in(store: Store) -> list[str]:
    """What the audit finds once everything was mended, and what a second mending still finds."""
    store.sweep.mend()
    left = store.sweep.mend()
    found = [f"{d.what} {d.subject}" for d in store.audit.differences("quixo")]
    return found + [f"{count} × {what} to mend again" for what, count in left.items()]

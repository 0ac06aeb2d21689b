"""Idempotency-Key: a creating request that comes again gets what it got the first time."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from service.errors import Refused
from service.store import keys
from service.store.connection import Connection

KEPT_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Once:
    """Who sent which Idempotency-Key with which request (`payload`: a digest of method, path and body)."""

    owner: str
    key: str
    payload: str

    def place(self, slot: str) -> str:
        """The Redis key of what is remembered in one slot."""
        digest = hashlib.sha256(self.key.encode()).hexdigest()[:32]
        return keys.once(slot, self.owner, digest)


def pin(db: Connection, once: Once, ids: Sequence[str] = ()) -> list[str]:
    """Bind the key to its payload for all slots, before something is made outside `{accounts}`.

    Returns the ids that whoever came first wanted to use: with those everybody goes on, so that racing
    requests count once against a quota.
    """
    payload, first = db.call("once_pin", [once.place(keys.ACCOUNTS)], [once.payload, KEPT_MS, " ".join(ids)])
    if payload != once.payload:
        raise other_payload()
    return str(first).split()


def first_answer(db: Connection, once: Once | None, slot: str) -> str | None:
    """What the request got when it came first, by which it is answered again whatever has changed since.

    None if it is new. Raises Refused if its key came with another request.
    """
    if once is None:
        return None
    payload, answer = db.run("HMGET", once.place(slot), "payload", "answer")
    if payload not in (None, once.payload):
        raise other_payload()
    return None if answer is None else str(answer)


def other_payload() -> Refused:
    """The same Idempotency-Key came with another request (the API answers 422)."""
    return Refused(
        "idempotency-key-reused",
        "this Idempotency-Key was sent within the last 24 hours with another request;"
        " send a new key with a new request",
    )

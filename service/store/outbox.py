"""What is to be told to the outside once a match is over; told at least once, in the same step decided."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engines.protocol import canonical
from service.models import LADDERS, Letter
from service.store import keys
from service.store.connection import Connection
from service.store.owners import now_ms

TAKEN_MS = 60_000
_SLOTS = (*LADDERS, keys.OWNERS)


class Outbox:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def take(self, limit: int = 100) -> tuple[Letter, ...]:
        """Letters that are due; each is due again in a minute unless it is `done` or put off by `again`."""
        letters: list[Letter] = []
        for ladder in _SLOTS:
            flat = self._db.call("take_letters", _places(ladder), [limit - len(letters), TAKEN_MS])
            letters += [
                Letter(flat[i], json.loads(flat[i + 1]), int(flat[i + 2])) for i in range(0, len(flat), 3)
            ]
        return tuple(letters)

    def get(self, letter_id: str) -> Letter | None:
        """One letter by its id, None once it is done."""
        _, items, tries = _places(_ladder(letter_id))
        item, taken = self._db.many([("HGET", items, letter_id), ("HGET", tries, letter_id)])
        return Letter(letter_id, json.loads(item), int(taken or 1)) if item else None

    def done(self, letter_id: str) -> None:
        """It was told, or it will never be."""
        due, items, tries = _places(_ladder(letter_id))
        self._db.many(
            [("ZREM", due, letter_id), ("HDEL", items, letter_id), ("HDEL", tries, letter_id)], atomic=True
        )

    def again(self, letter_id: str, at_ms: int) -> None:
        """Try it again at that time."""
        due, _, _ = _places(_ladder(letter_id))
        self._db.run("ZADD", due, "XX", at_ms, letter_id)

    def put_back(self, letter: Letter, at_ms: int) -> None:
        """Try it again at that time, as if it had not been taken: it was ours that it could not be told."""
        due, _, tries = _places(_ladder(letter.id))
        commands = [("ZADD", due, "XX", at_ms, letter.id), ("HSET", tries, letter.id, letter.attempt - 1)]
        self._db.many(commands, atomic=True)

    def size(self) -> int:
        return sum(self._db.many(("ZCARD", keys.outbox(ladder)) for ladder in _SLOTS))

    def due(self) -> int:
        """How many letters somebody should deliver now."""
        return sum(self._db.many(("ZCOUNT", keys.outbox(ladder), "-inf", now_ms()) for ladder in _SLOTS))

    def add(self, letter_id: str, item: Mapping[str, Any]) -> None:
        """Put a letter in, due at once; one that is there stays as it is."""
        due, items, _ = _places(_ladder(letter_id))
        item_text = canonical(dict(item)).decode()
        self._db.many(
            [("HSET", items, letter_id, item_text), ("ZADD", due, "NX", now_ms(), letter_id)], atomic=True
        )


def _places(ladder: str) -> list[str]:
    return [keys.outbox(ladder), keys.outbox_items(ladder), keys.outbox_tries(ladder)]


def _ladder(letter_id: str) -> str:
    """Letters are named after what they tell of: "<id>:<what>"."""
    subject = letter_id.split(":")[0]
    return keys.home(subject) if subject[:2] in ("m_", "t_") else keys.OWNERS

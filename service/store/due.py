"""Delayed work of every kind: one set, ordered by when it is due. It comes again until it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engines.protocol import canonical
from service.models import Task
from service.store import keys
from service.store.connection import Connection

TAKEN_MS = 60_000


class Due:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, kind: str, payload: Mapping[str, Any], at_ms: int) -> None:
        """Do this at that time. The same kind and payload is one piece of work; the last call sets when."""
        self._db.run("ZADD", keys.due(), at_ms, canonical([kind, dict(payload)]))

    def ensure(self, kind: str, at_ms: int, *payloads: Mapping[str, Any]) -> None:
        """Do these at that time, each unless it is to be done at some time anyway."""
        found = (word for payload in payloads for word in (at_ms, canonical([kind, dict(payload)])))
        self._db.run("ZADD", keys.due(), "NX", *found)

    def take(self, limit: int = 100) -> tuple[Task, ...]:
        """What is due. It is due again in a minute unless it is `done` or given another time by `add`."""
        found = self._db.call("take_due", [keys.due()], [limit, TAKEN_MS])
        return tuple(_task(key) for key in found)

    def done(self, task: Task) -> None:
        """The work is done, or not wanted any more."""
        self._db.run("ZREM", keys.due(), task.key)

    def cancel(self, kind: str, payload: Mapping[str, Any]) -> None:
        """This is not to be done any more."""
        self._db.run("ZREM", keys.due(), canonical([kind, dict(payload)]))


def _task(key: str) -> Task:
    kind, payload = json.loads(key)
    return Task(kind, payload, key)

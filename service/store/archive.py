"""Where the events of finished matches are kept: in Redis, compressed; another archive needs three calls."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any, Protocol

from service.store import keys
from service.store.connection import Connection

Event = dict[str, Any]


class Archive(Protocol):
    """Keeps the events of a match, receipts included, under its id."""

    def put(self, match_id: str, events: Sequence[str]) -> None:
        """Keep events, each as canonical JSON; may come again with the same ones."""

    def get(self, match_id: str) -> list[Event] | None:
        """The events, or None if there are none."""

    def delete(self, match_id: str) -> None:
        """Forget them."""


class RedisArchive:
    """Events as canonical JSON, compressed by zlib, one string a match."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def put(self, match_id: str, events: Sequence[str]) -> None:
        self._db.run("SET", keys.record(match_id), packed(events))

    def get(self, match_id: str) -> list[Event] | None:
        found = self._db.run_raw("GET", keys.record(match_id))
        return None if found is None else unpacked(found)

    def delete(self, match_id: str) -> None:
        self._db.run("UNLINK", keys.record(match_id))


def packed(events: Sequence[str]) -> bytes:
    return zlib.compress(f"[{','.join(events)}]".encode(), 9)


def unpacked(data: bytes) -> list[Event]:
    events: list[Event] = json.loads(zlib.decompress(data))
    return events

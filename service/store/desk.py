"""Whether the API is there to be polled: while it is not, a bot without an address cannot answer (C5)."""

from __future__ import annotations

from service.store import keys
from service.store.connection import Connection

BEAT_S = 1.0
SILENCE_US = 3_000_000  # after this without a beat it counts as away


class Desk:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def open(self) -> None:
        """The API has just started: what was asked before could not be answered until now."""
        self._db.call("desk_beat", [keys.desk()], [SILENCE_US, 1])

    def beat(self) -> None:
        """The API is there; to be said every second."""
        self._db.call("desk_beat", [keys.desk()], [SILENCE_US, 0])

    def since_us(self) -> int | None:
        """Since when (µs of Redis' time) it has been there without a break; None if it is not there now."""
        since = self._db.call("desk_since", [keys.desk()], [SILENCE_US])
        return int(since) if since else None

"""Workers: who is there, how many matches each can play, and how it goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from service.errors import NotFound
from service.models import MATCH_QUEUE, Worker
from service.store import keys
from service.store.connection import Connection
from service.store.schedule import WORKER_COUNTS_MS

FORGOTTEN_MS = 3_600_000


class Workers:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def beat(
        self, worker: str, queue: str, places: int, running: int, progress: Mapping[str, Any] | None = None
    ) -> bool:
        """Say that a worker lives (every second or two). 0 places: it takes no more matches.

        `progress` is shown to operators as it is. True: the operator wants it to take no more.
        """
        note = json.dumps({"queue": queue, "running": running, "progress": dict(progress or {})})
        counted = places if queue == MATCH_QUEUE else 0
        return bool(self._db.call("beat", [*_KEYS, keys.draining()], [worker, counted, note, FORGOTTEN_MS]))

    def drain(self, worker: str) -> None:
        """Let a worker take no more matches; raises NotFound for one that has not been heard of."""
        self._check(worker)
        self._db.many([("SADD", keys.draining(), worker), ("HSET", keys.places(), worker, 0)], atomic=True)

    def undrain(self, worker: str) -> None:
        """Let a drained worker take matches again, from its next beat on; raises NotFound."""
        self._check(worker)
        self._db.run("SREM", keys.draining(), worker)

    def _check(self, worker: str) -> None:
        if self._db.run("ZSCORE", keys.workers(), worker) is None:
            raise NotFound("not-found", f"no worker {worker!r} has been heard of in the last hour")

    def gone(self, worker: str) -> None:
        """A worker that ended of its own will counts no more."""
        self._db.many(
            [("ZREM", keys.workers(), worker), ("SREM", keys.draining(), worker)]
            + [("HDEL", name, worker) for name in (keys.places(), keys.worker_notes())],
            atomic=True,
        )

    def alive(self) -> tuple[Worker, ...]:
        """Workers that were heard of within the last seconds."""
        return tuple(w for w in self.all() if w.silent_ms <= WORKER_COUNTS_MS)

    def all(self) -> tuple[Worker, ...]:
        """Every worker of the last hour."""
        flat = self._db.call("worker_list", [*_KEYS, keys.draining()])
        return tuple(_worker(*flat[i : i + 5]) for i in range(0, len(flat), 5))


_KEYS = (keys.workers(), keys.places(), keys.worker_notes())


def _worker(name: str, silent_ms: str, places: str, note: str, drained: int) -> Worker:
    more = json.loads(note)
    return Worker(name=name, places=int(places), silent_ms=int(silent_ms), drained=bool(drained), **more)

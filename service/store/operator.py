"""What an operator looks at: how much there is, what is set up wrong, and the epoch of the data."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from typing import Any

from redis.exceptions import ResponseError

from service.ids import made_at
from service.models import LADDERS
from service.store import keys
from service.store.connection import Connection
from service.store.outbox import Outbox

OLDEST = (7, 0)
MOST_SKEW_MS = 1_000
FEWEST_CLIENTS = 1_000


class Operator:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def info(self) -> dict[str, int]:
        """Counts by name: keys, bytes, matches by what they wait for, letters, work due, ledger entries."""
        server = self._db.run("INFO")
        counts = self._db.many(
            [
                ("DBSIZE",),
                ("HLEN", keys.waiting()),
                ("ZCARD", keys.startable()),
                ("HLEN", keys.reserved()),
                ("ZCARD", keys.hinted()),
                ("ZCARD", keys.due()),
            ]
        )
        names = ("keys", "waiting", "startable", "reserved", "hinted", "due")
        memory = {"memory_bytes": server["used_memory"], "memory_limit_bytes": server["maxmemory"]}
        return {
            **memory,
            **dict(zip(names, counts, strict=True)),
            **self._by_ladder(),
            "outbox": Outbox(self._db).size(),
        }

    def _by_ladder(self) -> dict[str, int]:
        """Counts that every ladder has, added up."""
        parts = {
            "matches": ("ZCARD", keys.matches),
            "queued": ("ZCARD", keys.queued),
            "running": ("ZCARD", keys.leases),
            "held": ("ZCARD", keys.held),
            "unfolded": ("SCARD", keys.unfolded),
            "ledger_entries": ("XLEN", keys.ledger),
            "tournaments": ("ZCARD", keys.tournaments),
        }
        found = self._db.many((word, key(ladder)) for word, key in parts.values() for ladder in LADDERS)
        size = len(LADDERS)
        return {name: sum(found[i * size : (i + 1) * size]) for i, name in enumerate(parts)}

    def oldest_queued(self) -> int | None:
        """When the match was asked for (ms) that has been queued for longest; None if none is."""
        firsts = self._db.many(("ZRANGE", keys.queued(ladder), 0, 0) for ladder in LADDERS)
        times = [made_at(ids[0]) for ids in firsts if ids]
        return min(times, default=None)

    def selfcheck(self) -> tuple[str, ...]:
        """What is set up wrong on the server, a sentence each with what to do; empty if nothing is."""
        return tuple(_problems(self._db.run("INFO"), self._config(), self._skew_ms()))

    def new_epoch(self) -> None:
        """Refuse every claim made so far: after a restore, or a failover that may have lost writes (D3)."""
        epoch = secrets.token_hex(8)
        self._db.many(("SET", keys.epoch(ladder), epoch) for ladder in LADDERS)

    def _config(self) -> dict[str, str]:
        """The server's settings; none where a provider hides them."""
        try:
            return dict(self._db.run("CONFIG", "GET", "*"))
        except ResponseError:
            return {}

    def _skew_ms(self) -> float:
        seconds, micros = self._db.run("TIME")
        return abs(time.time() * 1000 - (int(seconds) * 1000 + int(micros) / 1000))


def _problems(server: dict[str, Any], config: dict[str, str], skew_ms: float) -> Iterator[str]:
    version = str(server["redis_version"])
    if tuple(map(int, version.split(".")[:2])) < OLDEST:
        yield f"Redis is {version}; Arbiter needs 7.0 or newer, or Valkey"
    if not server["aof_enabled"]:
        yield "the append-only file is off, so a crash of Redis loses results; set appendonly yes"
    if config.get("appendfsync") == "no":
        yield "appendfsync is no, so a power loss may lose half a minute; set appendfsync everysec"
    if server["maxmemory_policy"] != "noeviction":
        yield (
            f"maxmemory-policy is {server['maxmemory_policy']}, so a full Redis deletes results;"
            " set maxmemory-policy noeviction"
        )
    if int(server.get("maxclients", FEWEST_CLIENTS)) < FEWEST_CLIENTS:
        yield (
            f"Redis takes {server['maxclients']} connections only; raise maxclients and its limit of open"
            f" files to at least {FEWEST_CLIENTS}"
        )
    if skew_ms > MOST_SKEW_MS:
        yield f"this machine's clock and Redis' differ by {skew_ms:.0f} ms; let both follow one time server"

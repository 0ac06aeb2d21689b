"""A ladder's ledger: every finished and every voided match, in order, each chained to the one before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from engines.protocol import canonical
from service.models import LedgerEntry
from service.store import keys
from service.store.connection import Connection
from service.store.events import number

START = "0" * 64
_CHUNK = 1000


class Ledger:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def entries(self, ladder: str, after: int = 0, limit: int = 100) -> tuple[LedgerEntry, ...]:
        """Up to `limit` entries behind the one numbered `after` (they count from 1)."""
        return tuple(_entry(entry, members) for entry, members in self._raw(ladder, after, limit))

    def all(self, ladder: str, after: int = 0) -> Iterator[LedgerEntry]:
        """Every entry behind `after`, read a thousand at a time."""
        while found := self.entries(ladder, after, _CHUNK):
            yield from found
            after = found[-1].id

    def length(self, ladder: str) -> int:
        """The number of the last entry."""
        found = self._db.run("XREVRANGE", keys.ledger(ladder), "+", "-", "COUNT", 1)
        return number(found[0][0]) if found else 0

    def breaks(self, ladder: str) -> Iterator[tuple[int, str, str]]:
        """Where the chain does not hold: the entry's number, its stored link, and the one that follows."""
        before = LedgerEntry(0, {}, START)
        for one, other in pairwise(self._with_start(ladder, before)):
            link = chained(one.chain, digest(canonical(other.payload)))
            if other.chain != link or other.id != one.id + 1:
                yield other.id, other.chain, link

    def _with_start(self, ladder: str, before: LedgerEntry) -> Iterator[LedgerEntry]:
        yield before
        yield from self.all(ladder)

    def _raw(self, ladder: str, after: int, limit: int) -> Any:
        return self._db.run("XRANGE", keys.ledger(ladder), f"({after}-0", "+", "COUNT", limit)


def _entry(entry_id: str, members: dict[str, str]) -> LedgerEntry:
    return LedgerEntry(number(entry_id), json.loads(members["e"]), members["h"])


def digest(payload: bytes) -> str:
    """SHA-256 of an entry's canonical payload, hex."""
    return hashlib.sha256(payload).hexdigest()


def chained(before: str, payload_digest: str) -> str:
    """The chain behind an entry."""
    return hashlib.sha256(bytes.fromhex(before + payload_digest)).hexdigest()

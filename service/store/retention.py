"""What is deleted after a time: records of matches, then the matches themselves. The ledger stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.ids import at_time
from service.models import LADDERS, Match, MatchState
from service.store import keys
from service.store.archive import Archive
from service.store.connection import Connection
from service.store.match_codec import indexes_of
from service.store.matches import Matches
from service.store.owners import now_ms

OVER = (MatchState.FINISHED, MatchState.VOID, MatchState.CANCELLED)
_DAY_MS = 24 * 3600 * 1000
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Kept:
    """For how many days; 0 is for ever. A match is deleted with its record; ratings do not change by it."""

    records_days: int = 0
    matches_days: int = 0


class Retention:
    def __init__(self, db: Connection, matches: Matches, archive: Archive) -> None:
        self._db, self._matches, self._archive = db, matches, archive

    def apply(self, kept: Kept) -> int:
        """Delete some of what is too old, the oldest first; how many records and matches. Call it until 0."""
        return sum(
            self._sweep(ladder, what, days)
            for ladder in LADDERS
            for what, days in (("records", kept.records_days), ("matches", kept.matches_days))
            if days
        )

    def _sweep(self, ladder: str, what: str, days: int) -> int:
        """Go on behind the last one looked at, up to the age."""
        seen = self._db.run("HGET", keys.retention(ladder), what)
        bounds = (f"({seen}" if seen else "-", f"(m_{ladder}_{at_time(now_ms() - days * _DAY_MS)}")
        ids = self._db.run("ZRANGE", keys.matches(ladder), *bounds, "BYLEX", "LIMIT", 0, _AT_ONCE)
        if not ids:
            return 0
        over = [m for m in self._matches.get_many(ids) if m and m.state in OVER]
        for match in over:
            self._archive.delete(match.id)
        if what == "matches":
            self._forget(over)
        self._db.run("HSET", keys.retention(ladder), what, ids[-1])
        return len(ids)

    def _forget(self, matches: Sequence[Match]) -> None:
        for match in matches:
            gone = [("ZREM", index, match.id) for index in indexes_of(match)]
            self._db.many([("UNLINK", keys.match(match.id)), *gone], atomic=True)

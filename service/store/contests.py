"""Which running tournaments to look at: those whose bots have got room, and those that have changed.

What is `stirred` is taken by whoever dispatches, and comes again until a coordinator has looked at it.
"""

from __future__ import annotations

from collections.abc import Iterable

from service.store import keys
from service.store.connection import Connection
from service.store.documents import chunks

TAKEN_MS = 3_000


class Contests:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def enter(self, tournament: str, bots: Iterable[str]) -> None:
        """These bots take part: room for one of them stirs the tournament. May come again."""
        self._note(tournament, "in", bots)

    def leave(self, tournament: str, bots: Iterable[str]) -> None:
        """These bots do not take part any more. May come again."""
        self._note(tournament, "out", bots)

    def stir(self, tournament: str) -> None:
        """Somebody is to look at the tournament."""
        self._db.run("ZADD", keys.stirred(), "NX", 0, tournament)

    def take(self, limit: int = 100) -> list[str]:
        """Tournaments to look at now; each comes again after some seconds until it is `looked` at."""
        return list(self._db.call("take_due", [keys.stirred()], [limit, TAKEN_MS]))

    def looked(self, tournament: str) -> None:
        """Somebody begins to look at it: what stirs it from now on is news."""
        self._db.run("ZREM", keys.stirred(), tournament)

    def _note(self, tournament: str, how: str, bots: Iterable[str]) -> None:
        for chunk in chunks(bots):
            self._db.call("contest", [keys.contests()], [tournament, how, *chunk])

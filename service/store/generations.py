"""Folding a ladder's ratings anew beside the old ones, and swapping them in.

Every folded key carries its generation's number; one key says which generation counts. A swap is one atomic
step that is refused unless the new generation has taken in the whole ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.models import LedgerEntry
from service.store import keys
from service.store.connection import Connection, Word
from service.store.documents import chunks
from service.store.fold import Fold, voided_in
from service.store.ledger import Ledger
from service.store.owners import now_ms

OLD_MS = 600_000  # a generation that does not count is kept for so long: its fold may be under way
FOLDING_MS = 2_000  # how long finishes may be made to wait for a swap
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Refold:
    """A generation being folded: from which one it takes over, and what it holds so far."""

    ladder: str
    before: str
    number: str
    fold: Fold


class Generations:
    def __init__(self, db: Connection, ledger: Ledger) -> None:
        self._db, self._ledger = db, ledger

    def begin(self, ladder: str, also_void: frozenset[str] = frozenset()) -> Refold:
        """Fold the whole ledger into a new generation, as if these matches were voided too."""
        before = self._db.run("GET", keys.generation(ladder)) or "0"
        new = str(self._db.run("INCR", keys.last_generation(ladder)))
        self._db.run("ZADD", keys.generations(ladder), now_ms(), new)
        fold = Fold(voided_in(self._ledger.all(ladder)) | also_void)
        refold = Refold(ladder, before, new, fold)
        self.catch_up(refold)
        return refold

    def catch_up(self, refold: Refold) -> None:
        """Take in what has come to the ledger since."""
        for chunk in chunks(self._ledger.all(refold.ladder, refold.fold.last), _CHUNK):
            self._write(refold, chunk)

    def hurry(self, refold: Refold) -> None:
        """Make finishes wait for a moment, so that the swap catches up with them."""
        self._db.run("SET", keys.folding(refold.ladder), refold.number, "PX", FOLDING_MS)
        self.catch_up(refold)

    def superseded(self, refold: Refold) -> bool:
        """Whether another generation has taken over meanwhile."""
        return (self._db.run("GET", keys.generation(refold.ladder)) or "0") != refold.before

    def drop_old(self, ladder: str) -> int:
        """Delete generations that do not count and are not new; how many there were."""
        old = self._db.run("ZRANGEBYSCORE", keys.generations(ladder), "-inf", now_ms() - OLD_MS)
        return sum(self._drop(ladder, number) for number in old)

    def _write(self, refold: Refold, entries: Sequence[LedgerEntry]) -> None:
        """Fold some entries and write what they change; the table first: by it a generation is deleted."""
        history: dict[str, list[str]] = {}
        for entry in entries:
            for bot, line in refold.fold.add(entry):
                history.setdefault(bot, []).append(line)
        self._db.many(_commands(refold, history))

    def _drop(self, ladder: str, number: str) -> bool:
        places = [keys.generations(ladder), keys.generation(ladder)]
        if not self._db.call("drop_generation", places, [number]):
            return False
        bots = self._db.run("ZRANGE", keys.table(ladder, number), 0, -1)
        doomed = [key(ladder, number, bot) for bot in bots for key in (keys.rating, keys.history)]
        for chunk in chunks(doomed, _CHUNK):
            self._db.run("UNLINK", *chunk)
        self._db.run("UNLINK", keys.table(ladder, number))
        return True


def _commands(refold: Refold, history: dict[str, list[str]]) -> Iterator[Sequence[Word]]:
    ladder, number = refold.ladder, refold.number
    for bot, lines in history.items():
        folded = refold.fold.bots[bot]
        members = [word for pair in folded.fields().items() for word in pair]
        yield "ZADD", keys.table(ladder, number), folded.lines[folded.current].rating, bot
        yield "HSET", keys.rating(ladder, number, bot), *members
        yield "RPUSH", keys.history(ladder, number, bot), *lines

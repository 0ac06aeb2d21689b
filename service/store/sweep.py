"""What a sweep looks for: matches that lost their worker or their hint, and what a crash has left undone.

Several may run at once, and none is needed for a result to be right: everything here repeats a step that
somebody else was about to take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from service.models import LADDERS, Match, MatchState, TournamentState
from service.store import keys
from service.store.bots import Bots, room_of
from service.store.connection import Connection
from service.store.documents import chunks
from service.store.generations import Generations
from service.store.matches import Matches
from service.store.quotas import Quotas
from service.store.running import QUOTA as MATCHES
from service.store.schedule import Schedule
from service.store.tournaments import OVER as TOURNAMENT_OVER
from service.store.tournaments import QUOTA as TOURNAMENTS
from service.store.tournaments import Tournaments

PLAYABLE = (MatchState.QUEUED, MatchState.RUNNING)
_FOLD_AT_ONCE = 2_000


@dataclass(slots=True)
class Mended:
    """How often each repair was needed."""

    folded: int = 0  # finished matches whose events were a stream still
    let_wait: int = 0  # queued matches that did not wait for their turn
    booked: int = 0  # running matches without places
    released: int = 0  # matches that are over but held places or waited
    quotas: int = 0  # what is over but counted against a quota
    rooms: int = 0  # bots whose places were not known
    tournaments: int = 0  # whose matches were stopped, or not, against their state
    cancelled: int = 0  # queued matches of a cancelled tournament
    generations: int = 0  # old folded ratings

    def counts(self) -> dict[str, int]:
        """Those that were needed at all."""
        return {name: count for name, count in asdict(self).items() if count}


class Sweep:
    def __init__(
        self,
        db: Connection,
        bots: Bots,
        matches: Matches,
        tournaments: Tournaments,
        schedule: Schedule,
        quotas: Quotas,
        generations: Generations,
    ) -> None:
        self._db, self._bots, self._matches, self._tournaments = db, bots, matches, tournaments
        self._schedule, self._quotas, self._generations = schedule, quotas, generations

    def hints(self, limit: int = 100) -> list[str]:
        """Matches to tell workers of again; never more than there are free places."""
        expired: list[str] = []
        running = 0
        for ladder in LADDERS:
            live, *ids = self._db.call(
                "lease_list", [keys.leases(ladder)], [limit, keys.match_prefix(ladder)]
            )
            running += live
            expired += ids
        return self._schedule.again(expired, running, limit)

    def mend(self) -> dict[str, int]:
        """Look for whatever a crash between two steps has left, and finish it; what was to be done."""
        mended = Mended()
        for ladder in LADDERS:
            self._fold(ladder, mended)
            self._let_wait(ladder, mended)
            self._book(ladder, mended)
            mended.generations += self._generations.drop_old(ladder)
        self._release(mended)
        self._mend_quotas(mended)
        self._mend_shares(mended)
        self._mend_rooms(mended)
        return mended.counts()

    def _fold(self, ladder: str, mended: Mended) -> None:
        for match_id in self._db.run("SRANDMEMBER", keys.unfolded(ladder), _FOLD_AT_ONCE):
            self._matches.fold(match_id)
            mended.folded += 1

    def _let_wait(self, ladder: str, mended: Mended) -> None:
        for match in self._unknown(self._db.run("ZRANGE", keys.queued(ladder), 0, -1)):
            if match.state is MatchState.QUEUED:
                mended.let_wait += self._schedule.add([match])

    def _book(self, ladder: str, mended: Mended) -> None:
        for match in self._unknown(self._db.run("ZRANGE", keys.leases(ladder), 0, -1)):
            if match.state is MatchState.RUNNING:
                mended.booked += self._schedule.book([match])

    def _unknown(self, match_ids: Sequence[str]) -> Iterator[Match]:
        """Of these, the matches that neither wait nor have places."""
        for chunk in chunks(match_ids):
            known = self._schedule.known(chunk)
            lost = [match_id for match_id, there in zip(chunk, known, strict=True) if not there]
            yield from (match for match in self._matches.get_many(lost) if match)

    def _release(self, mended: Mended) -> None:
        """Places and turns of matches that are over, held, or gone."""
        for bookings in (self._schedule.bookings(), self._schedule.waiting()):
            for chunk in chunks(bookings):
                found = self._matches.get_many(chunk)
                over = {i: bookings[i] for i, m in zip(chunk, found, strict=True) if not _playable(m)}
                mended.released += self._schedule.unbook(over) if over else 0

    def _mend_quotas(self, mended: Mended) -> None:
        for kind, owner in self._quotas.all():
            for chunk in chunks(sorted(self._quotas.open(kind, owner))):
                over = list(self._over(kind, chunk))
                self._quotas.give(kind, owner, over)
                mended.quotas += len(over)

    def _over(self, kind: str, ids: Sequence[str]) -> Iterator[str]:
        if kind == MATCHES:
            matches = self._matches.get_many(ids)
            yield from (i for i, m in zip(ids, matches, strict=True) if m and m.state in _COUNTS_NO_MORE)
        elif kind == TOURNAMENTS:
            contests = self._tournaments.get_many(ids)
            yield from (i for i, t in zip(ids, contests, strict=True) if t and t.state in TOURNAMENT_OVER)

    def _mend_shares(self, mended: Mended) -> None:
        """Tournaments whose matches wait although they are stopped, or are stopped although they run."""
        waiting, stopped = self._schedule.waiting(), self._schedule.stopped()
        shares = {text.split("|")[1] for text in waiting.values()} | stopped
        for contest in self._tournaments.get_many([s for s in shares if s.startswith("t_")]):
            if contest is None:
                continue
            if (contest.state in _STOPPED) != (contest.id in stopped):
                self._tournaments.settle(contest)
                mended.tournaments += 1
            if contest.state is TournamentState.CANCELLED:
                own = [i for i, text in waiting.items() if text.split("|")[1] == contest.id]
                mended.cancelled += self._matches.cancel_all(own, "its tournament was cancelled")

    def _mend_rooms(self, mended: Mended) -> None:
        """Bots that matches wait for, whose places are not what their documents say."""
        bots = sorted({bot for text in self._schedule.waiting().values() for bot in text.split("|")[2:]})
        for chunk in chunks(bots):
            rooms = self._db.run("HMGET", keys.rooms(), *chunk)
            for bot, room in zip(self._bots.get_many(chunk), rooms, strict=True):
                if bot and str(room_of(bot)) != room:
                    self._bots.tell_room(bot)
                    mended.rooms += 1


_STOPPED = (TournamentState.PAUSED, TournamentState.CANCELLED)
_COUNTS_NO_MORE = (MatchState.FINISHED, MatchState.VOID, MatchState.CANCELLED)


def _playable(match: Match | None) -> bool:
    return match is not None and match.state in PLAYABLE

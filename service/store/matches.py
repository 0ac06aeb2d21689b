"""Matches: created, read, listed, and what the operator may do with them; `Running` is the rest of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from service.errors import Conflict
from service.ids import age_part
from service.models import LADDERS, Match, MatchState, Page
from service.store import keys
from service.store.codec import pairs
from service.store.creating import CreateCall
from service.store.documents import missing
from service.store.events import Event, all_events, events_after
from service.store.listing import MatchFilter, list_matches
from service.store.match_codec import as_created, match_from
from service.store.once import Once, first_answer, other_payload, pin
from service.store.running import QUOTA, Running
from service.store.tournaments import entrant_numbers

# Inside the class `list` is a method.
Made = list[Match]
Found = list[Match | None]
Numbered = list[tuple[int, Event]]
Events = list[Event]
Counts = list[int]


class Matches(Running):
    def create(
        self, matches: Match | Sequence[Match], limit: int | None = None, once: Once | None = None
    ) -> Made:
        """Keep matches of one ladder, all or none, and let them wait for their turn.

        Returns the matches that stand: a pairing of a tournament that has its match keeps that one, a request
        that came again gets what it got first. `limit` bounds the open matches of whoever asked (Refused
        `quota`). Raises Conflict `wrong-state` unless their tournament runs.
        """
        given = self._numbered([matches] if isinstance(matches, Match) else list(matches))
        if once:
            first = pin(self._db, once, [match.id for match in given])
            given = [replace(match, id=own) for match, own in zip(given, first, strict=True)]
        with self._counted(given, limit) as counted:
            again, ids = self._create(given, once)
            counted.update(ids)
        by_id = {} if again else {match.id: match for match in given}
        others = {m.id: as_created(m) for m in self.get_many([i for i in ids if i not in by_id]) if m}
        made = [found for i in ids if (found := by_id.get(i) or others.get(i))]
        new = [match for match in made if match.id in by_id]
        self._parts.quotas.note_today(new)
        self._parts.schedule.add(new)
        return made

    def made_before(self, ladder: str, once: Once | None) -> Made | None:
        """The matches that the request made when it came first, as they were then; None if it is new."""
        answer = first_answer(self._db, once, keys.tag(ladder))
        return None if answer is None else [as_created(m) for m in self.get_many(answer.split()) if m]

    def get(self, match_id: str) -> Match:
        """Raises NotFound."""
        found = self._db.run("HGETALL", keys.match(match_id))
        if not found:
            raise missing(match_id)
        return match_from(found)

    def get_many(self, match_ids: Sequence[str]) -> Found:
        """In one round trip; None for those that do not exist."""
        found = self._db.many(("HGETALL", keys.match(i)) for i in match_ids) if match_ids else []
        return [match_from(members) if members else None for members in found]

    def list(self, wanted: MatchFilter | None = None, cursor: str | None = None, limit: int = 50) -> Page:
        """Matches, newest first. A page can be shorter than `limit` and still have a `next`."""
        return list_matches(self._db, self.get_many, wanted or MatchFilter(), cursor, limit)

    def running(self, wanted: MatchFilter, limit: int) -> Made:
        """Matches that are being played and fit, the newest first; `limit` of them at most."""
        ladders = [wanted.game] if wanted.game else LADDERS
        found = self._db.many(("ZRANGE", keys.leases(ladder), 0, -1) for ladder in ladders)
        newest = sorted((i for ids in found for i in ids), key=age_part, reverse=True)
        running = self.get_many(newest[: 4 * limit])  # some may not fit, or be over by now
        fitting = [m for m in running if m and m.state is MatchState.RUNNING and wanted.fits(m)]
        return fitting[:limit]

    def events(self, match_id: str, after: int = 0, limit: int = 500) -> Numbered:
        """Stored events behind `after`, each with its id; receipts are in them. Raises NotFound."""
        return events_after(self._db, self._parts.archive, match_id, after, limit)

    def wait_events(self, match_id: str, after: int, wait_ms: int, limit: int = 500) -> Numbered:
        """`events`, but wait up to `wait_ms` for the first of them."""
        return self._parts.live.wait(
            keys.live(match_id), wait_ms, lambda: self.events(match_id, after, limit)
        )

    def turn_age_ms(self, match_id: str) -> int:
        """How long ago the turn in progress was asked for, by Redis' time; 0 where there is none."""
        (seconds, us), began = self._db.many([("TIME",), ("HGET", keys.match(match_id), "turn_began_at")])
        return max(0, int(seconds) * 1000 + int(us) // 1000 - int(began)) if began else 0

    def record(self, match_id: str) -> Events:
        """All stored events of a live or finished match, receipts included; raises NotFound."""
        return list(all_events(self._db, self._parts.archive, match_id))

    # The operator

    def resume(self, match_id: str) -> Match:
        """Let a held match be played on; raises Conflict `wrong-state` unless it is held."""
        match = self._end(self.get(match_id), "resume", "", (MatchState.HELD,))
        self._parts.schedule.add([match])
        return match

    def cancel(self, match_id: str, reason: str = "cancelled") -> Match:
        """End a match that has not begun; raises Conflict `wrong-state` if it has.

        A tournament's pairing is then as if it had never been made.
        """
        match = self._end(self.get(match_id), "cancel", reason, (MatchState.QUEUED,))
        self._over(match)
        return match

    def cancel_all(self, match_ids: Sequence[str], reason: str) -> int:
        """Cancel those of these that are still queued; how many."""
        cancelled = 0
        for match in self.get_many(match_ids):
            if match and match.state is MatchState.QUEUED:
                with suppress(Conflict):  # it has begun meanwhile
                    self._over(self._end(match, "cancel", reason, (MatchState.QUEUED,)))
                    cancelled += 1
        return cancelled

    def void(self, match_id: str, reason: str, by: str) -> Match:
        """Annul a match in whatever state: a ledger entry; ratings and tournament as if it had never been."""
        match = self.get(match_id)
        if match.state is MatchState.CANCELLED:
            raise Conflict(
                "wrong-state", f"{match_id} was cancelled before it began; nothing is to be voided"
            )
        while self._parts.voiding.void(match, reason, by) == "changed":
            match = self.get(match_id)
        after = self.get(match_id)
        self._over(after)
        self.fold(match_id)
        if match.tournament:
            self._parts.tournaments.settle(self._parts.tournaments.get(match.tournament))
        return after

    # What bots have played

    def rated_today(self, ladder: str, tables: Sequence[Sequence[str]]) -> Counts:
        """For each table of bots: the most rated games that any two of them have been given today (UTC)."""
        return self._parts.quotas.rated_today(ladder, tables)

    def challenged_today(self, bot: str) -> int:
        """Games that others have asked of the bot today (UTC)."""
        return self._parts.quotas.challenged_today(bot)

    # Steps

    def _numbered(self, given: Made) -> Made:
        """With the entrants' numbers where they belong to a tournament."""
        ids = {match.tournament for match in given if match.tournament}
        found = {i: self._parts.tournaments.get(i) for i in ids}
        return [
            replace(m, entrants=entrant_numbers(found[m.tournament], m)) if m.tournament else m for m in given
        ]

    @contextmanager
    def _counted(self, given: Made, limit: int | None) -> Iterator[set[str]]:
        """Count matches against a quota; those that are not in the yielded set at the end do not count."""
        made: set[str] = set()
        ids = [match.id for match in given]
        if limit is not None:
            self._parts.quotas.take(QUOTA, given[0].requested_by, ids, limit)
        try:
            yield made
        finally:
            if limit is not None:
                self._parts.quotas.give(QUOTA, given[0].requested_by, [i for i in ids if i not in made])

    def _create(self, given: Sequence[Match], once: Once | None) -> tuple[bool, Sequence[str]]:
        """Whether the request came again, and the ids of what stands."""
        call = CreateCall(given, once)
        word, *ids = self._db.call("match_create", call.keys, [call.plan()])
        if word == "other":
            raise other_payload()
        if word == "wrong-state":
            raise Conflict("wrong-state", f"the tournament is {ids[0]}; matches are made while it is running")
        return (True, str(ids[0]).split()) if word == "again" else (False, ids)

    def _end(self, match: Match, how: str, reason: str, expect: tuple[MatchState, ...]) -> Match:
        touched = [keys.match(match.id), keys.queued(match.game), keys.held(match.game)]
        if match.tournament and how == "cancel":
            touched += [key(match.tournament) for key in (keys.games, keys.made, keys.open_games)]
        word, *flat = self._db.call("match_state", touched, [match.id, how, reason, match.pairing or 0])
        if word == "missing":
            raise missing(match.id)
        after = match_from(pairs(flat))
        if word == "wrong-state":
            raise Conflict("wrong-state", f"{match.id} is {after.state}; this needs one that is {expect[0]}")
        return after

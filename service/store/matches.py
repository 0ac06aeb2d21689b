"""Matches: created, claimed, played event by event, finished once (D1–D4)."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from service.errors import Conflict, Unavailable
from service.models import Claim, Match, MatchState, Page, Written
from service.store import keys
from service.store.archive import Archive
from service.store.codec import pairs
from service.store.connection import Connection
from service.store.documents import missing
from service.store.events import Event, all_events, events_after
from service.store.finishing import FinishCall
from service.store.listing import MatchFilter, list_matches
from service.store.live import Live
from service.store.match_codec import (
    as_created,
    claim_from,
    count_plies,
    event_text,
    match_fields,
    match_from,
)
from service.store.once import KEPT_MS, Once, other_payload, pin
from service.store.quotas import Quotas
from service.store.schedule import Schedule
from service.store.tournaments import Tournaments, entrant_numbers

QUOTA = "matches"
CLAIMS_WITHOUT_PROGRESS = 20  # in a row; then the match is held
FAILURES_TO_HOLD = 5
_FOLDING_PATIENCE_S = 5.0

# Inside the class `list` is a method.
Made = list[Match]
Found = list[Match | None]
Numbered = list[tuple[int, Event]]
Events = list[Event]
Ids = list[str]
Claims = list[Claim]


class Matches:
    def __init__(
        self,
        db: Connection,
        archive: Archive,
        tournaments: Tournaments,
        schedule: Schedule,
        quotas: Quotas,
        live: Live,
    ) -> None:
        self._db, self._archive, self._tournaments = db, archive, tournaments
        self._schedule, self._quotas, self._live = schedule, quotas, live
        self._generations: dict[str, str] = {}

    # Creating and reading

    def create(
        self, matches: Match | Sequence[Match], limit: int | None = None, once: Once | None = None
    ) -> Made:
        """Keep matches of one ladder, all or none, and let them wait for their turn.

        Returns the matches that stand: a pairing of a tournament that has its match keeps that one, a request
        that came again gets what it got first. `limit` bounds the open matches of whoever asked (Refused
        `quota`). Raises Conflict `wrong-state` unless their tournament runs.
        """
        given = self._numbered([matches] if isinstance(matches, Match) else list(matches))
        with self._counted(given, limit) as made_here:
            ids = self._create(given, once)
            made_here.update(ids)
        by_id = {match.id: match for match in given}
        others = {m.id: as_created(m) for m in self.get_many([i for i in ids if i not in by_id]) if m}
        made = [found for i in ids if (found := by_id.get(i) or others.get(i))]
        new = [match for match in made if match.id in by_id]
        self._quotas.note_today(new)
        self._schedule.add(new)
        return made

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

    def events(self, match_id: str, after: int = 0, limit: int = 500) -> Numbered:
        """Stored events behind `after`, each with its id; receipts are in them. Raises NotFound."""
        return events_after(self._db, self._archive, match_id, after, limit)

    def wait_events(self, match_id: str, after: int, wait_ms: int, limit: int = 500) -> Numbered:
        """`events`, but wait up to `wait_ms` for the first of them."""
        return self._live.wait(keys.live(match_id), wait_ms, lambda: self.events(match_id, after, limit))

    def record(self, match_id: str) -> Events:
        """All stored events of a live or finished match, receipts included; raises NotFound."""
        return list(all_events(self._db, self._archive, match_id))

    # Running

    def claim(self, match_id: str, worker: str, lease_ms: int) -> Claim | None:
        """The right to run a match, or None: somebody runs it, it is over, held, or has no places yet."""
        tokens = secrets.token_hex(8), secrets.token_hex(8)
        args = [match_id, worker, lease_ms, *tokens, CLAIMS_WITHOUT_PROGRESS]
        word, *found = self._db.call("claim", _lease_keys(match_id), args)
        if word in ("over", "held"):
            self._schedule.release([match_id])
        if word != "claimed":
            return None
        epoch, *flat = found
        claim = claim_from(epoch, pairs(flat), [event for _, event in self.events(match_id, 0, 1_000_000)])
        if not self._schedule.claimed(match_id):
            self.release(claim)
            return None
        return claim

    def append(self, claim: Claim, first_id: int, events: Sequence[Mapping[str, Any]]) -> Written:
        """Add events with the ids from `first_id`, in one step, and renew the lease."""
        match_id, ladder = claim.match.id, claim.match.game
        started = next((str(e["at"]) for e in events if e["type"] == "started"), "")
        args = [
            match_id,
            claim.epoch,
            claim.fence,
            first_id,
            count_plies(events),
            started,
            keys.live(match_id),
        ]
        touched = [keys.match(match_id), keys.events(match_id), keys.leases(ladder), keys.epoch(ladder)]
        return Written(self._db.call("append", touched, [*args, *map(event_text, events)]))

    def renew(self, claims: Iterable[Claim], lease_ms: int) -> Ids:
        """Renew leases; the ids of the matches that are lost."""
        by_ladder: dict[str, Claims] = {}
        for claim in claims:
            by_ladder.setdefault(claim.match.game, []).append(claim)
        return [lost for ladder, own in by_ladder.items() for lost in self._renew(ladder, own, lease_ms)]

    def release(self, claim: Claim) -> Written:
        """Give a match back; whoever claims it next goes on where its events end."""
        return self._give_up(claim, "release", "")

    def failed(self, claim: Claim, reason: str) -> Written:
        """Give a match back because of a fault of ours; too many in a row hold it."""
        return self._give_up(claim, "failed", reason)

    def hold(self, claim: Claim, reason: str) -> Written:
        """Give a match up until the operator resumes or voids it."""
        return self._give_up(claim, "hold", reason)

    def finish(
        self,
        claim: Claim,
        first_id: int,
        events: Sequence[Mapping[str, Any]],
        result: Mapping[str, Any],
        chain_head: str,
    ) -> Written:
        """Finish a match, once: last events, result, ledger, ratings, tournament and outbox in one step.

        The last of `events` is `finished` with its `at`; `result` is the referee's.
        """
        written = self._finish(claim, first_id, events, result, chain_head)
        if written is not Written.FENCED:
            self._over(claim.match)
            self.fold(claim.match.id)
        return written

    def fold(self, match_id: str) -> None:
        """Move the events of a finished match from their stream into the archive; may come again."""
        ladder = keys.home(match_id)
        stream = self._db.run("XRANGE", keys.events(match_id), "-", "+")
        if stream:
            self._archive.put(match_id, [json.loads(members["e"]) for _, members in stream])
        self._db.call(
            "fold", [keys.match(match_id), keys.events(match_id), keys.unfolded(ladder)], [match_id]
        )

    # The operator

    def resume(self, match_id: str) -> Match:
        """Let a held match be played on; raises Conflict `wrong-state` unless it is held."""
        match = self._end(match_id, "resume", "", (MatchState.HELD,))
        self._schedule.add([match])
        return match

    def cancel(self, match_id: str, reason: str = "cancelled") -> Match:
        """End a match that has not begun; raises Conflict `wrong-state` if it has."""
        match = self._end(match_id, "cancel", reason, (MatchState.QUEUED,))
        self._over(match)
        return match

    # What bots have played

    def rated_today(self, ladder: str, bots: Sequence[str]) -> int:
        """Rated single games asked for today (UTC) at a table of just these bots."""
        return self._quotas.rated_today(ladder, bots)

    def challenged_today(self, bot: str) -> int:
        """Games that others have asked of the bot today (UTC)."""
        return self._quotas.challenged_today(bot)

    # Steps

    def _numbered(self, given: Made) -> Made:
        """With the entrants' numbers where they belong to a tournament."""
        ids = {match.tournament for match in given if match.tournament}
        found = {i: self._tournaments.get(i) for i in ids}
        return [
            replace(m, entrants=entrant_numbers(found[m.tournament], m)) if m.tournament else m for m in given
        ]

    @contextmanager
    def _counted(self, given: Made, limit: int | None) -> Iterator[set[str]]:
        """Count matches against a quota; those that are not in the yielded set at the end do not count."""
        made: set[str] = set()
        ids = [match.id for match in given]
        if limit is not None:
            self._quotas.take(QUOTA, given[0].requested_by, ids, limit)
        try:
            yield made
        finally:
            if limit is not None:
                self._quotas.give(QUOTA, given[0].requested_by, [i for i in ids if i not in made])

    def _over(self, match: Match) -> None:
        """Give back what a match that is over has taken outside its ladder."""
        self._schedule.release([match.id])
        if match.tournament is None:
            self._quotas.give(QUOTA, match.requested_by, [match.id])

    def _create(self, given: Sequence[Match], once: Once | None) -> Sequence[str]:
        if once:
            pin(self._db, once)
        call = _CreateCall(given, once)
        word, *ids = self._db.call("match_create", call.keys, [call.plan()])
        if word == "other":
            raise other_payload()
        if word == "wrong-state":
            raise Conflict("wrong-state", f"the tournament is {ids[0]}; matches are made while it is running")
        return str(ids[0]).split() if word == "again" else ids

    def _renew(self, ladder: str, claims: Sequence[Claim], lease_ms: int) -> Iterator[str]:
        args = [word for c in claims for word in (c.match.id, c.epoch, c.fence)]
        touched = [keys.leases(ladder), keys.epoch(ladder), *(keys.match(c.match.id) for c in claims)]
        kept = set(self._db.call("renew", touched, [lease_ms, *args]))
        return (c.match.id for c in claims if c.match.id not in kept)

    def _give_up(self, claim: Claim, how: str, reason: str) -> Written:
        match_id = claim.match.id
        patience = FAILURES_TO_HOLD if how == "failed" else CLAIMS_WITHOUT_PROGRESS
        args = [match_id, claim.epoch, claim.fence, how, reason, patience]
        written, state = self._db.call("give_up", _lease_keys(match_id), args)
        if state == MatchState.HELD:
            self._schedule.release([match_id])
        return Written(written)

    def _finish(
        self,
        claim: Claim,
        first_id: int,
        events: Sequence[Mapping[str, Any]],
        result: Mapping[str, Any],
        chain_head: str,
    ) -> Written:
        ladder = claim.match.game
        deadline = time.monotonic() + _FOLDING_PATIENCE_S
        while time.monotonic() < deadline:
            call = FinishCall(claim, self._generation(ladder))
            args = call.args(first_id, events, result, chain_head)
            word, *rest = self._db.call("finish", call.keys, args)
            if word == "generation":
                self._generations[ladder] = rest[0]
            elif word == "folding":
                time.sleep(0.01)
            else:
                return Written(word)
        raise Unavailable(f"the ratings of {ladder} are being folded anew; the result waits for that", 1)

    def _generation(self, ladder: str) -> str:
        if ladder not in self._generations:
            self._generations[ladder] = self._db.run("GET", keys.generation(ladder)) or "0"
        return self._generations[ladder]

    def _end(self, match_id: str, how: str, reason: str, expect: tuple[MatchState, ...]) -> Match:
        ladder = keys.home(match_id)
        word, *flat = self._db.call(
            "match_state",
            [keys.match(match_id), keys.queued(ladder), keys.held(ladder)],
            [match_id, how, reason],
        )
        if word == "missing":
            raise missing(match_id)
        match = match_from(pairs(flat))
        if word == "wrong-state":
            raise Conflict("wrong-state", f"{match_id} is {match.state}; this needs one that is {expect[0]}")
        return match


def _lease_keys(match_id: str) -> list[str]:
    ladder = keys.home(match_id)
    shared = [keys.leases(ladder), keys.queued(ladder), keys.held(ladder), keys.epoch(ladder)]
    return [keys.match(match_id), *shared]


class _CreateCall:
    """The keys and the plan of one call of match_create.lua."""

    def __init__(self, matches: Sequence[Match], once: Once | None) -> None:
        ladders = {match.game for match in matches}
        tournaments = {match.tournament for match in matches}
        if len(ladders) != 1 or len(tournaments) != 1:
            raise ValueError(
                "matches that are made together belong to one ladder and one tournament, or none"
            )
        ladder, tournament = ladders.pop(), tournaments.pop()
        self.keys: list[str] = [keys.queued(ladder), keys.matches(ladder)]
        self._plan: dict[str, Any] = {"queued": 1, "answer": " ".join(m.id for m in matches)}
        if once:
            place = self._key(once.place(keys.tag(ladder)))
            self._plan["once"] = {"key": place, "payload": once.payload, "ttl": KEPT_MS}
        if tournament:
            names = {"doc": keys.tournament, "games": keys.games, "replays": keys.replays}
            self._plan["tournament"] = {part: self._key(name(tournament)) for part, name in names.items()}
        self._plan["matches"] = [self._match(match) for match in matches]

    def plan(self) -> str:
        return json.dumps(self._plan, ensure_ascii=False)

    def _match(self, match: Match) -> dict[str, Any]:
        bots = dict.fromkeys(player.bot for player in match.players)
        indexes = [keys.bot_matches(match.game, bot) for bot in bots]
        if match.tournament:
            indexes.append(keys.tournament_matches(match.tournament))
        entry: dict[str, Any] = {
            "id": match.id,
            "key": self._key(keys.match(match.id)),
            "fields": match_fields(match),
            "index": [2, *map(self._key, indexes)],
        }
        return entry if match.pairing is None else {**entry, "pairing": str(match.pairing)}

    def _key(self, key: str) -> int:
        self.keys.append(key)
        return len(self.keys)

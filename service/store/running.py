"""Running a match: the right to write to it, its events, and its end, each step atomic and fenced (D2–D4)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.errors import Unavailable
from service.models import Claim, Match, MatchState, Written
from service.store import keys
from service.store.archive import Archive
from service.store.codec import pairs
from service.store.connection import Call, Connection
from service.store.events import all_events
from service.store.finishing import FinishCall
from service.store.live import Live
from service.store.match_codec import claim_from, count_plies, event_text
from service.store.quotas import Quotas
from service.store.schedule import Schedule
from service.store.together import Together
from service.store.tournaments import Tournaments
from service.store.voiding import Voiding

QUOTA = "matches"
CLAIMS_WITHOUT_PROGRESS = 20  # in a row; then the match is held
FAILURES_TO_HOLD = 5
_FOLDING_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Parts:
    """What matches are made of and have to do with."""

    db: Connection
    archive: Archive
    tournaments: Tournaments
    schedule: Schedule
    quotas: Quotas
    voiding: Voiding
    live: Live


class Running:
    def __init__(self, parts: Parts) -> None:
        self._parts, self._db = parts, parts.db
        self._together = Together(parts.db)
        self._generations: dict[str, str] = {}

    def claim(self, match_id: str, worker: str, lease_ms: int) -> Claim | None:
        """The right to run a match, or None: somebody runs it, it is over, held, or has no places yet."""
        schedule = self._parts.schedule
        if not schedule.has_places(match_id):
            return None
        tokens = secrets.token_hex(8), secrets.token_hex(8)
        args = [match_id, worker, lease_ms, *tokens, CLAIMS_WITHOUT_PROGRESS]
        word, *found = self._db.call("claim", _lease_keys(match_id), args)
        if word in ("over", "held"):
            schedule.release([match_id])
            return None
        still = schedule.claimed(match_id)  # it may have lost its places just before
        if word != "claimed":
            return None
        epoch, *flat = found
        fields = pairs(flat)
        fresh = fields["next"] == "1"
        events = () if fresh else all_events(self._db, self._parts.archive, match_id)
        claim = claim_from(epoch, fields, events)
        if not still:
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
        return Written(self._together.call(Call("append", touched, [*args, *map(event_text, events)])))

    def renew(self, claims: Iterable[Claim], lease_ms: int) -> list[str]:
        """Renew leases; the ids of the matches that are lost."""
        by_ladder: dict[str, list[Claim]] = {}
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
            self._parts.archive.put(match_id, [members["e"] for _, members in stream])
        self._db.call(
            "fold", [keys.match(match_id), keys.events(match_id), keys.unfolded(ladder)], [match_id]
        )

    # Steps

    def _over(self, match: Match) -> None:
        """Give back what a match that is over has taken outside its ladder."""
        calls = [self._parts.schedule.release_call([match.id])]
        if match.tournament is None:
            calls.append(self._parts.quotas.give_call(QUOTA, match.requested_by, [match.id]))
        self._db.calls(calls)

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
            self._parts.schedule.release([match_id])
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


def _lease_keys(match_id: str) -> list[str]:
    ladder = keys.home(match_id)
    shared = [keys.leases(ladder), keys.queued(ladder), keys.held(ladder), keys.epoch(ladder)]
    return [keys.match(match_id), *shared]

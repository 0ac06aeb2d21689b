"""`audit`: whether everything that follows from the ledger and the records is what the store holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from engines.protocol import canonical
from engines.record import chain_on, chain_start, public
from service.models import Difference, LedgerEntry, Match, MatchState
from service.records import header_of
from service.store import keys
from service.store.connection import Connection
from service.store.documents import chunks
from service.store.finishing import ledger_payload, record_bytes
from service.store.fold import Fold, voided_in
from service.store.ledger import Ledger
from service.store.matches import Matches
from service.store.pairings import Pairings
from service.store.tournaments import Tournaments
from service.store.voiding import Voiding


class Audit:
    def __init__(
        self,
        db: Connection,
        ledger: Ledger,
        matches: Matches,
        tournaments: Tournaments,
        pairings: Pairings,
        voiding: Voiding,
    ) -> None:
        self._db, self._ledger, self._matches = db, ledger, matches
        self._tournaments, self._pairings, self._voiding = tournaments, pairings, voiding

    def differences(self, ladder: str, records: bool = True) -> Iterator[Difference]:
        """Everything in a ladder that is not as it follows; `records`: recompute every hash chain too.

        On a ladder that is being played, run it again before believing a difference.
        """
        yield from self._chain(ladder)
        voided = voided_in(self._ledger.all(ladder))
        yield from self._matches_against_ledger(ladder, voided, records)
        yield from self._ratings(ladder, voided)
        for tournament_id in self._db.run("ZRANGE", keys.tournaments(ladder), 0, -1):
            yield from self._tournament(tournament_id, self._computed_results(ladder, tournament_id, voided))
        yield from self._states(ladder)

    def repair(self, ladder: str) -> list[str]:
        """Make everything that is derived from the ledger anew; what was done, a sentence each."""
        self._voiding.repair(ladder)
        done = [f"{ladder}: ratings, table and histories were folded anew from the ledger"]
        voided = voided_in(self._ledger.all(ladder))
        for tournament_id in self._db.run("ZRANGE", keys.tournaments(ladder), 0, -1):
            data = self._computed_results(ladder, tournament_id, voided)
            if any(self._tournament(tournament_id, data)):
                self._rewrite(tournament_id, data)
                done.append(f"{tournament_id}: its results were written anew from the ledger")
        return done

    def _chain(self, ladder: str) -> Iterator[Difference]:
        for number, stored, link in self._ledger.breaks(ladder):
            yield Difference("ledger chain", f"{ladder} entry {number}", stored, link)

    # Matches

    def _matches_against_ledger(
        self, ladder: str, voided: frozenset[str], records: bool
    ) -> Iterator[Difference]:
        seen: set[str] = set()
        finishes = (e for e in self._ledger.all(ladder) if e.payload["kind"] == "finish")
        for chunk in chunks(finishes):
            ids = [entry.payload["match"] for entry in chunk]
            for entry, match in zip(chunk, self._matches.get_many(ids), strict=True):
                if entry.payload["match"] in seen:
                    yield Difference("finished twice", entry.payload["match"], entry.id, None)
                seen.add(entry.payload["match"])
                if match is not None:  # retention may have deleted it
                    yield from self._match(entry, match, voided, records)
        yield from self._without_entry(ladder, seen)

    def _match(
        self, entry: LedgerEntry, match: Match, voided: frozenset[str], records: bool
    ) -> Iterator[Difference]:
        wanted = MatchState.VOID if match.id in voided else MatchState.FINISHED
        if match.state is not wanted or match.ledger_id != entry.id or match.result is None:
            found = [match.state, match.ledger_id]
            yield Difference("match", match.id, found, [wanted, entry.id])
            return
        computed = ledger_payload(match, match.result, match.chain_head or "", match.finished_at or 0)
        if canonical(computed) != canonical(entry.payload):
            yield Difference("ledger entry", match.id, entry.payload, computed)
        if records:
            yield from self._record(match)

    def _record(self, match: Match) -> Iterator[Difference]:
        events = self._matches.record(match.id)
        if not events:
            return  # retention has deleted it
        head = chain_on(chain_start(header_of(match)), map(public, events)).hex()
        if head != match.chain_head:
            yield Difference("record chain", match.id, match.chain_head, head)
        if events[-1].get("result") != match.result:
            yield Difference("record result", match.id, match.result, events[-1].get("result"))

    def _without_entry(self, ladder: str, seen: set[str]) -> Iterator[Difference]:
        ids = self._db.run("ZRANGE", keys.matches(ladder), 0, -1)
        for chunk in chunks(i for i in ids if i not in seen):
            for match in self._matches.get_many(chunk):
                if match and match.state is MatchState.FINISHED:
                    yield Difference("ledger entry", match.id, None, "an entry for a finished match")

    def _states(self, ladder: str) -> Iterator[Difference]:
        """The sets of queued, running and held matches against the matches."""
        sets = {
            MatchState.QUEUED: keys.queued,
            MatchState.RUNNING: keys.leases,
            MatchState.HELD: keys.held,
        }
        for state, key in sets.items():
            for chunk in chunks(self._db.run("ZRANGE", key(ladder), 0, -1)):
                for match_id, match in zip(chunk, self._matches.get_many(chunk), strict=True):
                    if match is None or match.state is not state:
                        yield Difference(f"set of {state} matches", match_id, state, match and match.state)

    # Ratings

    def _ratings(self, ladder: str, voided: frozenset[str]) -> Iterator[Difference]:
        fold, histories = Fold(voided), dict[str, list[str]]()
        for entry in self._ledger.all(ladder):
            for bot, line in fold.add(entry):
                histories.setdefault(bot, []).append(line)
        gen = self._db.run("GET", keys.generation(ladder)) or "0"
        yield from self._table(ladder, gen, fold)
        for chunk in chunks(fold.bots):
            commands: list[tuple[str, ...]] = [("HGETALL", keys.rating(ladder, gen, bot)) for bot in chunk]
            commands += [("LRANGE", keys.history(ladder, gen, bot), "0", "-1") for bot in chunk]
            found = self._db.many(commands)
            for bot, stored, history in zip(chunk, found, found[len(chunk) :], strict=False):
                yield from _different("rating", bot, stored, fold.bots[bot].fields())
                yield from _different("rating history", bot, history, histories[bot])

    def _table(self, ladder: str, gen: str, fold: Fold) -> Iterator[Difference]:
        key = keys.table(ladder, gen)
        bots = self._db.run("ZRANGE", key, 0, -1)
        scores = self._db.run("ZMSCORE", key, *bots) if bots else []
        stored = {bot: int(float(score)) for bot, score in zip(bots, scores, strict=True)}
        computed = {bot: folded.lines[folded.current].rating for bot, folded in fold.bots.items()}
        for bot in sorted(stored.keys() | computed.keys()):
            yield from _different("ladder table", bot, stored.get(bot), computed.get(bot))

    # Tournaments

    def _computed_results(self, ladder: str, tournament_id: str, voided: frozenset[str]) -> bytes:
        """The results that follow from the ledger, as the store keeps them."""
        data = bytearray()
        for entry in self._ledger.all(ladder):
            payload = entry.payload
            if payload.get("tournament") == tournament_id and payload["match"] not in voided:
                result = {**payload, "faults": [{"seat": s, "reason": r} for s, r in payload["faults"]]}
                record = record_bytes(ladder, payload["pairing"], payload["entrants"], result)
                place = payload["pairing"] * len(record)
                data.extend(bytes(max(0, place + len(record) - len(data))))
                data[place : place + len(record)] = record
        return bytes(data)

    def _tournament(self, tournament_id: str, computed: bytes) -> Iterator[Difference]:
        stored = self._tournaments.result_records(tournament_id).rstrip(b"\0")
        if stored != computed.rstrip(b"\0"):
            yield Difference("tournament results", tournament_id, _short(stored), _short(computed))
        now, count = self._pairings.progress(tournament_id), self._count(tournament_id, computed)
        yield from _different("tournament games done", tournament_id, now.done, count)
        yield from _different("tournament games made", tournament_id, now.made, count + now.open)

    def _count(self, tournament_id: str, data: bytes) -> int:
        return sum(1 for _ in self._tournaments.results_in(tournament_id, data))

    def _rewrite(self, tournament_id: str, data: bytes) -> None:
        count = self._count(tournament_id, data)
        self._db.many(
            [
                ("SET", keys.results(tournament_id), data),
                ("HSET", keys.tournament(tournament_id), "games_done", count),
            ],
            atomic=True,
        )


def _different(what: str, subject: str, stored: Any, computed: Any) -> Iterator[Difference]:
    if stored != computed:
        yield Difference(what, subject, stored, computed)


def _short(data: bytes) -> str:
    return f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]}"

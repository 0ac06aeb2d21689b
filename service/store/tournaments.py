"""Tournaments: their documents, entrants, games and results. Pairings are made as they are needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engines.protocol import canonical
from service.competition import bots_of
from service.errors import Conflict, NotFound
from service.ids import age_part
from service.models import LADDERS, POINTS_LADDERS, Match, Page, Tournament, TournamentState
from service.store import keys
from service.store.codec import from_fields
from service.store.connection import Connection
from service.store.contests import Contests
from service.store.documents import Change, Creation, changed, merged, missing, page_through
from service.store.live import Live
from service.store.once import KEPT_MS, Once, first_answer, other_payload, pin
from service.store.owners import now_ms
from service.store.quotas import Quotas
from service.store.schedule import Schedule
from service.tournaments.pairing import Result
from service.tournaments.results import FAULTS, Results

OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)
QUOTA = "tournaments"
Event = dict[str, Any]

# Inside the class `list` is a method.
Found = list[Tournament | None]
Numbered = list[tuple[str, Event]]


@dataclass(frozen=True, slots=True)
class TournamentFilter:
    """Which tournaments to list. Private ones are listed for `viewer` if he owns or has entered them."""

    game: str | None = None
    owner: str | None = None
    state: TournamentState | None = None
    viewer: str | None = None

    def fits(self, tournament: Tournament) -> bool:
        concerned = {tournament.owner, *(entrant["owner"] for entrant in tournament.entrants)}
        return (
            (self.owner is None or tournament.owner == self.owner)
            and (self.state is None or tournament.state == self.state)
            and (not tournament.settings.get("private") or self.viewer is None or self.viewer in concerned)
        )


class Tournaments:
    def __init__(
        self, db: Connection, schedule: Schedule, contests: Contests, quotas: Quotas, live: Live
    ) -> None:
        self._db, self._schedule, self._contests = db, schedule, contests
        self._quotas, self._live = quotas, live

    def create(
        self, tournament: Tournament, limit: int | None = None, once: Once | None = None
    ) -> Tournament:
        """Keep a new tournament without entrants; raises Refused `quota`."""
        if once:
            tournament = replace(tournament, id=pin(self._db, once, [tournament.id])[0])
        if limit is not None:
            self._quotas.take(QUOTA, tournament.owner, [tournament.id], limit)
        creation = Creation(tournament.id, keys.tag(tournament.game))
        creation.doc(keys.tournament(tournament.id), replace(tournament, entrants=()))
        creation.index(keys.tournaments(tournament.game), tournament.id)
        first = creation.run(self._db, once, tournament.id)
        return tournament if first is None else self.get(first)

    def get(self, tournament_id: str) -> Tournament:
        """Raises NotFound."""
        found = self.get_many([tournament_id])[0]
        if found is None:
            raise missing(tournament_id)
        return found

    def get_many(self, tournament_ids: Sequence[str]) -> Found:
        """In one round trip; None for those that do not exist."""
        places = [(keys.tournament(i), keys.entrants(i)) for i in tournament_ids]
        found = self._db.many(("HGETALL", key) for pair in places for key in pair) if places else []
        return [_tournament(found[i], found[i + 1]) for i in range(0, len(found), 2)]

    def list(
        self, wanted: TournamentFilter | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page:
        """Tournaments, newest first. A page can be shorter than `limit` and still have a `next`."""
        wanted = wanted or TournamentFilter()
        ladders = [wanted.game] if wanted.game else LADDERS
        ids = merged(self._db, [(keys.tournaments(ladder), f"t_{ladder}_") for ladder in ladders], cursor)
        return page_through(ids, self.get_many, wanted.fits, age_part, limit)

    def update(
        self, tournament_id: str, changes: Mapping[str, Any], revision: int | None = None
    ) -> Tournament:
        """Change members while it has not started; raises Conflict `stale`, `wrong-state`."""
        states = [TournamentState.DRAFT, TournamentState.OPEN]
        return self._changed(tournament_id, Change(changes, {"state": states}, revision))

    def start(self, tournament_id: str, games_total: int, revision: int | None = None) -> Tournament:
        """Begin: nobody enters any more. Raises Conflict `stale` if it changed since `revision`."""
        members = {"state": TournamentState.RUNNING, "started_at": now_ms(), "games_total": games_total}
        states = [TournamentState.DRAFT, TournamentState.OPEN]
        after = self._changed(tournament_id, Change(members, {"state": states}, revision))
        self.settle(after)
        return after

    def finish(self, tournament_id: str, games_done: int) -> Tournament:
        """It is over with so many results; raises Conflict `wrong-state` if it has another number of them."""
        now = now_ms()
        members = {"state": TournamentState.FINISHED, "state_reason": None, "finished_at": now}
        expect: dict[str, Sequence[str]] = {
            "state": [TournamentState.RUNNING],
            "games_done": [str(games_done)],
        }
        letter = _finished_letter(tournament_id, now)
        after = self._changed(tournament_id, Change(members, expect, letter=letter))
        self.settle(after)
        return after

    def set_state(
        self,
        tournament_id: str,
        state: TournamentState,
        expect: Sequence[TournamentState] = (),
        reason: str | None = None,
    ) -> Tournament:
        """Raises Conflict `wrong-state` unless it is in one of `expect` (if any are named).

        No match of a paused or cancelled tournament begins from now on.
        """
        members: dict[str, Any] = {"state": state, "state_reason": reason}
        if state in OVER:
            members["finished_at"] = now_ms()
        after = self._changed(tournament_id, Change(members, {"state": expect} if expect else {}))
        self.settle(after)
        return after

    def settle(self, tournament: Tournament) -> None:
        """Bring what follows from a tournament's state up to it; may come again."""
        if tournament.state in (TournamentState.PAUSED, TournamentState.CANCELLED):
            self._schedule.stop(tournament.id)
        else:
            self._schedule.go_on(tournament.id)
        if tournament.started_at is not None:
            note = self._contests.leave if tournament.state in OVER else self._contests.enter
            note(tournament.id, bots_in(tournament))
            self._contests.stir(tournament.id)
        if tournament.state in OVER:
            self._quotas.give(QUOTA, tournament.owner, [tournament.id])

    # Entrants

    def enter(
        self, tournament_id: str, entrant: Mapping[str, Any], most: int, once: Once | None = None
    ) -> Mapping[str, Any]:
        """Add an entrant ({"bot", "name", "version", "owner", "entered_at", "withdrawn_at", …}).

        A team of two bots has `partner`, `partner_name` and `partner_version` too. Returns the entrant that
        stands. Raises Conflict `already-entered`, `tournament-full`, `entry-closed`.
        """
        if once:
            pin(self._db, once)
        word = self._entry("enter", tournament_id, entrant["bot"], entrant, most, once)
        if word == "other":
            raise other_payload()
        if word == "again":
            return self.entered_before(tournament_id, once) or entrant
        if word != "ok":
            raise Conflict(word, _NO_ENTRY[word].format(most=most), "bot")
        return entrant

    def entered_before(self, tournament_id: str, once: Once | None) -> Mapping[str, Any] | None:
        """The entrant that the request added when it came first; None if it is new."""
        answer = first_answer(self._db, once, keys.tag(keys.home(tournament_id)))
        return None if answer is None else dict(json.loads(answer))

    def renew(self, tournament_id: str, entrant: Mapping[str, Any]) -> Tournament:
        """Change what is said of an entrant, before the start; else nothing changes."""
        self._entry("renew", tournament_id, entrant["bot"], entrant, 0)
        return self.get(tournament_id)

    def withdraw(self, tournament_id: str, bot: str, reason: str | None = None) -> Tournament:
        """Before the start: as if it had never entered; later it is marked, with why. Raises NotFound."""
        entrant = next((e for e in self.get(tournament_id).entrants if e["bot"] == bot), None)
        if entrant is None:
            raise NotFound("not-found", f"{bot} has not entered {tournament_id}")
        if entrant["withdrawn_at"] is None:
            gone = {**entrant, "withdrawn_at": now_ms(), "withdrawn_reason": reason}
            self._entry("withdraw", tournament_id, bot, gone, 0)
        after = self.get(tournament_id)
        if after.started_at is not None:
            self._contests.stir(tournament_id)
        return after

    # Games

    def games(self, tournament_id: str, pairings: Sequence[int]) -> dict[int, str]:
        """The matches of those pairings that have one."""
        found = self._db.run("HMGET", keys.games(tournament_id), *pairings) if pairings else []
        return {pairing: match for pairing, match in zip(pairings, found, strict=True) if match}

    def results(self, tournament_id: str) -> tuple[Result, ...]:
        """All results, by pairing."""
        return tuple(self.results_in(tournament_id, self.result_records(tournament_id)))

    def results_in(self, tournament_id: str, records: bytes) -> Iterator[Result]:
        """The results in a string of the tournament's records."""
        tournament = self.get(tournament_id)
        points = tournament.game in POINTS_LADDERS
        return _results(Results.from_records(records, tournament.settings["seats"], points))

    def result_records(self, tournament_id: str) -> bytes:
        """All results as service.tournaments.results reads them, half a million at once if need be."""
        return self._db.run_raw("GET", keys.results(tournament_id)) or b""

    # News

    def events(self, tournament_id: str, after: str = "0", limit: int = 500) -> Numbered:
        """What happened since `after` (an id, or "0"), of the last thousand or so."""
        found = self._db.run("XRANGE", keys.feed(tournament_id), f"({after}", "+", "COUNT", limit)
        return [(entry, json.loads(members["e"])) for entry, members in found]

    def wait_events(self, tournament_id: str, after: str, wait_ms: int, limit: int = 500) -> Numbered:
        """`events`, but wait up to `wait_ms` for the first of them."""
        return self._live.wait(
            keys.live(tournament_id), wait_ms, lambda: self.events(tournament_id, after, limit)
        )

    def _changed(self, tournament_id: str, change: Change) -> Tournament:
        doc, feed = keys.tournament(tournament_id), keys.feed(tournament_id)
        if "state" in change.set:
            note = {"type": "state", "at": now_ms(), "state": change.set["state"]}
            note["reason"] = change.set.get("state_reason")
            change = replace(change, note=(feed, keys.live(tournament_id), canonical(note).decode()))
        changed(self._db, Tournament, tournament_id, doc, change)
        return self.get(tournament_id)

    def _entry(
        self,
        how: str,
        tournament_id: str,
        bot: str,
        entrant: Mapping[str, Any],
        most: int,
        once: Once | None = None,
    ) -> str:
        places = [keys.tournament(tournament_id), keys.entrants(tournament_id)]
        words = [how, bot, canonical(dict(entrant)), most, entrant.get("partner") or ""]
        if once:
            places.append(once.place(keys.tag(keys.home(tournament_id))))
            words += [once.payload, KEPT_MS]
        return str(self._db.call("entry", places, words))


_NO_ENTRY = {
    "already-entered": "the bot has entered already, by itself or in a team",
    "tournament-full": "the tournament has its {most} entrants; its owner can make room",
    "entry-closed": "the tournament has begun or is over",
}


def _tournament(doc: Mapping[str, str], entrants: Mapping[str, str]) -> Tournament | None:
    if not doc:
        return None
    ordered = sorted((text.split(" ", 1) for text in entrants.values()), key=lambda pair: int(pair[0]))
    return replace(from_fields(Tournament, doc), entrants=tuple(json.loads(text) for _, text in ordered))


def _results(columns: Results) -> Iterator[Result]:
    points = columns.points.tolist() if columns.points is not None else [None] * len(columns.games)
    rows = zip(
        columns.games.tolist(),
        columns.seats.tolist(),
        columns.placing.tolist(),
        columns.faults.tolist(),
        points,
        strict=True,
    )
    for game, seats, placing, faults, own in rows:
        reasons = tuple(FAULTS[code - 1] if code else None for code in faults)
        yield Result(game, tuple(seats), tuple(placing), reasons, None if own is None else tuple(own))


def _finished_letter(tournament_id: str, at: int) -> tuple[str, str, str, str]:
    """What webhooks are told of a finished tournament; after a result was voided it may finish again."""
    ladder = keys.home(tournament_id)
    item = {"kind": "webhook", "event": "tournament.finished", "tournament": tournament_id}
    places = keys.outbox(ladder), keys.outbox_items(ladder)
    return (*places, f"{tournament_id}:finished:{at}", canonical(item).decode())


def bots_in(tournament: Tournament) -> list[str]:
    """Every bot that takes part."""
    return [bot for entrant in tournament.entrants for bot in bots_of(entrant)]


def entrant_numbers(tournament: Tournament, match: Match) -> tuple[int, ...]:
    """The entrant in each seat of a tournament's match."""
    numbers = {bot: number for number, entrant in enumerate(tournament.entrants) for bot in bots_of(entrant)}
    return tuple(numbers[player.bot] for player in match.players)

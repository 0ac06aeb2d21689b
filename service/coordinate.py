"""Carries tournaments on: makes the games that can be played now, drops what nobody needs, ends what is over.

Whoever calls this, however often and from however many processes, makes the same games: the schedule is a
pure function, a pairing keeps the match it was given first, and completion is counted from results.

**Who does not come.** An entrant whose bot cannot play (set away, paused after failures, not verified) has
`absence_grace_ms` of the tournament's settings to come back. Then it is withdrawn, and what becomes of its
games is as for any withdrawal. A bot that was retired is withdrawn at once. So no tournament hangs for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np

from service.competition import bots_of, options_of, plan_of, seated, withdrawn_from
from service.errors import Conflict
from service.models import BotState, Match, Tournament, TournamentState
from service.pairing_matches import Maker
from service.store import Store
from service.store.documents import chunks
from service.store.pairings import Books
from service.tournaments.pairing import Pairing
from service.tournaments.steps import MOST_WAITING, Situation, Step, step

MADE_AT_ONCE = 50  # in one call of the store
_TURNS = [Lock() for _ in range(64)]  # threads that look at one tournament at once choose one after the other
NO_BOT = "its bot was retired"
AWAY = "its bot was unable to play for too long"


def advance(store: Store, tournament_id: str, now_ms: int, rated_a_day: int) -> int:
    """Carry a tournament on; how many games were made.

    `now_ms` matters for the absence of bots alone; of two bots' games `rated_a_day` may be rated.
    """
    with _TURNS[hash(tournament_id) % len(_TURNS)]:
        store.contests.looked(tournament_id)
        books = store.pairings.books(tournament_id)
        return _advance(store, books, tournament_id, now_ms, rated_a_day) if books else 0


def _advance(store: Store, books: Books, tournament_id: str, now_ms: int, rated_a_day: int) -> int:
    if books.state is TournamentState.RUNNING:
        tournament = _read(store, tournament_id, books.revision)
        return _Running(store, tournament, books, now_ms, rated_a_day).advance()
    store.pairings.note_present(tournament_id, books.absent)  # the grace begins anew
    if books.state is TournamentState.CANCELLED:
        store.matches.cancel_all(list(books.open.values()), "its tournament was cancelled")
        store.schedule.go_on(tournament_id)  # nothing is left that could begin
    return 0


@lru_cache(maxsize=64)
def _read(store: Store, tournament_id: str, revision: int) -> Tournament:
    """The tournament, read again once its revision has changed: a thousand entrants take milliseconds."""
    return store.tournaments.get(tournament_id)


@lru_cache(maxsize=64)
def _maker(store: Store, tournament_id: str, revision: int) -> Maker:
    return Maker(_read(store, tournament_id, revision))


@dataclass(frozen=True, slots=True)
class _Running:
    """A running tournament as it was read, about to be carried on."""

    store: Store
    tournament: Tournament
    books: Books
    now_ms: int
    rated_a_day: int

    @property
    def maker(self) -> Maker:
        return _maker(self.store, self.tournament.id, self.books.revision)

    def advance(self) -> int:
        now = situation_of(self.store, self.tournament, self.books)
        if self._withdraw_absent(now):
            return 0  # that stirs the tournament: it is looked at again
        next_step = step(plan_of(self.tournament), options_of(self.tournament.settings), now)
        self._drop(next_step)
        if next_step.over:
            self._finish()
        self._make(next_step.make)
        if len(next_step.make) >= MOST_WAITING:
            self.store.contests.stir(self.tournament.id)  # there may be more once these have begun
        return len(next_step.make)

    # Who does not come

    def _withdraw_absent(self, now: Situation) -> bool:
        """Keep account of who cannot play; withdraw who is gone for good or too long. Whether anybody was."""
        missing, known = set(self._missing(now)), self.books.absent
        store, own, grace = self.store, self.tournament.id, self.tournament.settings["absence_grace_ms"]
        if missing - known.keys():
            store.pairings.note_absent(own, missing - known.keys(), self.now_ms)
            store.due.add("coordinate", {"tournament": own}, self.now_ms + grace)
        store.pairings.note_present(own, known.keys() - missing)
        late = {n for n in missing & known.keys() if self.now_ms - known[n] >= grace}
        retired = set(self._retired(sorted(missing - late)))
        for numbers, reason in ((late, AWAY), (retired, NO_BOT)):
            for number in sorted(numbers):
                store.tournaments.withdraw(own, self.tournament.entrants[number]["bot"], reason)
        return bool(late or retired)

    def _missing(self, now: Situation) -> Iterator[int]:
        """Entrants that have games left and cannot play."""
        plan, done = plan_of(self.tournament), now.done
        for number, places in enumerate(now.places):
            if places == 0 and number not in now.withdrawn and not done[plan.games_of(number)].all():
                yield number

    def _retired(self, numbers: Sequence[int]) -> Iterator[int]:
        """Those of these entrants one of whose bots is no more."""
        for number in numbers:
            found = self.store.bots.get_many(bots_of(self.tournament.entrants[number]))
            if any(bot is None or bot.state is BotState.RETIRED for bot in found):
                yield number

    # What is done

    def _drop(self, next_step: Step) -> None:
        ids = [self.books.open[game] for game in next_step.drop]
        if self.store.matches.cancel_all(ids, "an entrant has withdrawn"):
            self.store.contests.stir(self.tournament.id)

    def _finish(self) -> None:
        try:
            self.store.tournaments.finish(self.tournament.id, self.books.done)
        except Conflict:
            return  # somebody else has ended it, or a result was voided meanwhile

    def _make(self, games: Sequence[int]) -> None:
        schedule = plan_of(self.tournament).schedule
        for chunk in chunks(games, MADE_AT_ONCE):
            pairings = [schedule.game(game) for game in chunk]
            try:
                self.store.matches.create(list(self._matches(pairings)))
            except Conflict:
                return  # it was paused or cancelled meanwhile

    def _matches(self, pairings: Sequence[Pairing]) -> Iterator[Match]:
        tables = [seated(self.tournament, pairing.seats) for pairing in pairings]
        ids = sorted({bot for table in tables for bot in table})
        bots = {bot.id: bot for bot in self.store.bots.get_many(ids) if bot is not None}
        played = self.store.matches.rated_today(self.tournament.game, tables)
        here = Counter[frozenset[str]]()
        for pairing, table, before in zip(pairings, tables, played, strict=True):
            left = self.rated_a_day - before - here[frozenset(table)]
            here[frozenset(table)] += 1
            seats = [bots[bot] for bot in table]
            replay = pairing.game in self.books.replays
            yield self.maker.match(pairing, seats, replay, left > 0, self.now_ms)


def situation_of(store: Store, tournament: Tournament, books: Books) -> Situation:
    """How a tournament that has begun stands."""
    plan = plan_of(tournament)
    bitmap = books.made.ljust(-(-plan.count // 8), b"\0")
    made = np.unpackbits(np.frombuffer(bitmap, np.uint8))[: plan.count].astype(bool)
    matches = sorted(books.open.items(), key=lambda pair: pair[1])  # ids sort by age
    waits = store.schedule.waits([match for _, match in matches])
    waiting = {game for (game, _), still in zip(matches, waits, strict=True) if still}
    places, free = _room(store, tournament)
    withdrawn = withdrawn_from(tournament)
    return Situation(made, [game for game, _ in matches], waiting, places, free, withdrawn)


def _room(store: Store, tournament: Tournament) -> tuple[list[int], list[int]]:
    """By entrant: places of its bots, and free ones; a team has as many as its bot that has fewest."""
    teams = [bots_of(entrant) for entrant in tournament.entrants]
    places, free = store.schedule.room([bot for team in teams for bot in team])
    ends = np.cumsum([len(team) for team in teams]).tolist()
    parts = [slice(end - len(team), end) for end, team in zip(ends, teams, strict=True)]
    return [min(places[part]) for part in parts], [min(free[part]) for part in parts]

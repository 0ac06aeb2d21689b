"""Tournaments and single matches on a real store, played by workers that finish them at random."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.clock import Control
from engines.registry import game_named
from service.competition import options_of, plan_of, withdrawn_from
from service.coordinate import advance
from service.ids import new_id
from service.models import Bot, Claim, Match, Tournament, TournamentState
from service.starting import begin
from service.store import Store
from service.store.bots import room_of
from service.tournaments.tie_breaks import DEFAULT
from service.tournaments.withdrawal import settle
from tests.service.store.make import LEASE_MS, a_bot, finish, workers_there

SETTINGS: dict[str, Any] = {
    "description": "",
    "seats": 2,
    "partners": "none",
    "cycles": 1,
    "opening": None,
    "openings": None,
    "duplicate": False,
    "challengers": 1,
    "attempts": 1,
    "rated": True,
    "tie_breaks": list(DEFAULT),
    "max_entrants": 1000,
    "entry": "open",
    "private": False,
    "start_at": None,
    "entries_close_at": None,
    "absence_grace_ms": 1_000,
}
NOW = 1_700_000_000_000


def a_tournament(game: str = "quixo", kind: str = "round-robin", owner: str = "o_host", **settings: Any):
    """A complete tournament that is open for entry."""
    rules = game_named(game)
    return Tournament(
        id=new_id("t", game),
        name="the league",
        game=game,
        format=kind,
        owner=owner,
        options=rules.full_options({}),
        clock=Control.from_json("blitz").to_json(),
        settings={**SETTINGS, "seats": min(rules.seats), **settings},
        seed=bytes(range(32)).hex(),
        state=TournamentState.OPEN,
        created_at=NOW,
    )


def an_entrant(bot: Bot, partner: Bot | None = None) -> dict[str, Any]:
    members = {"bot": bot.id, "name": bot.name, "version": bot.version, "owner": bot.owner}
    members |= {"entered_at": NOW, "withdrawn_at": None, "withdrawn_reason": None}
    if partner:
        members |= {
            "partner": partner.id,
            "partner_name": partner.name,
            "partner_version": partner.version,
        }
    return members


@dataclass
class Venue:
    """`running`: the matches that a worker plays now. Everything that begins is checked against F3."""

    store: Store
    dice: random.Random = field(default_factory=lambda: random.Random(1))
    running: dict[str, Claim] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)  # by bot
    now_ms: int = NOW
    rated_a_day: int = 100

    def bots(self, count: int, concurrency: int = 1, **changes: Any) -> list[Bot]:
        """New bots, each with an owner of its own."""
        made = []
        for _ in range(count):
            bot = a_bot(new_id("b")[-8:], owner=new_id("o"), concurrency=concurrency, **changes)
            made.append(self.store.bots.create(bot, limit=10**6))
        self.places |= {bot.id: bot.concurrency for bot in made}
        return made

    def tournament(self, bots: list[Bot], game: str = "quixo", **settings: Any) -> Tournament:
        """A tournament of these bots that has begun."""
        contest = self.store.tournaments.create(a_tournament(game, **settings))
        for bot in bots:
            self.store.tournaments.enter(contest.id, an_entrant(bot), 1000)
        return begin(self.store, self.store.tournaments.get(contest.id), 10**6)

    def workers(self, places: int = 1000) -> None:
        workers_there(self.store, places)

    def coordinate(self) -> int:
        """Carry on every tournament that is stirred, until none is; how many games were made."""
        made = 0
        while ids := self.store.contests.take():
            made += sum(map(self.advance, ids))
        return made

    def advance(self, tournament: str) -> int:
        """What a coordinator does."""
        return advance(self.store, tournament, self.now_ms, self.rated_a_day)

    def dispatch(self) -> list[Claim]:
        """Begin whatever may begin."""
        ids = self.store.schedule.ready(1000)
        claims = [self.store.matches.claim(match, "w", LEASE_MS) for match in ids]
        found = {claim.match.id: claim for claim in claims if claim}
        assert len(found) == len(ids)
        self.running |= found
        self.begun += found
        self.check_concurrency()
        return list(found.values())

    def check_concurrency(self) -> None:
        """F3: no bot plays more matches at once than it declared, over everything it plays."""
        playing = Counter(bot for c in self.running.values() for bot in {p.bot for p in c.match.players})
        assert all(count <= self.places[bot] for bot, count in playing.items())

    def settle_down(self) -> None:
        """Make and begin until nothing more can."""
        while self.coordinate() + len(self.dispatch()):
            pass

    def finish(self, match_id: str) -> Match:
        """End a match with a random result."""
        claim = self.running.pop(match_id)
        sides = [player.seat if player.team is None else player.team for player in claim.match.players]
        places = dict(enumerate(self._places(len(set(sides)))))
        finish(self.store, claim, *(places[side] for side in sides))
        return claim.match

    def _places(self, sides: int) -> list[int]:
        if self.dice.random() < 0.2:
            return [1] * sides
        return self.dice.sample(range(1, sides + 1), sides)

    def finish_some(self) -> None:
        """End some of what is being played, in a random order."""
        ids = list(self.running)
        for match_id in self.dice.sample(ids, self.dice.randint(min(1, len(ids)), len(ids))):
            self.finish(match_id)

    def play_out(self, tournament: Tournament) -> Tournament:
        """Play until a tournament is over."""
        for _ in range(10_000):
            self.settle_down()
            now = self.store.tournaments.get(tournament.id)
            if now.state is TournamentState.FINISHED:
                return now
            assert self.running, f"nothing is being played, and {now.id} is {now.state}"
            self.finish_some()
        raise AssertionError("it goes on for ever")

    def could_run(self, tournament: Tournament) -> list[int]:
        """Games of a running tournament whose players all have room and that nobody plays."""
        now = self.store.tournaments.get(tournament.id)
        plan, books = plan_of(now), self.store.pairings.books(now.id)
        done = {result.game for result in self.store.tournaments.results(now.id)}
        mask = [game in done for game in range(plan.count)]
        settled = settle(
            plan, options_of(now.settings), np.array(mask, bool), withdrawn_from(now)
        ).settled.tolist()
        playing = {game for game, match in books.open.items() if match in self.running}
        free = self._free(now)
        return [
            game
            for game, seats in enumerate(plan.lineups.tolist())
            if game not in done and game not in settled and game not in playing
            if all(free[entrant] > 0 for entrant in seats)
        ]

    def _free(self, tournament: Tournament) -> list[int]:
        taken = Counter(bot for c in self.running.values() for bot in {p.bot for p in c.match.players})
        bots = self.store.bots.get_many([entrant["bot"] for entrant in tournament.entrants])
        return [room_of(bot) - taken[bot.id] for bot in bots]

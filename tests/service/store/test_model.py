"""The store against a plain model, by whatever sequence of steps, repetitions, lost leases and crashes.

A crash comes between any two calls of a step. The model holds what must be so: who may write to a match, its
events, the ledger in order, and the ratings that follow. In the end everything is mended and audited.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from service import elo
from service.errors import Conflict, Unavailable
from service.models import Claim, Match, MatchState, Written
from service.store import Store
from service.store.running import FAILURES_TO_HOLD
from tests.service.store.make import (
    LEASE_MS,
    a_bot,
    a_match,
    finished,
    head_of,
    move,
    result_of,
    started,
    workers_there,
)
from tests.service.store.test_sweep import dying

PLACINGS = ((1, 2), (2, 1), (1, 1))
ROOM = 2  # matches a bot plays at once
OVER = (MatchState.FINISHED, MatchState.VOID, MatchState.CANCELLED)
Cut = int | None  # after how many calls the caller dies; None: it lives


@dataclass
class Game:
    """What must be so of one match."""

    match: Match
    state: MatchState = MatchState.QUEUED
    events: list[dict[str, Any]] = field(default_factory=list)
    claim: Claim | None = None  # the one that may write; None: nobody known to us may
    failures: int = 0

    def may(self, claim: Claim) -> bool:
        return self.state is MatchState.RUNNING and self.claim is claim


class StoreModel(RuleBasedStateMachine):
    url: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.store = Store.connect(self.url)
        self.store.db.run("FLUSHALL")
        self.games: dict[str, Game] = {}
        self.ledger: list[tuple[str, str, tuple[int, ...]]] = []  # kind, match, placing
        self.fences: dict[str, int] = {}

    matches = Bundle("matches")
    claims = Bundle("claims")
    cuts = st.one_of(st.none(), st.none(), st.integers(0, 7))

    @initialize()
    def begin(self) -> None:
        self.bots = [self.store.bots.create(a_bot(f"bot {i}", concurrency=ROOM)) for i in range(4)]
        workers_there(self.store)

    # Steps

    @rule(target=matches, seats=st.permutations(range(4)), cut=cuts)
    def create(self, seats, cut):
        match = a_match(*(self.bots[i] for i in seats[:2]))
        if self._crashes(cut, lambda store: store.matches.create(match)) and not self._exists(match):
            return multiple()
        self.games[match.id] = Game(match)
        return match.id

    @rule(count=st.integers(1, 3))
    def dispatch(self, count):
        for match_id in self.store.schedule.ready(count):
            assert self.games[match_id].state in (MatchState.QUEUED, *OVER)

    @rule(target=claims, match_id=matches, cut=cuts)
    def claim(self, match_id, cut):
        game = self.games[match_id]
        free, booked = self._free(match_id), match_id in self.store.schedule.bookings()
        before, found = self._fence(match_id), []
        crashed = self._crashes(cut, lambda store: found.append(store.matches.claim(match_id, "w", LEASE_MS)))
        if self._fence(match_id) != before:  # it was taken, by us or by a caller that died
            assert free
            assert game.state in (MatchState.QUEUED, MatchState.RUNNING)
            game.state, game.claim = self._state(match_id), None
        if crashed:
            return multiple()
        claim = found[0]
        assert (claim is not None) == (booked and free and game.state is MatchState.RUNNING)
        if claim is None:
            return multiple()
        assert list(claim.events) == game.events
        game.claim = claim
        return claim

    @rule(claim=claims, count=st.integers(1, 3), cut=cuts, again=st.booleans())
    def append(self, claim, count, cut, again):
        game = self.games[claim.match.id]
        first = len(game.events) + 1
        new = [move(first + i, (first + i) % 2) if first + i > 1 else started() for i in range(count)]
        answers: list[Written] = []
        for _ in range(1 + again):
            crashed = self._crashes(
                cut, lambda store: answers.append(store.matches.append(claim, first, new))
            )
        if game.may(claim):
            if not crashed or len(self.store.matches.record(claim.match.id)) >= first:
                game.events += new
                game.failures = 0
            assert set(answers[:1]) <= {Written.APPLIED}
            assert set(answers[1:]) <= {Written.ALREADY}
        else:
            assert set(answers) <= {Written.FENCED}

    @rule(claim=claims, back=st.integers(1, 2), fresh=st.booleans())
    def append_out_of_turn(self, claim, back, fresh):
        """Events that stand already, or others in their place, or a gap."""
        game = self.games[claim.match.id]
        first = len(game.events) + 1 - back
        if first < 1:
            return
        there = game.events[first - 1 :]
        events = [{**there[0], "charged_us": 7}, *there[1:]] if fresh else there
        written = self.store.matches.append(claim, first, events)
        own = game.may(claim) and first > len(claim.events) and events == there
        assert written is (Written.ALREADY if own else Written.FENCED)
        assert self.store.matches.append(claim, len(game.events) + 2, [move(9)]) is Written.FENCED

    @rule(claim=claims, placing=st.sampled_from(PLACINGS), cut=cuts)
    def finish(self, claim, placing, cut):
        game = self.games[claim.match.id]
        result = result_of(*placing)
        last = [finished(result)]
        head = head_of(claim.match, game.events + last)
        first = len(game.events) + 1
        answers: list[Written] = []

        def call(store: Store) -> None:
            answers.append(store.matches.finish(claim, first, last, result, head))

        crashed = self._crashes(cut, call)
        if not game.may(claim):
            assert set(answers) <= {Written.FENCED}
            return
        if crashed and self._state(claim.match.id) is MatchState.RUNNING:
            return
        assert set(answers) <= {Written.APPLIED}
        game.state, game.events = MatchState.FINISHED, game.events + last
        self.ledger.append(("finish", claim.match.id, placing))
        assert self.store.matches.finish(claim, first, last, result, head) is Written.ALREADY

    @rule(claim=consumes(claims), how=st.sampled_from(["release", "failed", "hold"]), cut=cuts)
    def give_up(self, claim, how, cut):
        game, match_id = self.games[claim.match.id], claim.match.id
        give: dict[str, Callable[[Store], Written]] = {
            "release": lambda store: store.matches.release(claim),
            "failed": lambda store: store.matches.failed(claim, "a fault of ours"),
            "hold": lambda store: store.matches.hold(claim, "for the operator"),
        }
        before, answers = self._fence(match_id), []
        self._crashes(cut, lambda store: answers.append(give[how](store)))
        if not game.may(claim):
            assert set(answers) <= {Written.FENCED}
            return
        if self._fence(match_id) == before:
            assert answers == []
            return
        game.failures += how == "failed"
        held = how == "hold" or (how == "failed" and game.failures >= FAILURES_TO_HOLD)
        game.state, game.claim = self._state(match_id), None
        assert game.state is MatchState.HELD or not held
        assert give[how](self.store) is Written.ALREADY

    @rule(claim=claims)
    def renew(self, claim):
        lost = self.store.matches.renew([claim], LEASE_MS)
        assert lost == ([] if self.games[claim.match.id].may(claim) else [claim.match.id])

    @rule(match_id=matches)
    def expire(self, match_id):
        self.store.db.run("ZADD", "{quixo}:leases", "XX", 1, match_id)

    @rule()
    def sweep(self):
        for match_id in self.store.sweep.hints(5):
            assert self.games[match_id].state not in OVER

    @rule(cut=cuts)
    def mend(self, cut):
        self._crashes(cut, lambda store: store.sweep.mend())

    @rule(match_id=matches, what=st.sampled_from(["cancel", "resume", "void"]), cut=cuts)
    def operate(self, match_id, what, cut):
        game = self.games[match_id]
        acts: dict[str, tuple[Callable[[Store], Match], set[MatchState], MatchState]] = {
            "cancel": (lambda s: s.matches.cancel(match_id), {MatchState.QUEUED}, MatchState.CANCELLED),
            "resume": (lambda s: s.matches.resume(match_id), {MatchState.HELD}, MatchState.QUEUED),
            "void": (
                lambda s: s.matches.void(match_id, "why", "o_1"),
                set(MatchState) - {MatchState.CANCELLED},
                MatchState.VOID,
            ),
        }
        act, allowed, after = acts[what]
        try:
            crashed = self._crashes(cut, act)
        except Conflict:
            assert game.state not in allowed | {after}
            return
        assert game.state in allowed | {after} or crashed
        if crashed and self._state(match_id) is game.state:
            return
        if what == "void" and game.state is not MatchState.VOID:
            self.ledger.append(("void", match_id, ()))
        if game.state is not after:
            game.claim = None
        game.state = after

    # What holds after every step

    @invariant()
    def states_are_as_they_must_be(self):
        found = self.store.matches.get_many(list(self.games))
        for match, game in zip(found, self.games.values(), strict=True):
            assert match is not None
            assert match.state is game.state

    @invariant()
    def no_bot_is_overrun(self):
        load = Counter(bot for text in self.store.schedule.bookings().values() for bot in text.split("|")[2:])
        assert all(count <= ROOM for count in load.values())

    @invariant()
    def fences_only_grow(self):
        for match_id in self.games:
            fence = self._fence(match_id)
            assert fence >= self.fences.get(match_id, 0)
            self.fences[match_id] = fence

    @precondition(lambda self: self.ledger)
    @invariant()
    def ratings_follow_from_the_ledger(self):
        found = {r.bot: (r.rating, r.games) for r in self.store.ratings.table("quixo").items}
        assert {bot: line for bot, line in self._ratings().items() if line[1]} == found
        assert self.store.ledger.length("quixo") == len(self.ledger)

    def teardown(self):
        self.store.sweep.mend()
        assert self.store.sweep.mend() == {}
        assert list(self.store.audit.differences("quixo")) == []
        for match_id, game in self.games.items():
            assert self.store.matches.record(match_id) == game.events
        waiting = set(self.store.schedule.waiting()) | set(self.store.schedule.bookings())
        playable = {i for i, g in self.games.items() if g.state in (MatchState.QUEUED, MatchState.RUNNING)}
        assert waiting == playable
        self.store.close()

    # Looking

    def _crashes(self, cut: Cut, step: Callable[[Store], Any]) -> bool:
        """Take a step; whether the caller died on the way."""
        if cut is None:
            step(self.store)
            return False
        try:
            step(dying(self.store, cut))
        except Unavailable:
            return True
        return False

    def _exists(self, match: Match) -> bool:
        return self.store.matches.get_many([match.id]) != [None]

    def _state(self, match_id: str) -> MatchState:
        return self.store.matches.get(match_id).state

    def _fence(self, match_id: str) -> int:
        return int(self.store.db.run("HGET", f"{{quixo}}:match:{match_id}", "fence"))

    def _free(self, match_id: str) -> bool:
        """Whether nobody's lease on it lives; waits if that changes this very moment."""
        end = float(self.store.db.run("ZSCORE", "{quixo}:leases", match_id) or 0)
        now = time.time() * 1000
        if abs(end - now) < 100:
            time.sleep(0.2)
            now += 200
        return end <= now

    def _ratings(self) -> dict[str, tuple[int, int]]:
        """Ratings and games by the plainest fold of the model's ledger."""
        voided = {match_id for kind, match_id, _ in self.ledger if kind == "void"}
        lines = {bot.id: (elo.START, 0) for bot in self.bots}
        for kind, match_id, placing in self.ledger:
            if kind == "finish" and match_id not in voided:
                bots = [player.bot for player in self.games[match_id].match.players]
                before = [lines[bot] for bot in bots]
                changed = elo.changes([r for r, _ in before], [g for _, g in before], placing)
                for bot, (rating, games), change in zip(bots, before, changed, strict=True):
                    lines[bot] = rating + change, games + 1
        return lines


def play(url: str, runs: int, steps: int) -> None:
    StoreModel.url = url
    run_state_machine_as_test(
        StoreModel,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_store_is_as_the_model(redis_server):
    play(redis_server.url, runs=25, steps=40)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_store_is_as_the_model_for_long(redis_server):
    play(redis_server.url, runs=1000, steps=80)

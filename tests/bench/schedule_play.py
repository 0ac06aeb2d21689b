"""The parts of `./run bench schedule` that need a store: dispatching, big tournaments, busy bots.

Workers are simulated: a game lasts as long as a virtual clock says and ends with a result at once; the
coordinator, the scheduler and the store are the service's own. The ideal is a bound: no schedule can end
before its busiest bot has played its games one after the other, nor before all games fit two by two.
"""

from __future__ import annotations

import heapq
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from service.competition import Competition, tables
from service.models import Bot, Tournament, TournamentState
from service.starting import begin
from service.store import Store, keys
from service.tournaments.results import record_type
from tests.bench.schedule_fit import Row
from tests.bench.store import redis_cpu_s
from tests.service.store.make import a_match
from tests.service.venue import Venue, a_tournament, an_entrant

ROUNDS = 5


def dispatch_row(store: Store, count: int = 2000) -> Row:
    """Ready games told to workers and given back, all of different bots."""
    venue = Venue(store)
    venue.workers(10**6)
    bots = venue.bots(2 * count)
    rates = []
    for _ in range(ROUNDS):
        for start in range(0, count, 200):
            some = iter(bots[2 * start : 2 * start + 400])
            store.matches.create([a_match(one, other) for one, other in zip(some, some, strict=True)])
        venue.workers(10**6)
        cpu, own = redis_cpu_s(store), time.process_time()
        ready: list[str] = []
        while found := store.schedule.ready(100):
            ready += found
        used = redis_cpu_s(store) - cpu + time.process_time() - own
        assert len(ready) == count
        rates.append(count / used)
        store.matches.cancel_all(ready, "as a test")
    rate = statistics.median(rates)
    return "dispatch of ready games, Redis and the dispatcher on one core", f"{rate:.0f}/s", "-", ">= 2 000/s"


@dataclass
class Simulation:
    """A tournament played in virtual time by as many places as it can use."""

    venue: Venue
    lengths: random.Random
    pace: dict[str, float]
    now: float = 0.0
    ends: list[tuple[float, str]] = field(default_factory=list)
    played: dict[str, float] = field(default_factory=dict)  # by bot, the time it was busy

    def start(self) -> None:
        """Begin whatever can begin now, with a random length."""
        self.venue.workers(10**6)
        while self.venue.coordinate() + len(begun := self.venue.dispatch()):
            for claim in begun:
                players = [player.bot for player in claim.match.players]
                length = self.lengths.expovariate(1.0) * max(self.pace[bot] for bot in players)
                heapq.heappush(self.ends, (self.now + length, claim.match.id))
                for bot in players:
                    self.played[bot] = self.played.get(bot, 0.0) + length

    def run(self) -> None:
        self.start()
        while self.ends:
            self.now, match_id = heapq.heappop(self.ends)
            self.venue.finish(match_id)
            self.start()

    def busy(self) -> float:
        """The share of an ideal schedule's pace: its length over that of this one."""
        everybody = list(self.played.values())
        pairs = len(everybody) // 2
        return max(max(everybody), sum(everybody) / 2 / pairs) / self.now


def busy_rows(store: Store, count: int) -> Iterator[Row]:
    for what, spread in (("alike", 0.0), ("of different pace (1 to 3)", 2.0)):
        venue, dice = Venue(store), random.Random(1)
        venue.workers(10**6)
        bots = venue.bots(count)
        contest = venue.tournament(bots)
        pace = {bot.id: 1 + spread * dice.random() for bot in bots}
        simulation, began = Simulation(venue, dice, pace), time.perf_counter()
        simulation.run()
        took = time.perf_counter() - began
        assert store.tournaments.get(contest.id).state is TournamentState.FINISHED
        games = len(venue.begun)
        yield (
            f"{count} bots of concurrency 1, {what}, exponential lengths, {games} games",
            f"{simulation.busy():.1%} of the ideal",
            f"{took / games * 1000:.1f} ms a game here, workers' part included",
            ">= 90 %",
        )


def memory(store: Store) -> int:
    return int(store.db.client.info("memory")["used_memory"])


def big_rows(store: Store, count: int = 1000) -> Iterator[Row]:
    """A round-robin of 1 000 from its draft to its tables."""
    venue = Venue(store)
    venue.workers(10**6)
    bots = venue.bots(count)
    before = memory(store)
    contest, made = _timed(lambda: store.tournaments.create(a_tournament()))
    for bot in bots:
        store.tournaments.enter(contest.id, an_entrant(bot), count)
    started, began = _timed(lambda: begin(store, store.tournaments.get(contest.id), 10**6))
    _, first = _timed(lambda: venue.advance(contest.id))
    used = (memory(store) - before) / 2**20
    yield f"a round-robin of {count}: {started.games_total} games created", f"{made:.4f} s", "-", "< 1 s"
    yield "started", f"{began:.2f} s", "-", "< 1 s"
    yield "memory in Redis before results, its first games made", f"{used:.1f} MiB", "-", "< 64 MiB"
    yield "its first 500 games made (by the coordinator)", f"{first:.2f} s", "-", "printed"
    yield _step_row(venue, contest)
    for state in (TournamentState.PAUSED, TournamentState.RUNNING, TournamentState.CANCELLED):
        _, took = _timed(lambda state=state: store.tournaments.set_state(contest.id, state))  # type: ignore[misc]
        yield f"set to {state}", f"{took:.2f} s", "-", "at once"


def _step_row(venue: Venue, contest: Tournament) -> Row:
    venue.workers(10**6)
    venue.dispatch()
    times = []
    for _ in range(50):
        for _ in range(2):
            venue.finish(next(iter(venue.running)))
        _, took = _timed(venue.coordinate)
        times.append(took)
        venue.dispatch()
    return "a step of it after two results", f"{statistics.median(times) * 1000:.1f} ms", "-", "O(opponents)"


def standings_row(store: Store, count: int = 1000) -> Row:
    """Everything that its table takes: reading entrants and results, counting, tie-breaks."""
    contest, bots = _finished(store, count)

    def table() -> None:
        tournament = store.tournaments.get(contest.id)
        tables(Competition.of(tournament, store.tournaments.result_records(contest.id)))

    times = [_timed(table)[1] for _ in range(ROUNDS)]
    return (
        f"standings of {len(bots)} bots from the store",
        f"{statistics.median(times) * 1000:.0f} ms",
        "-",
        "<= 100 ms",
    )


def _finished(store: Store, count: int) -> tuple[Tournament, Sequence[Bot]]:
    """A tournament all of whose results are there, at random."""
    venue = Venue(store)
    bots = venue.bots(count)
    contest = venue.tournament(bots)
    plan = Competition.of(contest, b"").schedule()
    records = np.zeros(plan.count, record_type(2, points=False))
    records["seats"] = plan.lineups()
    dice = np.random.default_rng(2)
    records["placing"] = np.array([(1, 2), (1, 1), (2, 1)])[dice.integers(0, 3, plan.count)]
    store.db.run("SET", keys.results(contest.id), records.tobytes())
    return contest, bots


def _timed(work):  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began

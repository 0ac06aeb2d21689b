"""The store: finishes, appends and dispatches a second on one core of Redis; bytes per stored Quixo move;
and the time from a worker's SIGKILL to the next move of the matches that it played.

python -m tests.bench store [MATCHES]

Rates are per second of Redis' own processor time (one core), measured over eight writer processes; beside
them the rate that the writers reached on this machine, where they share its cores with Redis.
"""

from __future__ import annotations

import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engines.protocol import MoveReply
from engines.record import chain_on, chain_start, public, setup_from
from engines.referee import Answer, referee
from engines.registry import game_named
from service.config import Settings
from service.models import Bot, Claim, Match
from service.records import header_of
from service.store import Store
from tests.chaos.arena import Watch, arena
from tests.chaos.table import percentile
from tests.servers import RedisServer
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

WRITERS = 8
BOTS = 10
ROUNDS = 5
PLACES = 1_000_000
PATIENCE_S = 60
KILLS = 6
DEFAULT_LEASE_MS = Settings().lease_ms


def redis_cpu_s(store: Store) -> float:
    """Processor seconds that Redis has used."""
    server = store.db.run("INFO", "cpu")
    return float(server["used_cpu_user"]) + float(server["used_cpu_sys"])


def claimed_matches(store: Store, bots: Sequence[Bot], count: int) -> list[Claim]:
    """Matches between random two of the bots, each claimed and begun."""
    rng = random.Random(1)
    claims = []
    for start in range(0, count, 200):
        workers_there(store, PLACES)
        made = [a_match(*rng.sample(bots, 2)) for _ in range(min(200, count - start))]
        store.matches.create(made)
        while ready := store.schedule.ready(200):
            claims += [c for i in ready if (c := store.matches.claim(i, "w", LEASE_MS))]
    for claim in claims:
        store.matches.append(claim, 1, [started()])
    return claims


def write(url: str, claims: Sequence[Claim], work: str, gate: Any) -> None:
    """One writer process: finish its matches, or append a move to each, as fast as it can."""
    store = Store.connect(url)
    store.ping()
    rng = random.Random(claims[0].match.id)
    calls = [call_of(store, claim, work, rng) for claim in claims]
    gate.wait(PATIENCE_S)
    for call in calls:
        assert call() == "applied"


def call_of(store: Store, claim: Claim, work: str, rng: random.Random) -> Callable[[], str]:
    if work == "append":
        return lambda: store.matches.append(claim, 2, [move(0, charged_us=rng.randrange(9_999))])
    result = result_of(*rng.choice([(1, 2), (2, 1), (1, 1)]))
    last = [finished(result)]
    head = head_of(claim.match, [started(), *last])
    return lambda: store.matches.finish(claim, 2, last, result, head)


def rate(store: Store, url: str, claims: Sequence[Claim], work: str) -> tuple[float, float]:
    """Per second of Redis' processor time, and per second."""
    gate = multiprocessing.Barrier(WRITERS + 1)
    parts = [claims[i::WRITERS] for i in range(WRITERS)]
    writers = [multiprocessing.Process(target=write, args=(url, part, work, gate)) for part in parts]
    for writer in writers:
        writer.start()
    gate.wait(PATIENCE_S)
    cpu, begun = redis_cpu_s(store), time.perf_counter()
    for writer in writers:
        writer.join()
        if writer.exitcode:
            sys.exit("a writer failed")
    took, used = time.perf_counter() - begun, redis_cpu_s(store) - cpu
    return len(claims) / used, len(claims) / took


def dispatch_rate(store: Store, bots: Sequence[Bot], count: int) -> tuple[float, float]:
    """Matches started and given back, in batches, all bots busy all the time."""
    rng = random.Random(2)
    for start in range(0, count, 500):
        store.matches.create([a_match(*rng.sample(bots, 2)) for _ in range(min(500, count - start))])
    workers_there(store, PLACES)
    cpu, begun, done = redis_cpu_s(store), time.perf_counter(), 0
    while ready := store.schedule.ready(500):
        done += len(ready)
        store.schedule.release(ready)
    assert done == count, (done, count)
    return count / (redis_cpu_s(store) - cpu), count / (time.perf_counter() - begun)


def quixo_match(store: Store, bots: Sequence[Bot]) -> Claim:
    """A match that is to be played from its start."""
    match = a_match(*bots[:2], options=game_named("quixo").full_options({}))
    workers_there(store, PLACES)
    store.matches.create(match)
    store.schedule.ready(1)
    claim = store.matches.claim(match.id, "w", LEASE_MS)
    assert claim is not None
    return claim


def played_quixo(match: Match, rng: random.Random) -> tuple[list[list[dict[str, Any]]], dict[str, Any]]:
    """A game of random moves: the batches of events that a runner appends, and the result."""
    events: list[dict[str, Any]] = [started()]
    batches = [events]
    running = referee(setup_from(header_of(match), bytes.fromhex(match.secret), events[0]))
    try:
        turn = next(running)
        while True:
            answer = Answer(MoveReply(rng.randrange(len(turn.legal)), None), *receipt(rng))
            turn = running.send(answer)
            batches.append(list(turn.events))
    except StopIteration as stop:
        last = list(stop.value.events)
        batches.append([*last[:-1], {**last[-1], "at": 1_700_000_100_000}])
        return batches, dict(stop.value.result)


def receipt(rng: random.Random) -> tuple[int, int, dict[str, Any]]:
    wait, send, receive = rng.randrange(3_000, 90_000), rng.randrange(20, 90), rng.randrange(5, 60)
    charged = wait + receive
    parts = {"connect_us": 0, "tls_us": 0, "send_us": send, "wait_us": wait, "receive_us": receive}
    return charged, 1, parts | {"stall_us": 0, "charged_us": charged, "attempts": 1, "stamp": "kernel"}


def bytes_per_move(store: Store, bots: Sequence[Bot], count: int) -> tuple[float, float]:
    """Of the events of whole matches: while they run, and once they are finished (MEMORY USAGE)."""
    rng = random.Random(3)
    live = kept = moves = 0
    for _ in range(count):
        claim = quixo_match(store, bots)
        batches, result = played_quixo(claim.match, rng)
        done: list[dict[str, Any]] = []
        for batch in batches[:-1]:
            store.matches.append(claim, len(done) + 1, batch)
            done += batch
        moves += sum(event["type"] == "move" for batch in batches for event in batch)
        live += used(store, "events", claim)
        head = chain_on(chain_start(header_of(claim.match)), map(public, [*done, *batches[-1]])).hex()
        store.matches.finish(claim, len(done) + 1, batches[-1], result, head)
        kept += used(store, "record", claim)
    return live / moves, kept / moves


def used(store: Store, noun: str, claim: Claim) -> int:
    return int(store.db.run("MEMORY", "USAGE", f"{{quixo}}:{noun}:{claim.match.id}", "SAMPLES", 0) or 0)


def interrupted(kills: int) -> list[float]:
    """Kill a worker again and again; for how many seconds each of its matches stood still."""
    chance = random.Random(4)
    with arena(lease_ms=DEFAULT_LEASE_MS, concurrency=20) as place:
        for _ in range(2):
            place.start_worker()
        place.add_bots("quixo", 20, pause_s=0.1)
        asked = place.ask(40 * kills)
        place.wait_plies(asked[:10], 5)
        with Watch(place, asked, over_s=1.0) as watch:
            for _ in range(kills):
                place.stack.parts[chance.choice(place.living())].kill()
                place.start_worker()
                time.sleep(DEFAULT_LEASE_MS / 1000 + 6)
    return watch.pauses


def main(argv: Sequence[str]) -> None:
    count = int(argv[0]) if argv else 4_000
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(Path(folder)).start()
        try:
            show(server.url, count)
        finally:
            server.stop()


def show(url: str, count: int) -> None:
    store = Store.connect(url)
    bots = [store.bots.create(a_bot(f"bot {i}", concurrency=1_000_000)) for i in range(BOTS)]
    print(f"{WRITERS} writers over {BOTS} bots, median of {ROUNDS} rounds of {count} matches")
    for work, what in (("append", "appends"), ("finish", "finishes (≥ 2000)")):
        found = [rate(store, url, claimed_matches(store, bots, count), work) for _ in range(ROUNDS)]
        line(what, found)
    line("dispatches", [dispatch_rate(store, bots, count) for _ in range(ROUNDS)])
    running, kept = bytes_per_move(store, bots, 100)
    print(f"bytes per Quixo move with its receipt: {running:.0f} running (≤ 400), {kept:.0f} finished (≤ 60)")
    print("differences found by the audit:", len(list(store.audit.differences("quixo"))))
    pauses = interrupted(KILLS)
    middle, late = statistics.median(pauses), percentile(pauses, 0.95)
    print(f"from SIGKILL to the next move: {middle:.1f} s, p95 {late:.1f} s (≤ 15 s)", end=" ")
    print(f"in {len(pauses)} matches after {KILLS} kills, leases of {DEFAULT_LEASE_MS / 1000:g} s")


def line(what: str, found: Sequence[tuple[float, float]]) -> None:
    core, wall = (statistics.median(part) for part in zip(*found, strict=True))
    print(f"{what:<17} {core:8.0f}/s of one core of Redis   {wall:8.0f}/s here")


if __name__ == "__main__":
    main(sys.argv[1:])

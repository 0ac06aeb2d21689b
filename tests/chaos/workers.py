"""Workers killed, frozen, stopped; messages lost and sent five times (reliability rows 4, 7, 8, 17).

python -m tests.chaos workers [--short] [--server embedded|redis-server] [--only N ...]
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections.abc import Callable

from service.dispatch import dispatch
from service.jobs import Jobs
from service.models import MatchState
from tests.chaos.arena import Arena, Watch, arena
from tests.chaos.table import Row, percentile, show
from tests.servers import kinds

RESUMED_S = 15.0


def outcome(place: Arena, name: str, matches: list, seconds: float) -> list[Row]:
    """What must be so after any harm: all finished, each once, nobody at fault, everything adds up."""
    over = place.wait_over(matches, seconds)
    finished = sum(m.state is MatchState.FINISHED for m in over)
    rows = place.ledger_rows()
    faults, bad, wrong = place.faults(over), place.bad_records(over), place.differences()
    count = len(matches)
    return [
        Row(f"{name}: matches finished", str(finished), str(count), finished == count),
        Row(f"{name}: ledger rows", str(rows), str(count), rows == count),
        Row(f"{name}: faults of bots", str(faults), "0", faults == 0),
        Row(f"{name}: records that fail", str(bad), "0", bad == 0),
        Row(f"{name}: audit's differences", str(wrong), "0", wrong == 0),
    ]


def kill(server: str, matches: int, kills: int, every_s: float) -> list[Row]:
    """Row 4: SIGKILL a random worker every so often and start another."""
    chance = random.Random(4)
    with arena(server, lease_ms=4000) as place:
        for _ in range(4):
            place.start_worker()
        place.add_bots("quixo", 20, pause_s=0.15)
        asked = place.ask(matches)
        place.wait_plies(asked[:20], 5)
        killed = 0
        with Watch(place, asked, over_s=2.0) as watch:
            while killed < kills:
                victim = place.stack.parts[chance.choice(place.living())]
                victim.kill()
                victim.wait()
                killed += 1
                place.start_worker()
                time.sleep(every_s)
            rows = outcome(place, f"{killed} kills", asked, 300)
        resumed = percentile(watch.pauses or [0.0], 0.95)
        rows.append(Row("kills: resumed, p95", f"{resumed:.1f} s", f"≤ {RESUMED_S} s", resumed <= RESUMED_S))
        if not watch.pauses:
            rows.append(Row("kills: matches interrupted", "0", "> 0", False))
        return rows


def freeze(server: str, times: int) -> list[Row]:
    """Row 8: SIGSTOP a worker for twice its lease, then wake it: what it still writes is refused."""
    lease_s = 1.0
    with arena(server, lease_ms=int(lease_s * 1000)) as place:
        one, two = place.start_worker(), place.start_worker()
        place.add_bots("quixo", 8, pause_s=0.1)
        asked = place.ask(max(12, 2 * times))
        place.wait_plies(asked[:4], 2)
        for number in range(times):
            frozen = place.stack.parts[(one, two)[number % 2]]
            frozen.send_signal(signal.SIGSTOP)
            time.sleep(2 * lease_s)
            frozen.send_signal(signal.SIGCONT)
            time.sleep(0.3)
        rows = outcome(place, f"frozen {times} times", asked, 200)
        refused = sum(
            place.stack.log(name).read_text(errors="replace").count("match lost") for name in (one, two)
        )
        rows.append(Row("frozen: writes refused", str(refused), f"≥ {times}", refused >= times))
        return rows


def duplicates(server: str, matches: int, workers: int) -> list[Row]:
    """Row 7: every hint is delivered five times to many workers."""
    with arena(server, concurrency=20) as place:
        for _ in range(workers):
            place.start_worker()
        place.add_bots("quixo", 20, pause_s=0.0)
        jobs = Jobs.at(f"{place.redis.url}/1")
        asked = place.ask(matches)
        for _ in range(5):
            for match in asked:
                jobs.play(match.id)
        return outcome(place, "5 messages each", asked, 200)


def broker(server: str, matches: int) -> list[Row]:
    """Row 17: the broker's keys are deleted while matches run and wait."""
    with arena(server, concurrency=10) as place:
        place.start_worker()
        place.add_bots("quixo", 10, pause_s=0.02)
        asked = place.ask(matches)
        place.wait_plies(asked[:5], 3)
        with place.redis.client() as client:
            client.select(1)
            client.flushdb()
        begun = time.monotonic()
        rows = outcome(place, "broker's keys deleted", asked, 120)
        took = time.monotonic() - begun
        return [*rows, Row("broker's keys deleted: all over after", f"{took:.1f} s", "≤ 30 s", took <= 30)]


def stop(server: str, matches: int) -> list[Row]:
    """SIGTERM with bots that think for long: given back within seconds, nobody charged for it."""
    with arena(server) as place:
        first = place.start_worker()
        place.add_bots("quixo", 8, pause_s=8.0)
        asked = place.ask(matches, opening_plies=8)
        place.wait_plies(asked, 8)
        time.sleep(1.0)
        part = place.stack.parts[first]
        begun = time.monotonic()
        part.terminate()
        part.wait(30)
        took = time.monotonic() - begun
        given_back = [m.state for m in place.now(asked)]
        back = sum(s in (MatchState.QUEUED, MatchState.RUNNING) for s in given_back)
        fast = place.add_bots("quixo", 1, pause_s=0.0)[-1]
        for bot in place.bots:
            place.store.verifications.passed(place.store.bots.update(bot.id, {"url": fast.url}))
        place.start_worker()
        return [
            Row("SIGTERM: the worker ended after", f"{took:.1f} s", "≤ 8 s", took <= 8),
            Row("SIGTERM: its exit code", str(part.returncode), "0", part.returncode == 0),
            Row("SIGTERM: matches given back", str(back), str(matches), back == matches),
            *outcome(place, "SIGTERM", asked, 120),
        ]


def unswept(server: str, matches: int) -> list[Row]:
    """No sweep at all: what nothing happens to is played all the same, and nothing of it is wrong."""
    with arena(server, concurrency=10, sweeps=0) as place:
        place.start_worker()
        place.add_bots("quixo", 10, pause_s=0.0)
        asked = place.ask(matches)
        place.stack.wait_until(lambda: bool(place.store.workers.alive()), "the worker")
        dispatch(place.store, Jobs.at(f"{place.redis.url}/1"))
        return outcome(place, "no sweep", asked, 120)


SHORT: tuple[Callable[[str], list[Row]], ...] = (
    lambda server: kill(server, 24, 4, 1.5),
    lambda server: freeze(server, 3),
    lambda server: duplicates(server, 60, 2),
    lambda server: broker(server, 20),
    lambda server: stop(server, 6),
    lambda server: unswept(server, 30),
)
LONG: tuple[Callable[[str], list[Row]], ...] = (
    lambda server: kill(server, 200, 25, 2.0),
    lambda server: freeze(server, 20),
    lambda server: duplicates(server, 500, 8),
    lambda server: broker(server, 100),
    lambda server: stop(server, 20),
    lambda server: unswept(server, 200),
)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="chaos workers", description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--server", choices=["embedded", "redis-server"], help="default: both")
    parser.add_argument("--only", type=int, nargs="*", help="which of the proofs, from 0")
    options = parser.parse_args(argv)
    proofs = SHORT if options.short else LONG
    chosen = options.only if options.only is not None else range(len(proofs))
    servers = [options.server] if options.server else kinds()
    return show([row.of(server) for server in servers for number in chosen for row in proofs[number](server)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

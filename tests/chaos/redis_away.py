"""Redis paused, killed and started again, or full, under the whole service (reliability rows 5 and 16).

python -m tests.chaos redis_away [--short] [--server embedded|redis-server] [--only N ...]
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import requests

from service.jobs import Jobs
from tests.chaos.arena import Arena, arena
from tests.chaos.background import Background
from tests.chaos.table import Row, show
from tests.chaos.workers import outcome
from tests.servers import kinds
from workers.embedded import free_port
from workers.stack import answers

WELL_AGAIN_S = 10.0


@dataclass(eq=False)  # it is told apart as threads are
class Prober(Background):
    """Asks the API for a rating table ten times a second; what it answered, and when."""

    base: str
    answered: list[tuple[float, int, bool]] = field(default_factory=list)  # when, status, Retry-After given
    silent: int = 0  # asked and not answered within 5 s

    def __post_init__(self) -> None:
        super().__init__()

    def run(self) -> None:
        with requests.Session() as session:
            while not self.stopped.wait(0.1):
                try:
                    reply = session.get(f"{self.base}/v1/ratings/quixo", timeout=5)
                except requests.RequestException:
                    self.silent += 1
                    continue
                self.answered.append((time.monotonic(), reply.status_code, "Retry-After" in reply.headers))

    def wrong(self) -> list[int]:
        """Answers that are neither 200 nor a 503 that says when to come again."""
        return [
            status for _, status, later in self.answered if status != 200 and not (status == 503 and later)
        ]

    def well_after(self, moment: float) -> float:
        """Seconds from `moment` to the first 200 behind it."""
        return next(
            (when - moment for when, status, _ in self.answered if when > moment and status == 200), 1e9
        )


def start_api(place: Arena) -> str:
    """Start the API and wait until it answers; its address."""
    port = free_port()
    place.stack.environ["ARBITER_PORT"] = str(port)
    place.stack.start_part("api", "serve")
    base = f"http://127.0.0.1:{port}"
    place.stack.wait_until(lambda: answers(f"{base}/healthz"), "the API")
    return base


def away(server: str, seconds: float, matches: int, killed: bool = False) -> list[Row]:
    """Redis does not answer for so long: 503s meanwhile, nobody forfeits, all is well soon after."""
    with arena(server) as place:
        base = start_api(place)
        place.start_worker()
        place.add_bots("quixo", 10, pause_s=0.1)
        asked = place.ask(matches)
        place.wait_plies(asked[:5], 3)
        with Prober(base) as prober:
            time.sleep(0.5)
            (place.redis.kill if killed else place.redis.pause)()
            time.sleep(seconds)
            (place.redis.start if killed else place.redis.go_on)()
            back = time.monotonic()
            name = f"{'killed' if killed else 'paused'} {seconds:g} s"
            rows = outcome(place, name, asked, 120)
            while prober.well_after(back) > WELL_AGAIN_S and time.monotonic() < back + 2 * WELL_AGAIN_S:
                time.sleep(0.1)
        well = prober.well_after(back)
        wrong = prober.wrong()
        unwell = sum(status == 503 for _, status, _ in prober.answered)
        return [
            *rows,
            Row(f"{name}: answers but 200 and 503", str(wrong[:5] or 0), "0", not wrong),
            Row(f"{name}: 503 with Retry-After", str(unwell), "> 0", unwell > 0 or seconds < 2),
            Row(f"{name}: requests without answer", str(prober.silent), "0", prober.silent == 0),
            Row(f"{name}: API well after", f"{well:.1f} s", f"≤ {WELL_AGAIN_S:g} s", well <= WELL_AGAIN_S),
        ]


def full(server: str, seconds: float, matches: int) -> list[Row]:
    """Redis has no room (noeviction) for so long: writes are refused, and nothing is half done."""
    with arena(server) as place:
        place.stack.environ["ARBITER_RATE_SIGNUPS"] = "100000 per hour"
        base = start_api(place)
        worker = place.stack.parts[place.start_worker()]
        place.add_bots("quixo", 10, pause_s=0.1)
        asked, jobs = place.ask(matches), Jobs.at(f"{place.redis.url}/1")
        place.wait_plies(asked[:5], 3)
        with place.redis.client() as client:
            worker.send_signal(signal.SIGSTOP)
            for match in asked:
                jobs.play(match.id)  # the broker is full too, and there is something to take from it
            client.config_set("maxmemory", client.info("memory")["used_memory"] // 2)
            written, read = [], []
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                answer = requests.post(f"{base}/v1/owners", json={"name": f"Ada {len(written)}"}, timeout=5)
                written.append((answer.status_code, "Retry-After" in answer.headers))
                read.append(requests.get(f"{base}/v1/ratings/quixo", timeout=5).status_code)
                time.sleep(0.2)
                worker.send_signal(signal.SIGCONT)
            client.config_set("maxmemory", 0)
        asked += place.ask(matches // 2)  # they are played only if the queue is still read
        name = f"full for {seconds:g} s"
        rows = outcome(place, name, asked, 120)
        refused, fine = written.count((503, True)), read.count(200)
        return [
            *rows,
            Row(f"{name}: writes refused, 503 with Retry-After", *_all(refused, written)),
            Row(f"{name}: reads answered", *_all(fine, read)),
        ]


def _all(count: int, asked: Sequence[object]) -> tuple[str, str, bool]:
    return str(count), str(len(asked)), count == len(asked) > 0


SHORT: tuple[Callable[[str], list[Row]], ...] = (
    lambda server: away(server, 5.0, 16),
    lambda server: away(server, 2.0, 16, killed=True),
    lambda server: full(server, 3.0, 16),
)
LONG: tuple[Callable[[str], list[Row]], ...] = (
    lambda server: away(server, 1.0, 40),
    lambda server: away(server, 5.0, 40),
    lambda server: away(server, 30.0, 40),
    lambda server: away(server, 1.0, 40, killed=True),
    lambda server: away(server, 5.0, 40, killed=True),
    lambda server: away(server, 30.0, 40, killed=True),
    lambda server: full(server, 30.0, 40),
)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="chaos redis_away", description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--server", choices=["embedded", "redis-server"], help="default: both")
    parser.add_argument("--only", type=int, nargs="*", help="which of the proofs, from 0")
    options = parser.parse_args(argv)
    servers = [options.server] if options.server else kinds()
    proofs = SHORT if options.short else LONG
    chosen = options.only if options.only is not None else range(len(proofs))
    return show([row.of(server) for server in servers for number in chosen for row in proofs[number](server)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

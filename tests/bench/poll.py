"""`./run bench poll`: what a bot without an address is charged over what it thinks, beside one that has one.

A whole service; bots that poll and bots that listen think for a while about every move, `--pairs` matches of
each kind at once. The excess of a turn is what was charged less what the bot itself measured; the medians
and the tails are printed, and the turns a second of bots that answer at once.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles

from bots.sdk import Bot
from bots.sdk.api import Api
from bots.sdk.poll import Poller
from tests.e2e.conftest import Service, wait_for
from workers.client import Client
from workers.embedded import free_port
from workers.stack import Stack, answers

RATES = ("SIGNUPS", "WRITES", "READS", "TURNS")


class Thinker:
    """A bot of an owner of its own that notes how long it thought about each move, in µs."""

    def __init__(self, service: Service, think_s: float, polls: bool) -> None:
        self.owner: Client = service.owner()
        self.thought: list[float] = []
        player = Bot("thinker")

        @player.move("quixo")
        def move(turn):
            begun = time.perf_counter()
            if think_s:
                time.sleep(think_s)
            self.thought.append((time.perf_counter() - begun) * 1e6)
            return turn.legal_moves[0]

        if polls:
            key = self.owner._session.headers["Authorization"].removeprefix("Bearer ")
            self.poller = Poller(player, Api(service.base, key), lambda: None)
            wait_for(self._polls, "the first poll")
            self.id = self.owner.get("/v1/bots", owner="me")["items"][0]["id"]
        else:
            self.id = service.bot(self.owner, "quixo", player)

    def _polls(self) -> bool:
        return any(bot["last_poll_at"] for bot in self.owner.get("/v1/bots", owner="me")["items"])

    def excess_ms(self, match_id: str) -> list[float]:
        """Charged less thought, turn by turn."""
        events = self.owner.get(f"/v1/matches/{match_id}/events", limit=200)["items"]
        charged = [e["charged_us"] for e in events if e["type"] == "move" and "receipt" in e]
        return [(c - t) / 1000 for c, t in zip(charged, self.thought, strict=True)]


def run(service: Service, pairs: int, think_s: float, polls: bool) -> tuple[list[float], float]:
    """The excess of every turn, and turns a second."""
    bots = [Thinker(service, think_s, polls) for _ in range(2 * pairs)]
    begun = time.monotonic()
    asked = []
    for one, two in zip(bots[::2], bots[1::2], strict=True):
        body = {"game": "quixo", "bots": [one.id, two.id], "clock": "rapid"}
        asked.append(one.owner.post("/v1/matches", body)["items"][0]["id"])
    for one, match_id in zip(bots[::2], asked, strict=True):
        service.over(one.owner, match_id)
    took = time.monotonic() - begun
    excess = [ms for n, bot in enumerate(bots) for ms in bot.excess_ms(asked[n // 2])]
    for bot in bots:
        if polls:
            bot.poller.stop()
    return excess, len(excess) / took


def show(name: str, excess: Sequence[float], a_second: float) -> None:
    cuts = quantiles(excess, n=100)
    print(
        f"{name:24} {len(excess):5} turns  charged − thought, ms: p50 {cuts[49]:6.2f}  p90 {cuts[89]:6.2f}"
        f"  p99 {cuts[98]:6.2f}  max {max(excess):6.2f}   {a_second:6.1f} turns/s"
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench poll", description=__doc__)
    parser.add_argument("--pairs", type=int, default=4, help="matches at once")
    parser.add_argument("--think-ms", type=float, default=100.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, Stack(Path(folder)) as stack:
        server = stack.start_server(0)
        stack.environ |= {"ARBITER_PORT": str(port), "ARBITER_BOT_NETWORKS": "127.0.0.0/8"}
        stack.environ |= {f"ARBITER_RATE_{name}": "1000000 per minute" for name in RATES}
        stack.start_part("api", "serve")
        stack.start_part("worker", "worker", "--queue", "matches", "-c", "64")
        stack.start_part("control", "worker", "--queue", "control", "-c", "4")
        stack.start_part("sweep", "sweep")
        base = f"http://127.0.0.1:{port}"
        stack.wait_until(lambda: answers(f"{base}/readyz"), "the service")
        service = Service(stack, base, f"{server.url}/0")
        with service.bots:
            measure(service, options)
    return 0


def measure(service: Service, options: argparse.Namespace) -> None:
    """Both kinds in turn, round by round."""
    for think_ms in (options.think_ms, 0.0):
        found: dict[bool, tuple[list[float], list[float]]] = {True: ([], []), False: ([], [])}
        for _ in range(options.rounds):
            for polls in (True, False):
                excess, a_second = run(service, options.pairs, think_ms / 1000, polls)
                found[polls][0].extend(excess)
                found[polls][1].append(a_second)
        for polls, name in ((True, "polls"), (False, "has an address")):
            excess, rates = found[polls]
            show(f"{name}, thinks {think_ms:g} ms", excess, sorted(rates)[len(rates) // 2])

"""What bots are charged, beside the time they stamped themselves.

python -m tests.chaos clock [SHARE]      SHARE (1 by default) scales the numbers of turns
"""

from __future__ import annotations

import contextlib
import itertools
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.chaos.table import Row, percentile, show
from tests.clockwork import ask, loopback_network, refereed, timed_bot
from workers.bot_client import Clocks, Endpoint, Line, Network

Turn = dict[str, Any]
BUDGET_US = 1_000_000
NAMES = {False: "HTTP", True: "HTTPS"}


def _play(url: str, matches: int, turns: int, think_us: int) -> list[Turn]:
    """`turns` turns of each of `matches` matches at once, a thread and a line each.

    A turn before them, not counted, connects.
    """
    network = loopback_network()

    def match(number: int) -> list[Turn]:
        line = Line(Endpoint.parse(url), network)
        ask(line, 0)
        time.sleep(think_us / 1e6 * number / matches)
        played = [ask(line, think_us) for _ in range(turns)]
        line.close()
        return played

    with ThreadPoolExecutor(matches) as pool:
        return list(itertools.chain.from_iterable(pool.map(match, range(matches))))


@contextlib.contextmanager
def _burners(count: int) -> Iterator[None]:
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def _charges(test: str, turns: list[Turn], over_ms: float) -> list[Row]:
    """Over- and under-charge, and what a stamp taken in Python would have charged in the same run."""
    over = [(turn["charged_us"] - turn["took_us"]) / 1000 for turn in turns]
    python = [(turn["charged_us"] + turn["stall_us"] - turn["took_us"]) / 1000 for turn in turns]
    kernel = sum(turn["stamp"] == "kernel" for turn in turns) / len(turns)
    p99 = percentile(over, 0.99)
    return [
        Row(
            f"{test}: over-charge p50 / p99 / max",
            f"{percentile(over, 0.5):.2f} / {p99:.2f} / {max(over):.2f} ms",
            f"p99 ≤ {over_ms:g} ms",
            p99 <= over_ms,
        ),
        Row(f"{test}: under-charge max", f"{max(0.0, -min(over)):.2f} ms", "≤ 2 ms", min(over) >= -2),
        Row(
            f"{test}: by Python's clock p99 / max",
            f"{percentile(python, 0.99):.2f} / {max(python):.2f} ms",
            f"(for comparison; {kernel:.1%} kernel stamps)",
            True,
        ),
    ]


def idle(share: float) -> list[Row]:
    """One match, nothing else to do."""
    rows = []
    for tls in (False, True):
        with timed_bot(tls) as url:
            turns = _play(url, 1, max(20, int(500 * share)), 100_000)
        rows += _charges(f"{len(turns)} turns of 100 ms, {NAMES[tls]}", turns, 5)
    return rows


def crowded(share: float) -> list[Row]:
    """Many matches at once, and fewer beside processes that burn the machine."""
    rows = []
    for tls in (False, True):
        with timed_bot(tls) as url:
            turns = _play(url, 100, max(3, int(30 * share)), 100_000)
        rows += _charges(f"100 matches, {NAMES[tls]}", turns, 5)
    with timed_bot() as url, _burners(4):
        turns = _play(url, 32, max(3, int(30 * share)), 100_000)
        rows += _charges("32 matches beside 4 burners", turns, 50)
        near = _play(url, 32, max(2, int(10 * share)), 800_000)
    flags = sum(turn["charged_us"] > BUDGET_US >= turn["took_us"] for turn in near)
    late = sum(turn["took_us"] > BUDGET_US for turn in near)
    test = f"false flags in {len(near)} turns at 80 % of the budget ({late} times the bot itself was late)"
    return [*rows, Row(test, str(flags), "0", flags == 0)]


def stopped(share: float) -> list[Row]:
    """The referee is frozen while the bot thinks."""
    times = max(2, int(20 * share))
    rows = []
    for tls in (False, True):
        worst_us = 0
        with timed_bot(tls) as url:
            turns = refereed(url, times, 600)
            for process, turn in turns:
                if turn:
                    worst_us = max(worst_us, abs(turn["charged_us"] - turn["took_us"]))
                    continue
                time.sleep(0.2)
                process.send_signal(signal.SIGSTOP)
                time.sleep(3)
                process.send_signal(signal.SIGCONT)
        test = f"referee stopped for 3 s, {times} times, {NAMES[tls]}"
        rows.append(Row(test, f"{worst_us / 1000:.2f} ms", "bot's time ± 10 ms", worst_us <= 10_000))
    return rows


@dataclass
class SetClock:
    """A wall clock that somebody sets."""

    offset_ns: int = 0

    def time_ns(self) -> int:
        return time.time_ns() + self.offset_ns


def jumping(share: float) -> list[Row]:
    """The wall clock is set in mid-turn, back and forth."""
    times = max(2, int(10 * share))
    wall, turns = SetClock(), []
    own = loopback_network()
    network = Network(own.guard, tls=own.tls, clocks=Clocks(time_ns=wall.time_ns))
    with timed_bot() as url, ThreadPoolExecutor(1) as pool:
        line = Line(Endpoint.parse(url), network)
        for seconds in (3600, -3600, 86400, -86400) * times:
            turn = pool.submit(ask, line, 100_000, 180_000)
            time.sleep(0.05)
            wall.offset_ns += seconds * 1_000_000_000
            turns.append(turn.result())
        line.close()
    flags = sum("reason" in turn for turn in turns)
    twice = sum(turn["attempts"] != 1 for turn in turns)
    off_ms = max(abs(turn["charged_us"] - turn["took_us"]) / 1000 for turn in turns if "took_us" in turn)
    test = f"wall clock set by ± 1 h and ± 1 day, {len(turns)} turns"
    return [
        Row(f"{test}: flags", str(flags), "0", flags == 0),
        Row(f"{test}: asked twice", str(twice), "0", twice == 0),
        Row(f"{test}: charge off by", f"{off_ms:.2f} ms", "≤ 10 ms", off_ms <= 10),
    ]


def main(argv: list[str]) -> int:
    """See the module's docstring."""
    share = float(argv[0]) if argv else 1.0
    return show([row for part in (idle, crowded, stopped, jumping) for row in part(share)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

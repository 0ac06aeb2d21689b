"""Every hostile bot, 25 times: each ends in time as its own fault, and leaves nothing behind.

python -m tests.chaos bots [VISITS]
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from engines.protocol import MalformedReply, parse_move
from tests.chaos.table import Row, show
from tests.hostile import BEHAVIOURS, Behaviour, hostile
from workers.bot_client import BotFault, Endpoint, Guard, Line, Network

LIMIT_US = 500_000
SLACK_S = 0.25
AT_ONCE = 16
REQUEST = b'{"legal_moves":["a1E","c1N"],"seat":0,"history":[{"seat":1,"move":"e1W"}]}'


@dataclass
class Seen:
    """What one behaviour came to."""

    latest_s: float = 0.0
    wrong: list[str] = field(default_factory=list)


def _visit(behaviour: Behaviour, port: int, network: Network, seen: Seen) -> None:
    line = Line(Endpoint.parse(f"http://127.0.0.1:{port}/"), network)
    begun = time.monotonic()
    try:
        body = line.post(REQUEST, {}, LIMIT_US).body
    except BotFault as fault:
        came = fault.reason.value
    else:
        came = _read(body)
    seen.latest_s = max(seen.latest_s, time.monotonic() - begun)
    line.close()
    wanted = behaviour.reason.value if behaviour.reason and behaviour.noticed_by != "referee" else "a reply"
    # A reset at every byte lets the whole reply through once its byte is beyond the end.
    if came != wanted and not (behaviour.name == "reset at every byte" and came == "a reply"):
        seen.wrong.append(came)


def _read(body: bytes) -> str:
    try:
        parse_move(body)
    except MalformedReply:
        return "malformed-reply"
    return "a reply"


def _memory_kib(what: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1])
    raise LookupError(what)


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def serve() -> None:
    """Run all hostile bots until standard input ends; prints their ports."""
    with contextlib.ExitStack() as stack:
        ports = {name: stack.enter_context(hostile(name)).port for name in BEHAVIOURS}
        print(json.dumps(ports), flush=True)
        sys.stdin.read()


@contextlib.contextmanager
def _served():
    command = [sys.executable, "-m", "tests.chaos.bots", "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.kill()


def _measure(visits: int, ports: dict[str, int]) -> list[Row]:
    network = Network(Guard.of(["127.0.0.0/8"]))
    _visit(BEHAVIOURS["404"], ports["404"], network, Seen())  # what is made once is made now
    seen = {name: Seen() for name in BEHAVIOURS}
    before = _descriptors(), threading.active_count(), _memory_kib("VmHWM")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for name in [*BEHAVIOURS] * visits:
            pool.submit(_visit, BEHAVIOURS[name], ports[name], network, seen[name])
    after = _descriptors(), threading.active_count(), _memory_kib("VmHWM")
    bound_s = LIMIT_US / 1e6 + SLACK_S
    rows = [
        Row(
            f"{name} × {visits}",
            f"{each.latest_s * 1000:.0f} ms" + "".join(f", {wrong}" for wrong in set(each.wrong)),
            f"≤ {bound_s * 1000:.0f} ms, {BEHAVIOURS[name].reason or 'a reply'}",
            each.latest_s <= bound_s and not each.wrong,
        )
        for name, each in seen.items()
    ]
    more_mib = (after[2] - before[2]) / 1024
    return [
        *rows,
        Row("behaviours", str(len(BEHAVIOURS)), "≥ 30", len(BEHAVIOURS) >= 30),
        Row("memory", f"+ {more_mib:.1f} MiB", "≤ + 20 MiB", more_mib <= 20),
        Row("descriptors, threads", f"{after[:2]}", f"{before[:2]} as before", after[:2] == before[:2]),
    ]


def main(argv: list[str]) -> int:
    """See the module's docstring."""
    if argv == ["serve"]:
        serve()
        return 0
    with _served() as ports:
        return show(_measure(int(argv[0]) if argv else 25, ports))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

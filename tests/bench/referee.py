"""`./run bench referee`: what a refereed move costs a worker, over the same requests by `requests.Session`.

A real worker process plays 50 matches at a time against a bot that costs nothing (nginx answering a
constant). The yardstick is 50 threads that post the very same bodies and headers to it, a Session each. Both
are measured in turn, round by round; the medians of the ratios count. Needs nginx.

Then matches in flight: what a bot is charged beyond what it took, and a worker's memory.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import requests

from engines.messages import SeatMessages
from engines.protocol import MoveReply, encode, sign
from engines.referee import Answer, Setup, referee
from engines.registry import game_named
from service.ids import new_id
from service.models import Bot
from service.store.owners import now_ms
from tests.bench.arena import CONTROL, OPENING_PLIES, SECRET, Arena, arena
from tests.bench.referee_flight import charges, weight
from tests.bench.table import Row, show
from tests.clockwork import TLS
from workers.embedded import free_port
from workers.stack import Stack

AT_ONCE = 50
COSTS = {"quixo": ("quixo", False), "sorry": ("sorry", False), "quixo over TLS": ("quixo", True)}
REQUIRED = {"quixo": 0.6, "sorry": 0.8, "quixo over TLS": 0.8}
PACE = {"quixo": 1.6, "sorry": 1.6, "quixo over TLS": 0}
PARTS = [*COSTS, "charges", "memory"]
NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 600s; tcp_nodelay on;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  ssl_certificate {tls}/bot.pem; ssl_certificate_key {tls}/bot.key;
  server {{ listen 127.0.0.1:{port} {ssl}; default_type application/json;
    location / {{ return 200 '{{"move": 0}}'; }} }}
}}
"""


class Cost(NamedTuple):
    """Of one run: requests made, CPU seconds of the process that made them, seconds on the wall."""

    requests: int
    cpu_s: float
    wall_s: float

    @property
    def cpu_us(self) -> float:
        return self.cpu_s / self.requests * 1e6

    @property
    def wall_us(self) -> float:
        return self.wall_s / self.requests * 1e6


def start_nginx(stack: Stack, tls: bool) -> str:
    """A bot that answers index 0 to everything, at no cost; returns its address."""
    port, config = free_port(), stack.folder / "nginx.conf"
    config.write_text(NGINX.format(folder=stack.folder, port=port, tls=TLS, ssl="ssl" if tls else ""))
    stack.start_program("nginx", [shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(config)])
    url = f"{'https' if tls else 'http'}://localhost:{port}/"
    stack.wait_until(lambda: _posts(url), "nginx")
    return url


def _posts(url: str) -> bool:
    try:
        return requests.post(url, timeout=1, verify=str(TLS / "bot.pem")).status_code == 200
    except requests.RequestException:
        return False


def cpu_s(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def refereed(place: Arena, bots: Sequence[Bot], count: int) -> Cost:
    """Have the worker play `count` matches; what its process spent from the first to the last."""
    begun, spent = time.perf_counter(), cpu_s(place.worker)
    matches = place.create(bots, count)
    place.wait(matches)
    wall, spent = time.perf_counter() - begun, cpu_s(place.worker) - spent
    return Cost(len(place.moves(matches)), spent, wall)


def same_requests(game: str, count: int) -> Iterator[tuple[bytes, dict[str, str]]]:
    """The bodies and headers of about `count` matches' turns, as the worker would send them."""
    kind = game_named(game)
    options = kind.full_options({})
    for _ in range(count):
        seed = secrets.token_bytes(32)
        setup = Setup(kind, kind.seats[0], options, CONTROL, seed, OPENING_PLIES, seed)
        running = referee(setup)
        match_id = new_id("m", game)
        try:
            turn = next(running)
            while True:
                seat = SeatMessages(match_id, game, options, turn.seat, kind.team(turn.seat))
                body = encode(seat.move(turn, 1, None))
                headers = sign([SECRET], f"{match_id}:{turn.turn}:1", now_ms() // 1000, body)
                yield body, {**headers, "content-type": "application/json"}
                turn = running.send(Answer(MoveReply(0), 1000))
        except StopIteration:
            continue


def posted(url: str, game: str, count: int) -> Cost:
    """The yardstick, in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.sessions", url, game, str(count), str(AT_ONCE)]
    environ = {**os.environ, "REQUESTS_CA_BUNDLE": str(TLS / "bot.pem")}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environ)
    number, spent, wall = done.stdout.split()
    return Cost(int(number), float(spent), float(wall))


def rounds(game: str, tls: bool, number: int, count: int) -> list[tuple[Cost, Cost]]:
    """`number` times: the worker's cost and the yardstick's, one after the other."""
    with arena(AT_ONCE) as place:
        url = start_nginx(place.stack, tls)
        bots = place.bots(game, url)
        refereed(place, bots, AT_ONCE)  # warm
        return [(refereed(place, bots, count), posted(url, game, count)) for _ in range(number)]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench referee", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=200, help="matches a round")
    parser.add_argument("--only", nargs="*", default=PARTS, choices=PARTS)
    options = parser.parse_args(argv)
    rows: list[Row] = []
    for part in options.only:
        if part in COSTS:
            rows += costs(part, rounds(*COSTS[part], options.rounds, options.matches))
    if "charges" in options.only:
        rows += charges()
    if "memory" in options.only:
        rows += weight()
    return show(rows)


def costs(name: str, pairs: Sequence[tuple[Cost, Cost]]) -> list[Row]:
    """The medians of what a refereed move costs, beside a Session's post."""
    us = [median(cost.cpu_us for cost in side) for side in zip(*pairs, strict=True)]
    return [
        (f"{name}: a refereed move, CPU µs", us[0], ">=", 0),
        (f"{name}: a Session's post, CPU µs", us[1], ">=", 0),
        (f"{name}: CPU by CPU", median(a.cpu_us / b.cpu_us for a, b in pairs), "<=", REQUIRED[name]),
        (f"{name}: moves/s by posts/s", median(b.wall_us / a.wall_us for a, b in pairs), ">=", PACE[name]),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

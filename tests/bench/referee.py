"""`./run bench referee`: what a refereed move costs a worker, over the same requests by `requests.Session`.

A real worker process plays 50 matches at a time against a bot that costs nothing (nginx answering a
constant). The yardstick is 50 threads that post the very same bodies and headers to it, a Session each. Both
are measured in turn, round by round; the medians of the ratios count. Needs nginx.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import requests
from rich.console import Console
from rich.table import Table

from engines.clock import Control
from engines.messages import SeatMessages
from engines.protocol import MoveReply, encode, sign
from engines.referee import Answer, Setup, referee
from engines.registry import game_named
from service.ids import new_id
from service.matches import Common, Order, make_match
from service.models import Bot, BotState, Match, MatchState
from service.store import Store
from workers.embedded import free_port
from workers.stack import Stack

AT_ONCE = 50
OPENING_PLIES = 4
SECRET = "whsec_" + "c2VjcmV0" * 4
CONTROL = Control.from_json("rapid")
NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 600s; tcp_nodelay on;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; default_type application/json;
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


def start_nginx(stack: Stack) -> int:
    """A bot that answers index 0 to everything, at no cost; returns its port."""
    port, config = free_port(), stack.folder / "nginx.conf"
    config.write_text(NGINX.format(folder=stack.folder, port=port))
    stack.start_program("nginx", [shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(config)])
    stack.wait_until(lambda: _posts(port), "nginx")
    return port


def _posts(port: int) -> bool:
    try:
        return requests.post(f"http://127.0.0.1:{port}/", timeout=1).status_code == 200
    except requests.RequestException:
        return False


def cpu_s(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_bot(store: Store, owner: str, game: str, port: int) -> Bot:
    """A bot that may play at once, without the API's formalities."""
    bot = Bot(
        id=new_id("b"),
        owner=owner,
        name=f"nginx {secrets.token_hex(4)}",
        games=(game,),
        version="1",
        url=f"http://127.0.0.1:{port}/",
        transport="http",
        concurrency=AT_ONCE,
        state=BotState.ACTIVE,
        state_reason=None,
        secret=SECRET,
        created_at=0,
    )
    return store.bots.create(bot, limit=1000)


def make_matches(bots: Sequence[Bot], game: str, count: int) -> list[Match]:
    """Rated matches, each with an opening of its own, so that no two go alike."""
    kind = game_named(game)
    order = Order(kind, tuple(bots), kind.full_options({}), CONTROL, bots[0].owner, OPENING_PLIES)
    return [make_match(order, bots, Common(secrets.token_bytes(32)), None, now_ms()) for _ in range(count)]


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def refereed(store: Store, bots: Sequence[Bot], game: str, count: int, worker: int) -> Cost:
    """Have the worker play `count` matches; what its process spent from the first to the last."""
    matches = make_matches(bots, game, count)
    begun, spent = time.perf_counter(), cpu_s(worker)
    store.matches.create(matches)
    unfinished = {match.id for match in matches}
    while unfinished:
        time.sleep(0.02)
        found = store.matches.get_many(sorted(unfinished)[:AT_ONCE])
        unfinished -= {m.id for m in found if m and m.state is MatchState.FINISHED}
    wall, spent = time.perf_counter() - begun, cpu_s(worker) - spent
    turns = sum(e["type"] == "move" for m in matches for e in store.matches.record(m.id))
    return Cost(turns, spent, wall)


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


def posted(port: int, game: str, count: int) -> Cost:
    """The yardstick, in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.sessions", str(port), game, str(count), str(AT_ONCE)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    number, spent, wall = done.stdout.split()
    return Cost(int(number), float(spent), float(wall))


def rounds(game: str, number: int, count: int) -> list[tuple[Cost, Cost]]:
    """`number` times: the worker's cost and the yardstick's, one after the other."""
    with tempfile.TemporaryDirectory() as folder, Stack(Path(folder)) as stack:
        server = stack.start_server(0)
        port = start_nginx(stack)
        stack.environ["ARBITER_BOT_NETWORKS"] = "127.0.0.0/8"
        stack.start_part("worker", "worker", "--queue", "matches", "-c", str(AT_ONCE))
        stack.start_part("sweep", "sweep")
        store = Store.connect(f"{server.url}/0")
        stack.wait_until(lambda: bool(store.workers.alive()), "the worker")
        bots = [make_bot(store, new_id("o"), game, port) for _ in range(game_named(game).seats[0])]
        worker = stack.parts["worker"].pid
        refereed(store, bots, game, AT_ONCE, worker)  # warm
        return [
            (refereed(store, bots, game, count, worker), posted(port, game, count)) for _ in range(number)
        ]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench referee", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=200, help="matches a round")
    parser.add_argument("--games", nargs="*", default=["quixo", "sorry"])
    options = parser.parse_args(argv)
    table = Table(title=f"a refereed move over a bare Session's post, {AT_ONCE} at once; medians")
    for name in ("game", "CPU µs", "Session's", "ratio", "wall µs", "Session's", "moves/s over posts/s"):
        table.add_column(name, justify="left" if name == "game" else "right")
    for game in options.games:
        pairs = rounds(game, options.rounds, options.matches)
        table.add_row(game, *_cells(pairs))
    Console().print(table)
    return 0


def _cells(pairs: Sequence[tuple[Cost, Cost]]) -> list[str]:
    def median(values: Iterator[float]) -> float:
        return statistics.median(values)

    return [
        f"{median(a.cpu_us for a, _ in pairs):.0f}",
        f"{median(b.cpu_us for _, b in pairs):.0f}",
        f"{median(a.cpu_us / b.cpu_us for a, b in pairs):.2f}",
        f"{median(a.wall_us for a, _ in pairs):.0f}",
        f"{median(b.wall_us for _, b in pairs):.0f}",
        f"{median(b.wall_us / a.wall_us for a, b in pairs):.2f}",
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

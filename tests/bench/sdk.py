"""`./run bench sdk`: what the SDK costs a turn, and how fast and deep the alpha-beta bot looks.

The SDK's bot (signature checked, turn typed) and a bare `http.server` that answers a constant, both with a
log line per request as they come and both without, run in processes of their own. They get the same signed
move request over one kept connection each, in turn, round by round; the medians count. Nodes a second are
those of a search from the empty board on, moves a second those of random games, in the same rounds. At the
end the README is followed, from a clone to a rated match.
"""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from statistics import median

from bots.sdk import Bot
from engines.protocol import encode, sign
from engines.quixo.search import search
from engines.registry import GAMES
from tests.bench.sdk_clone import first_match
from tests.bots.talk import SECRET, move_message

ROUNDS = 9
POSTS = 1000
GAMES_A_ROUND = 200
NODES = 60_000

REPLY = b'{"move":"a1E"}'
SERVERS = ("sdk", "bare", "sdk, silent", "bare, silent")

Post = Callable[[], bytes]


class _Bare(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(REPLY)))
        self.end_headers()
        self.wfile.write(REPLY)


class _Silent(_Bare):
    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(which: str) -> None:
    """Answer until killed; prints the address."""
    sys.argv[1:] = ["--quiet"] if which == "sdk, silent" else []
    if which.startswith("sdk"):
        bot = Bot("first")
        bot.move(lambda turn: turn.legal_moves[0])
        bot.run()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Silent if which == "bare, silent" else _Bare)
    print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


@contextmanager
def _poster(which: str, body: bytes) -> Iterator[Post]:
    command = [sys.executable, "-m", "tests.bench.sdk", which]
    environ = {**os.environ, "ARBITER_BOT_PORT": "0", "ARBITER_BOT_SECRET": SECRET}
    headers = sign([SECRET], "m_bench:0:1", int(time.time()), body)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().strip("/\n").rpartition(":")[2])
        line = http.client.HTTPConnection("127.0.0.1", port)

        def post() -> bytes:
            line.request("POST", "/", body, headers)
            return line.getresponse().read()

        try:
            assert post() == REPLY
            yield post
        finally:
            process.kill()


def _turn_us(post: Post) -> float:
    begun = time.perf_counter()
    for _ in range(POSTS):
        post()
    return (time.perf_counter() - begun) / POSTS * 1e6


def turns() -> None:
    """Print the time of a turn with each, and the ratios."""
    body = encode(move_message())
    with ExitStack() as stack:
        posts = {which: stack.enter_context(_poster(which, body)) for which in SERVERS}
        rounds = [{which: _turn_us(post) for which, post in posts.items()} for _ in range(ROUNDS)]
    for sdk, bare in (("sdk", "bare"), ("sdk, silent", "bare, silent")):
        ratio = median(each[sdk] / each[bare] for each in rounds)
        ours, theirs = (median(each[which] for each in rounds) for which in (sdk, bare))
        print(f"a turn: {sdk} {ours:.0f} µs, {bare} {theirs:.0f} µs, ratio {ratio:.2f} (required: ≤ 1.5)")


def _playout_moves_a_second(chance: Random) -> float:
    quixo = GAMES["quixo"]
    begun, moves = time.perf_counter(), 0
    for _ in range(GAMES_A_ROUND):
        state = quixo.start(2, quixo.full_options({}), bytes(32))
        while state.outcome is None:
            state = state.apply(chance.choice(state.legal_moves()))
            moves += 1
    return moves / (time.perf_counter() - begun)


def _nodes_a_second(seed: int) -> float:
    quixo = GAMES["quixo"]
    begun = time.perf_counter()
    found = search(quixo.start(2, quixo.full_options({}), bytes(32)), NODES, seed=seed)
    return found.nodes / (time.perf_counter() - begun)


def thinking() -> None:
    """Print the search's speed over that of random games, and the depth reached in a second."""
    chance = Random(1)
    rounds = [(_nodes_a_second(seed), _playout_moves_a_second(chance)) for seed in range(ROUNDS)]
    nodes, moves = (median(each[i] for each in rounds) for i in (0, 1))
    ratio = median(nodes / moves for nodes, moves in rounds)
    print(f"alpha-beta: {nodes:.0f} nodes/s, random games {moves:.0f} moves/s, ratio {ratio:.2f}")
    quixo = GAMES["quixo"]
    depths, counts = [], []
    for seed in range(5):
        stop_at = time.perf_counter() + 1.0
        empty = quixo.start(2, quixo.full_options({}), bytes(32))
        found = search(empty, 10**9, seed=seed, should_stop=lambda end=stop_at: time.perf_counter() > end)
        depths.append(found.depth)
        counts.append(found.nodes)
    print(
        f"depth from the empty board in 1 s: {median(depths)} plies ({median(counts)} nodes), of 5 searches"
    )


def main(argv: list[str]) -> None:
    """See the module's docstring."""
    if argv:
        serve(argv[0])
    else:
        turns()
        thinking()
        first_match()


if __name__ == "__main__":
    serve(sys.argv[1])

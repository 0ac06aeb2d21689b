"""Both ends of a measured turn, as processes of their own.

    python -m tests.clockwork bot [tls]                     prints its port; thinks as long as a request says
    python -m tests.clockwork referee URL TURNS THINK_MS    prints "asking" and the receipt for each turn

The bot stamps its own time, from the kernel's receipt of the request's last byte to the moment before it
sends its reply: the truth that charges are compared with.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workers.bot_client import BotFault, Endpoint, Guard, Line, Network, stamps

ROOT = Path(__file__).parents[1]
TLS = Path(__file__).parent / "data" / "tls"
LOOPBACK = ("127.0.0.0/8", "::1/128")


def loopback_network() -> Network:
    """May call loopback, and trusts the test bots' certificate."""
    return Network(Guard.of(LOOPBACK), tls=ssl.create_default_context(cafile=TLS / "bot.pem"))


def server_context() -> ssl.SSLContext:
    """The test bots' own TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "bot.pem", TLS / "bot.key")
    return context


# The bot


class Stream:
    """A connection at the bot, plain or TLS; `came_ns` is when the kernel received what was read last."""

    def __init__(self, sock: socket.socket, context: ssl.SSLContext | None) -> None:
        self._sock = sock
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_side=True) if context else None
        self.came_ns = 0
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stamps.enable(sock)

    def receive(self) -> bytes:
        """The next bytes; raises EOFError at the end of the stream."""
        while self._tls:
            try:
                return self._tls.read(65536)
            except ssl.SSLWantReadError:
                self._sock.sendall(self._out.read())
                self._in.write(self._take())
        return self._take()

    def _take(self) -> bytes:
        data, ancillary, _, _ = self._sock.recvmsg(65536, stamps.ANCILLARY_BYTES)
        if not data:
            raise EOFError
        self.came_ns = stamps.stamp_ns(ancillary) or time.time_ns()
        return data

    def send(self, data: bytes) -> None:
        if self._tls:
            self._tls.write(data)
            data = self._out.read()
        self._sock.sendall(data)
        stamps.sent_ns(self._sock, 0)


def _serve(sock: socket.socket, context: ssl.SSLContext | None) -> None:
    with sock, contextlib.suppress(EOFError, OSError):  # the referee hung up
        stream = Stream(sock, context)
        data = b""
        while True:
            while b"}" not in data:
                data += stream.receive()
            time.sleep(json.loads(data.partition(b"\r\n\r\n")[2])["think_us"] / 1e6)
            data = b""
            body = b'{"took_us":%9d}' % ((time.time_ns() - stream.came_ns) // 1000)
            stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


def _bot(tls: bool) -> None:
    context = server_context() if tls else None
    with socket.create_server(("127.0.0.1", 0), backlog=512) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=_serve, args=(server.accept()[0], context), daemon=True).start()


@contextlib.contextmanager
def timed_bot(tls: bool = False) -> Iterator[str]:
    """Run the bot; yields its URL."""
    with spawn("bot", *(["tls"] if tls else [])) as process:
        port = int(_line(process))
        yield f"https://localhost:{port}/" if tls else f"http://127.0.0.1:{port}/"


# The referee


def ask(line: Line, think_us: int, limit_us: int = 60_000_000) -> dict[str, Any]:
    """One turn: what the receipt says and `took_us`, the bot's own time; or the fault's `reason`."""
    try:
        exchange = line.post(json.dumps({"think_us": think_us}).encode(), {}, limit_us)
    except BotFault as fault:
        return fault.receipt.to_json() | {"reason": str(fault.reason), "detail": fault.detail}
    return exchange.receipt.to_json() | json.loads(exchange.body)


def _referee(url: str, turns: int, think_ms: int) -> None:
    line = Line(Endpoint.parse(url), loopback_network())
    for _ in range(turns):
        print("asking", flush=True)
        print(json.dumps(ask(line, think_ms * 1000)), flush=True)


@contextlib.contextmanager
def spawn(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """This module as a process, killed at the end."""
    command = [sys.executable, "-m", "tests.clockwork", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def refereed(url: str, turns: int, think_ms: int) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Turns of a referee process: yielded when one begins (with an empty dict), and when it has ended."""
    with spawn("referee", url, str(turns), str(think_ms)) as process:
        for _ in range(turns):
            assert _line(process) == "asking\n"
            yield process, {}
            yield process, json.loads(_line(process))


def main(argv: list[str]) -> None:
    """See the module's docstring."""
    if argv[0] == "bot":
        _bot("tls" in argv[1:])
    else:
        _referee(argv[1], int(argv[2]), int(argv[3]))


if __name__ == "__main__":
    main(sys.argv[1:])

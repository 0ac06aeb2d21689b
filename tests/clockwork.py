"""Both ends of a measured turn, as processes of their own.

    python -m tests.clockwork bot [tls]                     prints its port; thinks as long as a request says
    python -m tests.clockwork referee URL TURNS THINK_MS    prints "asking" and the receipt for each turn

The bot stamps its own time from the request's last byte to its reply, which is the truth that charges are
compared with.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workers.bot_client import BotFault, Endpoint, Guard, Line, Network

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


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, OSError):  # the referee hung up
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            think_us = json.loads(await reader.readexactly(length))["think_us"]
            begun = time.monotonic_ns()
            await asyncio.sleep(think_us / 1e6)
            took_us = (time.monotonic_ns() - begun) // 1000
            body = json.dumps({"took_us": took_us}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
    writer.close()


async def _bot(tls: bool) -> None:
    context = server_context() if tls else None
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, ssl=context, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


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
        asyncio.run(_bot("tls" in argv[1:]))
    else:
        _referee(argv[1], int(argv[2]), int(argv[3]))


if __name__ == "__main__":
    main(sys.argv[1:])

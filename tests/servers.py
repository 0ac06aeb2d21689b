"""Real servers for the tests: any Redis binary with its own data, to be killed, paused and started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import redis

from workers.embedded import free_port, server_binary
from workers.processes import start, stop

START_S = 20.0


def redis_server_binary() -> str | None:
    """Debian's redis-server (or what `ARBITER_TEST_REDIS_SERVER` names), if there is one."""
    return os.environ.get("ARBITER_TEST_REDIS_SERVER") or shutil.which("redis-server")


def kinds() -> list[str]:
    """The servers that there are on this machine; says so if that is not all."""
    if redis_server_binary():
        return ["embedded", "redis-server"]
    print("no redis-server here, so the embedded one alone: apt install redis-server", file=sys.stderr)
    return ["embedded"]


@dataclass(slots=True)
class RedisServer:
    """One server process on `folder`'s data; `options` come on top of the settings of an embedded server."""

    folder: Path
    binary: str = field(default_factory=server_binary)
    options: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def aof(self) -> Path:
        """The newest part of the append-only file."""
        parts = sorted((self.folder / "appendonlydir").glob("*.incr.aof"))
        return parts[-1]

    def start(self) -> RedisServer:
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(self.folder),
            "save": "",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "aof-load-truncated": "yes",
            "maxmemory-policy": "noeviction",
            **self.options,
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        self.process = start([self.binary, *words], self.folder / "server.log")
        self._await_pong()
        return self

    def stop(self) -> None:
        """Let it end in order; its append-only file is complete."""
        if self.process:
            self.go_on()
            stop(self.process, 10)

    def kill(self) -> None:
        """SIGKILL."""
        assert self.process
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        self.kill()
        self.start()

    def pause(self) -> None:
        """SIGSTOP: connections are taken and nothing is answered."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self.process
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)

    def client(self) -> redis.Redis:
        """A plain client, for looking from outside."""
        return redis.Redis(port=self.port, decode_responses=True)

    def _await_pong(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            assert self.process
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended at its start: {self._log()}")
            if self._pong():
                return
            time.sleep(0.01)
        self.process.kill()
        raise RuntimeError(f"the server did not answer: {self._log()}")

    def _pong(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False

    def _log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")[-2000:]

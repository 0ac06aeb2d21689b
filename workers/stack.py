"""The whole service on one machine: server, API, workers, sweep and bots, each a process with its log."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import requests

from workers.embedded import EmbeddedServer, start_server
from workers.processes import start, stop

READY_S = 30.0
STOP_S = 15.0


class StackError(RuntimeError):
    """A part did not start or has ended; `str()` names it and shows the end of its log."""


@dataclass(slots=True)
class Stack:
    """Starts parts and stops them in the opposite order, the server last; a context manager."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    server: EmbeddedServer | None = None
    parts: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start_server(self, port: int) -> EmbeddedServer:
        """Start the embedded server on this stack's data and point the parts that follow at it."""
        self.server = start_server(self.folder / "redis", port)
        self.environ["ARBITER_REDIS_URL"] = f"{self.server.url}/0"
        self.environ["ARBITER_BROKER_URL"] = f"{self.server.url}/1"
        return self.server

    def start_part(self, name: str, *command: str) -> None:
        """Start `arbiter COMMAND …` as the part `name`."""
        self.start_program(name, [sys.executable, "-m", "workers.cli", *command])

    def start_program(
        self, name: str, command: Sequence[str], environ: Mapping[str, str] | None = None
    ) -> None:
        """Start any program as the part `name`."""
        log = self.log(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        self.parts[name] = start(command, log, {**self.environ, **(environ or {})})

    def log(self, name: str) -> Path:
        return self.folder / "logs" / f"{name}.log"

    def check(self) -> None:
        """Raise StackError if a part has ended."""
        for name, process in self.parts.items():
            if process.poll() is not None:
                raise StackError(
                    f"{name} ended with code {process.returncode}; the end of its log:\n{self._tail(name)}"
                )
        if self.server and self.server.process.poll() is not None:
            raise StackError(f"the embedded server ended; see {self.folder / 'redis' / 'server.log'}")

    def wait_until(self, ready: Callable[[], bool], what: str) -> None:
        """Wait for a part to be of use; raises StackError if one ends or it takes too long."""
        deadline = time.monotonic() + READY_S
        while not ready():
            self.check()
            if time.monotonic() > deadline:
                raise StackError(f"{what} was not ready within {READY_S:.0f} s; see {self.folder / 'logs'}")
            time.sleep(0.05)

    def _tail(self, name: str, lines: int = 15) -> str:
        text = self.log(name).read_text(errors="replace")
        return "\n".join("  " + line for line in text.splitlines()[-lines:])

    def stop(self) -> None:
        """Stop everything: all parts are told at once, then waited for."""
        for process in self.parts.values():
            if process.poll() is None:
                process.terminate()
        for process in reversed(self.parts.values()):
            stop(process, STOP_S)
        self.parts.clear()
        if self.server:
            self.server.stop()
            self.server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def answers(url: str) -> bool:
    """Whether a GET of `url` is answered 200."""
    try:
        return requests.get(url, timeout=1).status_code == 200
    except requests.RequestException:
        return False


def listens(port: int) -> bool:
    """Whether somebody listens on a port of loopback."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1):
            return True
    except OSError:
        return False

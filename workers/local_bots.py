"""Bots for play on one machine: samples by name, programs by file, and whatever answers at an address."""

from __future__ import annotations

import base64
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bots.samples import SAMPLES
from engines.protocol import SECRET_PREFIX
from engines.registry import GAMES
from service.endpoint import Endpoint
from service.ids import new_id
from service.models import Bot, BotState
from workers.processes import start, stop
from workers.tables import printable

START_S = 20.0
STOP_S = 5.0
_ADDRESS = re.compile(rb"https?://[^\s/]+:\d+\S*")
_RUNNERS = {".py": [sys.executable], ".js": ["node"], ".mjs": ["node"]}


class BotError(RuntimeError):
    """A bot cannot be found or started; `str()` says what to do."""


def new_secret() -> str:
    """A signing secret for the time being."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(24)).decode()


class LocalBots:
    """Starts programs and stops them in the end; a context manager.

    `secret` is what all bots here hold; `seed` makes the samples repeat their choices.
    """

    def __init__(self, secret: str, seed: int | None = None) -> None:
        self._secret = secret
        self._seed = seed
        self._names: Counter[str] = Counter()
        self._programs: dict[str, Path] = {}  # what programs print, by bot id
        self.programs: dict[str, Callable[[], str | None]] = {}  # why they have ended, by bot id
        self._exit = ExitStack()
        self._logs = Path(self._exit.enter_context(tempfile.TemporaryDirectory(prefix="arbiter-")))

    def bot(self, what: str) -> Bot:
        """The bot that `what` names: an address, a file, or a sample with its level, as in `alphabeta:4`.

        Raises BotError, and BadUrl for an address that is none.
        """
        name = self._name(what)
        bot_id = new_id("b")
        url = what if "://" in what else self._start(bot_id, name, _command(what, self._seed))
        return Bot(
            id=bot_id,
            owner="local",
            name=name,
            games=tuple(GAMES),
            version="local",
            url=str(Endpoint.parse(url)),
            transport="http",
            concurrency=1,
            state=BotState.ACTIVE,
            state_reason=None,
            secret=self._secret,
            created_at=time.time_ns() // 1_000_000,
        )

    def _name(self, what: str) -> str:
        name = what if "://" in what else Path(what).stem
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name} #{self._names[name]}"

    def printed(self, bot_id: str) -> str | None:
        """The last lines that a program here has printed; None for a bot at an address."""
        log = self._programs.get(bot_id)
        return None if log is None else _tail(log.read_bytes())

    def output(self, bot_id: str) -> Path:
        """The file with what a program here prints."""
        return self._programs[bot_id]

    def _start(self, bot_id: str, name: str, command: Sequence[str]) -> str:
        """Start a program; the address it prints."""
        log = self._logs / f"{len(self._names)}-{self._names.total()}.log"
        environ = {
            "ARBITER_BOT_HOST": "127.0.0.1",
            "ARBITER_BOT_PORT": "0",
            "ARBITER_BOT_SECRET": self._secret,
            "PYTHONUNBUFFERED": "1",
        }
        process = start(command, log, environ)
        self._programs[bot_id] = log
        self.programs[bot_id] = partial(_ended, process, log)
        self._exit.callback(stop, process, STOP_S)
        return _address(name, process, log)

    def __enter__(self) -> LocalBots:
        return self

    def __exit__(self, *error: object) -> None:
        self._exit.close()


def _command(what: str, seed: int | None) -> list[str]:
    sample, _, level = what.partition(":")
    if sample in SAMPLES:
        command = [sys.executable, "-m", f"bots.samples.{SAMPLES[sample]}", "--quiet"]
        command += ["--level", level] if level else []
        return command if seed is None else [*command, "--seed", str(seed)]
    path = Path(what)
    if not path.is_file():
        raise BotError(
            f"{what!r} is no sample bot ({', '.join(SAMPLES)}), no file and no address (http://host:port)"
        )
    return [*_RUNNERS.get(path.suffix, []), str(path.resolve())]


def _address(name: str, process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        text = log.read_bytes()
        if found := _ADDRESS.search(text):
            return found.group().decode()
        if process.poll() is not None:
            raise BotError(f"{name} ended with code {process.returncode}:\n{_tail(text)}")
        time.sleep(0.02)
    raise BotError(
        f"{name} printed no address within {START_S:.0f} s; it must listen on the port in ARBITER_BOT_PORT"
        f" (0: any) and print a line such as `listening at http://127.0.0.1:9000/`. Its output:\n"
        f"{_tail(log.read_bytes())}"
    )


def _ended(process: subprocess.Popen[bytes], log: Path) -> str | None:
    """Why a program has ended, None if it runs."""
    if process.poll() is None:
        return None
    last = _tail(log.read_bytes()).splitlines()[-1].strip()
    how = f"by signal {-process.returncode}" if process.returncode < 0 else f"with code {process.returncode}"
    return f"the program ended {how}; the last line it printed: {last}"


def _tail(text: bytes) -> str:
    lines = text.decode(errors="replace").splitlines()
    return "\n".join(f"  {printable(line.expandtabs())}" for line in lines[-15:]) or "  (nothing)"

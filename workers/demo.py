"""`arbiter demo`: a league on one machine, by the same programs and the same REST API that users have."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from workers.client import ApiError, Client
from workers.embedded import EmbeddedServerError, free_port
from workers.stack import Stack, StackError, answers, listens
from workers.tables import cross_table, standings_table

LEAGUES = {"quixo": "Quixo demo league", "sorry": "Sorry! demo league"}
# Each owner has one bot per game: matches between bots of one owner are unrated.
CAST: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Ada": {"quixo": ("random_bot",), "sorry": ("random_bot",)},
    "Berna": {"quixo": ("greedy_bot",), "sorry": ("greedy_bot",)},
    "Chidi": {"quixo": ("mcts_bot", "--level", "1"), "sorry": ("monte_carlo_bot", "--level", "1")},
    "Dalia": {"quixo": ("alphabeta_bot", "--level", "2"), "sorry": ("expectimax_bot", "--level", "2")},
}
ABOUT: Mapping[str, str] = {
    "random_bot": "Plays any legal move.",
    "greedy_bot": "Takes the move that looks best at once, without thinking ahead.",
    "monte_carlo_bot": "Plays many games to their end in its head, and the move that won most of them.",
    "mcts_bot": "Grows a tree of the games that may follow, where they look best (Monte Carlo tree search).",
    "alphabeta_bot": "Looks some moves ahead for both sides, by alpha-beta search.",
    "expectimax_bot": "Looks ahead over what may be drawn, and plays the move that is best on average.",
}
VERIFY_S = 30.0
STORE = ("ARBITER_REDIS_URL", "ARBITER_BROKER_URL")  # what the commands of an operator must be told


class DemoError(RuntimeError):
    """The demo cannot go on; `str()` says why."""


@dataclass(slots=True)
class Memory:
    """What the demo must know at its next start on the same data: keys, secrets, ports, tournaments."""

    path: Path
    facts: dict[str, Any]

    @classmethod
    def load(cls, path: Path) -> Memory:
        return cls(path, json.loads(path.read_text()) if path.exists() else {})

    def remember(self, name: str, value: Any) -> Any:
        """Keep a fact; it is on the disk when this returns."""
        self.facts[name] = value
        draft = self.path.with_suffix(".new")
        draft.write_text(json.dumps(self.facts, indent=1))
        draft.replace(self.path)
        return value

    def recall(self, name: str) -> Any:
        return self.facts.get(name)


def run_demo(data: Path, port: int, cycles: int, once: bool) -> int:
    """Run the demo; returns the exit code."""
    console = Console()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    data.mkdir(parents=True, exist_ok=True)
    try:
        with _alone(data), Stack(data) as stack:
            return _Demo(console, stack, Memory.load(data / "demo.json"), port, cycles).run(once)
    except KeyboardInterrupt:
        console.print("\nstopped; nothing is left running. `./run demo` goes on from here.")
        return 0
    except (DemoError, StackError, ApiError, EmbeddedServerError, requests.RequestException) as error:
        console.print(f"[bold red]The demo failed:[/] {error}", highlight=False)
        return 1


@contextmanager
def _alone(data: Path) -> Iterator[None]:
    """Refuse a second demo on the same data while one runs."""
    import fcntl

    with (data / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DemoError(f"another demo is running on {data}; stop it, or give --data FOLDER") from None
        yield


@dataclass(slots=True)
class _Demo:
    console: Console
    stack: Stack
    memory: Memory
    port: int
    cycles: int

    def run(self, once: bool) -> int:
        self._start_service()
        clients = {owner: self._sign_up(owner) for owner in CAST}
        self._say(f"starting and registering {len(CAST) * len(LEAGUES)} sample bots, a process each")
        bots = {(o, g): self._enrol(clients[o], o, g) for o in CAST for g in LEAGUES}
        for (owner, _), bot in bots.items():
            self._verify(clients[owner], bot)
        leagues = {game: self._league(clients["Ada"], game, bots) for game in LEAGUES}
        self._watch(clients["Ada"], leagues)
        for tournament in leagues.values():
            _show_tables(self.console, clients["Ada"], tournament)
        self._say_where(leagues)
        if not once:
            self._stay()
        return 0

    # The service

    def _start_service(self) -> None:
        stack = self.stack
        redis_port = self.memory.remember("redis_port", _usable(self.memory.recall("redis_port")))
        self.port = self.memory.remember(
            "api_port", _next_usable(self.memory.recall("api_port") or self.port)
        )
        self._say("starting the embedded server, the API, two workers and the sweep")
        stack.start_server(redis_port)
        stack.environ |= {
            "ARBITER_HOST": "127.0.0.1",
            "ARBITER_PORT": str(self.port),
            "ARBITER_PUBLIC_URL": self.base,
            "ARBITER_BOT_NETWORKS": "127.0.0.0/8",
            "ARBITER_SIGNUP": "open",
            "ARBITER_LEASE_MS": "4000",
        }
        stack.start_part("api", "serve")
        stack.start_part("worker", "worker", "--queue", "matches", "-c", "16")
        stack.start_part("control", "worker", "--queue", "control", "-c", "8")
        stack.start_part("sweep", "sweep")
        stack.wait_until(lambda: answers(f"{self.base}/readyz"), "the service")

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _sign_up(self, owner: str) -> Client:
        key = self.memory.recall(f"key {owner}")
        if key is None:
            made = Client(self.base).post("/v1/owners", {"name": owner})
            key = self.memory.remember(f"key {owner}", made["key"]["key"])
        return Client(self.base, key)

    # The bots

    def _enrol(self, client: Client, owner: str, game: str) -> str:
        """Register a bot (or find it again), start its process, and return its id."""
        name = f"{owner}-{game}"
        port = self.memory.remember(f"port {name}", _usable(self.memory.recall(f"port {name}")))
        url = f"http://127.0.0.1:{port}/"
        bot = self.memory.recall(f"bot {name}")
        program, *args = CAST[owner][game]
        if bot is None:
            wanted = {"name": name, "games": [game], "url": url, "concurrency": 2}
            made = client.post("/v1/bots", {**wanted, "description": ABOUT[program]})
            bot = self.memory.remember(f"bot {name}", {"id": made["id"], "secret": made["secret"]})
        elif client.get(f"/v1/bots/{bot['id']}")["url"] != url:
            client.patch(f"/v1/bots/{bot['id']}", {"url": url})
        command = [sys.executable, "-m", f"bots.samples.{program}", "--port", str(port), *args]
        self.stack.start_program(name, command, {"ARBITER_BOT_SECRET": bot["secret"]})
        self.stack.wait_until(lambda: listens(port), name)
        return str(bot["id"])

    def _verify(self, client: Client, bot: str) -> None:
        """Have the bot prove that its URL is its owner's."""
        if client.get(f"/v1/bots/{bot}")["state"] == "active":
            return
        client.post(f"/v1/bots/{bot}/verify", {})
        deadline = time.monotonic() + VERIFY_S
        while client.get(f"/v1/bots/{bot}")["state"] != "active":
            self.stack.check()
            seen = client.get(f"/v1/bots/{bot}/verification")
            if seen["state"] == "failed" or time.monotonic() > deadline:
                raise DemoError(f"bot {bot} was not verified: {seen.get('detail') or seen['state']}")
            time.sleep(0.1)

    # The leagues

    def _league(self, client: Client, game: str, bots: Mapping[tuple[str, str], str]) -> str:
        """Create, fill and start a tournament, or find the one that was begun."""
        known = self.memory.recall(f"tournament {game}")
        if known is None:
            made = client.post(
                "/v1/tournaments",
                {
                    "name": LEAGUES[game],
                    "game": game,
                    "format": "round-robin",
                    "cycles": self.cycles,
                    "clock": "blitz",
                },
            )
            known = self.memory.remember(f"tournament {game}", made["id"])
        path = f"/v1/tournaments/{known}"
        if client.get(path)["state"] == "draft":
            client.post(f"{path}/open", {})
        if client.get(path)["state"] == "open":
            entered = {e["bot"] for e in client.get(f"{path}/entrants")["items"]}
            for (_, kind), bot in bots.items():
                if kind == game and bot not in entered:
                    client.post(f"{path}/entrants", {"bot": bot})
            client.post(f"{path}/start", {})
        return str(known)

    def _watch(self, client: Client, leagues: Mapping[str, str]) -> None:
        """Show progress until every league is over."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self.console) as progress:
            tasks = {game: progress.add_task(LEAGUES[game]) for game in leagues}
            running = set(leagues)
            while running:
                self.stack.check()
                for game in tuple(running):
                    seen = client.get(f"/v1/tournaments/{leagues[game]}")
                    progress.update(tasks[game], completed=seen["games_done"], total=seen["games_total"])
                    if seen["state"] in ("finished", "cancelled"):
                        running.discard(game)
                time.sleep(0.25)

    def _say_where(self, leagues: Mapping[str, str]) -> None:
        self.console.print("\nLook around (Ctrl-C ends everything):")
        for what, path in (
            ("pages", "/"),
            ("API documentation", "/docs"),
            *((LEAGUES[game], f"/tournaments/{t}") for game, t in leagues.items()),
            *((f"{game} ratings", f"/ladders/{game}") for game in leagues),
        ):
            self.console.print(f"  {what:<20} {self.base}{path}", highlight=False, soft_wrap=True)
        store = " ".join(f"{name}={self.stack.environ[name]}" for name in STORE)
        self.console.print("\nTo operate it (arbiter status, selfcheck, audit, new-admin NAME), elsewhere:")
        self.console.print(f"  export {store}", highlight=False, soft_wrap=True)

    def _stay(self) -> None:
        while True:
            self.stack.check()
            time.sleep(0.5)

    def _say(self, text: str) -> None:
        self.console.print(f"· {text}", highlight=False)


def _usable(port: int | None) -> int:
    """`port` if nobody listens on it, otherwise a free one."""
    return port if port and not listens(port) else free_port()


def _next_usable(port: int) -> int:
    """The first port from `port` on that nobody listens on."""
    return next(p for p in range(port, port + 100) if not listens(p))


def _show_tables(console: Console, client: Client, tournament: str) -> None:
    """The final table and the cross table of a tournament."""
    path = f"/v1/tournaments/{tournament}"
    about = client.get(path)
    standings = client.get(f"{path}/standings")["rows"]
    ratings = {row["bot"]: row["rating"] for row in client.pages(f"/v1/ratings/{about['game']}")}
    console.print(standings_table(about["name"], standings, ratings))
    console.print(cross_table(client.get(f"{path}/crosstable")))

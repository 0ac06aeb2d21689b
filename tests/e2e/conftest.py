"""The whole service as users meet it: real processes, the REST API, bots over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bots.sdk import Bot
from service.store import Store
from workers.client import Client
from workers.embedded import free_port
from workers.stack import Stack, answers

WAIT_S = 40.0


@dataclass
class Service:
    """A running service and the bots that the tests have put before it."""

    stack: Stack
    base: str
    redis_url: str
    bots: ExitStack = field(default_factory=ExitStack)
    names: int = 0

    def owner(self, name: str = "owner") -> Client:
        """Sign somebody new up."""
        self.names += 1
        made = Client(self.base).post("/v1/owners", {"name": f"{name} {self.names}"})
        client = Client(self.base, made["key"]["key"])
        client.owner = made["owner"]["id"]
        return client

    def register(self, client: Client, game: str, url: str, **members: Any) -> dict[str, Any]:
        self.names += 1
        body = {"name": f"bot {self.names}", "games": [game], "url": url, "concurrency": 4, **members}
        return client.post("/v1/bots", body)

    def bot(self, client: Client, game: str, player: Bot, **members: Any) -> str:
        """Register and verify a bot that plays in this process; its id."""
        port = free_port()
        made = self.register(client, game, f"http://127.0.0.1:{port}/", **members)
        self.bots.enter_context(player.listen(port=port, secret=made["secret"]))
        client.post(f"/v1/bots/{made['id']}/verify", {})
        wait_for(lambda: client.get(f"/v1/bots/{made['id']}")["state"] == "active", "verification")
        return made["id"]

    def match(self, client: Client, game: str, bots: list[str], **members: Any) -> dict[str, Any]:
        """Ask for a match and wait until it is over."""
        body = {"game": game, "bots": bots, "clock": "blitz", **members}
        made = client.post("/v1/matches", body)["items"][0]
        return self.over(client, made["id"])

    def over(self, client: Client, match_id: str) -> dict[str, Any]:
        wait_for(lambda: client.get(f"/v1/matches/{match_id}")["state"] in ("finished", "void"), "the match")
        return client.get(f"/v1/matches/{match_id}")

    @property
    def store(self) -> Store:
        return Store.connect(self.redis_url, connections=4)


def wait_for(ready, what: str, seconds: float = WAIT_S) -> None:
    """Wait for what another process does; fails the test if it takes too long."""
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, f"{what} took longer than {seconds} s"
        time.sleep(0.05)


@contextmanager
def running_service(folder: Path, **settings: str) -> Iterator[Service]:
    """A service of its own: server, API, a worker for each queue, sweep; with these settings besides."""
    port = free_port()
    with Stack(folder) as stack:
        server = stack.start_server(0)
        stack.environ |= {
            "ARBITER_PORT": str(port),
            "ARBITER_BOT_NETWORKS": "127.0.0.0/8",
            "ARBITER_LEASE_MS": "2000",
            "ARBITER_RATE_SIGNUPS": "10000 per hour",
            "ARBITER_RATE_WRITES": "100000 per minute",
            "ARBITER_RATE_READS": "100000 per minute",
            **{f"ARBITER_{name.upper()}": value for name, value in settings.items()},
        }
        stack.start_part("api", "serve")
        stack.start_part("worker", "worker", "--queue", "matches", "-c", "16")
        stack.start_part("control", "worker", "--queue", "control", "-c", "8")
        stack.start_part("sweep", "sweep")
        base = f"http://127.0.0.1:{port}"
        stack.wait_until(lambda: answers(f"{base}/readyz"), "the service")
        running = Service(stack, base, f"{server.url}/0")
        with running.bots:
            yield running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for the whole run."""
    with running_service(tmp_path_factory.mktemp("service")) as running:
        yield running

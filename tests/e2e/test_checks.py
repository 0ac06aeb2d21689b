"""Bots that are gone and bots that come back, in the whole service."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from engines.protocol import verify_answer
from service.checking import KIND
from service.store import keys
from service.store.checks import GONE
from tests.e2e.conftest import wait_for
from tests.e2e.test_match import first_move
from workers.embedded import free_port

pytestmark = pytest.mark.slow


@contextmanager
def leaving(secret: list[str], at: str) -> Iterator[tuple[str, list[str]]]:
    """A bot that proves itself, and answers 410 from the first request of kind `at` on; what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(message["type"])
            body = b"{}"
            if message["type"] == "verify":
                body = json.dumps({"answer": verify_answer(secret[0], message["challenge"])}).encode()
            self.send_response(410 if at in asked else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("at", "reason"), [("start", "no-show"), ("move", "http-error")])
def test_410_in_a_match_pauses_a_bot_at_once(service, at, reason):
    owner, other = service.owner(), service.owner()
    good = service.bot(owner, "quixo", first_move())
    secret: list[str] = []
    with leaving(secret, at) as (url, asked):
        made = service.register(other, "quixo", url)
        secret.append(made["secret"])
        other.post(f"/v1/bots/{made['id']}/verify", {})
        wait_for(lambda: other.get(f"/v1/bots/{made['id']}")["state"] == "active", "verification")
        match = service.match(owner, "quixo", [made["id"], good])
        assert match["result"]["reason"] == reason
        assert asked.count(at) == 1, "whoever is gone is not asked twice"
    after = other.get(f"/v1/bots/{made['id']}")
    assert (after["state"], after["state_reason"]) == ("paused", GONE)


def test_a_bot_that_was_paused_comes_back_by_itself_after_two_good_probes(service):
    owner, other = service.owner(), service.owner()
    good = service.bot(owner, "quixo", first_move(), concurrency=8)
    port = free_port()
    made = service.register(other, "quixo", f"http://127.0.0.1:{port}/", concurrency=8)
    bot = made["id"]

    def state() -> str:
        return other.get(f"/v1/bots/{bot}")["state"]

    with first_move().listen(port=port, secret=made["secret"]):
        other.post(f"/v1/bots/{bot}/verify", {})
        wait_for(lambda: state() == "active", "verification")
    owner.post("/v1/matches", {"game": "quixo", "bots": [good, bot], "count": 5})
    wait_for(lambda: state() == "paused", "the breaker")
    store = service.store
    wait_for(lambda: store.checks.get(bot).probing, "probing")

    def probe() -> None:
        """Let it be time for the next one."""
        made_before = store.checks.get(bot).made
        store.db.run("HSET", keys.checks(bot), "asked_at", 1)

        def asked() -> bool:
            store.due.add(KIND, {"bot": bot}, 1)
            return store.checks.get(bot).made != made_before

        wait_for(asked, "a probe")

    store.db.run("HSET", keys.checks(bot), "good", 1)
    probe()
    wait_for(lambda: store.checks.get(bot).good == 0, "the probe that finds nobody")
    assert state() == "paused"
    with first_move().listen(port=port, secret=made["secret"]):
        probe()
        wait_for(lambda: store.checks.get(bot).good == 1, "the first good probe")
        assert state() == "paused"
        probe()
        wait_for(lambda: state() == "active", "the second good probe")
        assert service.match(owner, "quixo", [good, bot])["result"]["reason"] != "no-show"

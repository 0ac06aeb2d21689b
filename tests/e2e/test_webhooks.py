"""Webhooks in the whole service: a receiver is told of results as they come, and keeps being tried."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bots.samples.greedy_bot import make
from engines.protocol import check_signature
from tests.e2e.conftest import wait_for
from tests.e2e.test_match import first_move

pytestmark = pytest.mark.slow


class Receiver(ThreadingHTTPServer):
    """Somebody's program that takes messages; it answers `status` and keeps what came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.got = 204, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/arbiter"

    def of(self, kind: str) -> list[dict]:
        return [message for message in map(self.read, self.got) if message["type"] == kind]

    @staticmethod
    def read(request) -> dict:
        return json.loads(request[1])


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        if self.server.status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    yield server
    server.shutdown()
    server.server_close()


def test_whoever_plays_is_told_of_the_match_and_of_the_tournament(service, receiver):
    host, one, two = service.owner(), service.owner(), service.owner()
    hook = one.post("/v1/webhooks", {"url": receiver.url})
    bots = [service.bot(owner, "quixo", make()) for owner in (one, two)]
    cup = host.post("/v1/tournaments", {"name": "Cup", "game": "quixo", "clock": "blitz"})["id"]
    for bot in bots:
        host.post(f"/v1/tournaments/{cup}/entrants", {"bot": bot})
    host.post(f"/v1/tournaments/{cup}/start", {})
    wait_for(lambda: receiver.of("tournament.finished"), "the tournament's end")
    wait_for(lambda: receiver.of("match.finished"), "the match's end")
    [told] = receiver.of("match.finished")
    match = one.get(f"/v1/matches/{told['data']['match']}")
    assert told["data"]["result"]["placing"] == match["result"]["placing"]
    assert told["data"]["tournament"] == cup
    assert told["timestamp"] == match["finished_at"]
    assert [message["data"]["tournament"] for message in receiver.of("tournament.finished")] == [cup]
    for headers, body in receiver.got:
        assert check_signature(hook["secret"], headers, body, int(time.time()))
        assert len(body) < 4096
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == len(receiver.got) == 2


def test_a_receiver_that_fails_is_tried_again_with_the_same_message(service, receiver):
    owner, other = service.owner(), service.owner()
    hook = owner.post("/v1/webhooks", {"url": receiver.url, "events": ["match.finished"]})
    bots = [service.bot(client, "quixo", first_move()) for client in (owner, other)]
    receiver.status = 503
    service.match(owner, "quixo", bots)
    wait_for(lambda: receiver.got, "the first try")
    receiver.status = 200
    wait_for(lambda: len(receiver.got) == 2, "the second try")
    first, second = receiver.got
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    assert first[1] == second[1]
    where = f"/v1/webhooks/{hook['id']}/deliveries"
    wait_for(lambda: len(owner.get(where)["items"]) == 2, "the note")
    last, before = owner.get(where)["items"]
    assert (last["status"], last["attempt"], before["status"], before["attempt"]) == (200, 2, 503, 1)


@pytest.mark.parametrize("url", ["http://192.168.7.7:8080/", "http://[::ffff:10.0.0.1]:8080/"])
def test_an_address_that_is_not_allowed_is_not_called(service, url):
    """The same guard as for bots: here only loopback is allowed of what is not public."""
    owner = service.owner()
    hook = owner.post("/v1/webhooks", {"url": url})
    owner.post(f"/v1/webhooks/{hook['id']}/ping", {})
    where = f"/v1/webhooks/{hook['id']}/deliveries"
    wait_for(lambda: owner.get(where)["items"], "a try")
    tried = owner.get(where)["items"][-1]
    assert (tried["status"], tried["delivered"]) == (None, False)
    assert "not" in tried["detail"]

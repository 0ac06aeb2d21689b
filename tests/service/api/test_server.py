"""The service as it is served: gunicorn, streams, a stop, and a Redis that does not answer."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time

import pytest
import requests

from service.config import Settings
from tests.service.api.playing import beat, begin, play
from tests.service.api.served import COMMAND, Served
from workers.processes import start


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    found = Served(tmp_path_factory.mktemp("served"), max_streams=3, max_polls=2, api_threads=4)
    yield found
    found.close()


class Follower(threading.Thread):
    """Follows an event stream and keeps what came, and when it ended."""

    def __init__(self, served: Served, path: str, **headers: str) -> None:
        super().__init__(daemon=True)
        self.url, self.headers = served.base + path, {"Accept": "text/event-stream", **headers}
        self.lines: list[str] = []
        self.status = 0
        self.ended_at: float | None = None
        self.opened = threading.Event()
        self.start()
        assert self.opened.wait(10)

    def run(self) -> None:
        with requests.get(self.url, headers=self.headers, stream=True, timeout=30) as answer:
            self.status, self.type = answer.status_code, answer.headers["Content-Type"]
            self.opened.set()
            with contextlib.suppress(requests.RequestException):
                self.lines += answer.iter_lines(chunk_size=1, decode_unicode=True)
        self.ended_at = time.monotonic()

    def events(self) -> list[dict]:
        data = [line[6:] for line in self.lines if line.startswith("data: ")]
        return [json.loads(text) for text in data if text != "{}"]


def test_a_stream_shows_every_event_and_ends_with_the_match(served):
    match = served.match()
    follower = Follower(served, f"/v1/matches/{match}/events")
    assert (follower.status, follower.type.split(";")[0]) == (200, "text/event-stream")
    play(served.store, match)
    follower.join(10)
    assert follower.ended_at is not None
    paged = served.get(f"/v1/matches/{match}/events").json()["items"]
    assert follower.events() == paged
    assert [int(line[4:]) for line in follower.lines if line.startswith("id: ")] == [e["id"] for e in paged]
    assert "event: over" in follower.lines


def test_a_stream_resumes_behind_what_was_seen(served):
    match = served.match()
    play(served.store, match)
    follower = Follower(served, f"/v1/matches/{match}/events", **{"Last-Event-ID": "2"})
    follower.join(10)
    assert follower.events()[0]["id"] == 3


def test_a_tournament_s_stream_resumes_behind_what_was_seen_and_ends_with_it(served):
    headers = served.owner("Olga")
    about = {"name": "Cup", "game": "quixo"}
    cup = served.post("/v1/tournaments", json=about, headers=headers).json()["id"]
    where = f"/v1/tournaments/{cup}"
    served.post(f"{where}/open", headers=headers)
    (opened,) = served.get(f"{where}/events").json()["items"]
    follower = Follower(served, f"{where}/events", **{"Last-Event-ID": opened["id"]})
    assert served.post(f"{where}/cancel", headers=headers).ok
    follower.join(10)
    assert follower.ended_at is not None
    assert [event["state"] for event in follower.events()] == ["cancelled"]
    assert [line[4:] for line in follower.lines if line.startswith("id: ")] != [opened["id"]]


@pytest.mark.slow
def test_a_quiet_stream_says_that_it_is_still_there(served):
    match = served.match()
    begin(served.store, match)
    follower = Follower(served, f"/v1/matches/{match}/events")
    deadline = time.monotonic() + 15
    while ": still here" not in follower.lines:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert follower.ended_at is None
    served.store.matches.void(match, "as a test", "test")
    follower.join(15)


def test_a_long_poll_answers_with_the_event(served):
    match = served.match()
    claimed = begin(served.store, match)
    began = time.monotonic()
    event = {"type": "forced", "turn": 0, "seat": 0, "move": "x", "by": "opening"}
    later = threading.Timer(0.5, lambda: served.store.matches.append(claimed, 2, [event]))
    later.start()
    answer = served.get(f"/v1/matches/{match}/events?after=1&wait=10").json()
    assert [e["id"] for e in answer["items"]] == [2]
    assert 0.4 < time.monotonic() - began < 5
    assert answer["over"] is False
    began = time.monotonic()
    assert served.get(f"/v1/matches/{match}/events?after=2&wait=1").json()["items"] == []
    assert 0.9 < time.monotonic() - began < 5


def test_streams_and_polls_beyond_the_cap_are_refused_and_rest_goes_on(served):
    match = served.match()
    begin(served.store, match)
    followers = [Follower(served, f"/v1/matches/{match}/events") for _ in range(3)]
    refused = served.get(f"/v1/matches/{match}/events", headers={"Accept": "text/event-stream"})
    assert refused.status_code == 503
    assert refused.headers["Retry-After"]
    assert refused.json()["type"] == "/problems/too-many-streams"
    assert served.get(f"/v1/matches/{match}").status_code == 200
    assert [f.ended_at for f in followers] == [None] * 3
    served.store.matches.void(match, "enough of it", "test")
    for follower in followers:
        follower.join(25)


def test_readiness_looks_at_the_workers(served):
    beat(served.store)
    ready = served.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    served.store.workers.gone("test-worker")
    answer = served.get("/readyz")
    assert answer.status_code == 503
    assert "worker" in answer.json()["detail"]


@pytest.mark.slow
def test_a_redis_that_does_not_answer_costs_no_500(served):
    headers = served.owner("Carol")
    match = served.match()
    served.redis.pause()
    try:
        for path in ("/v1/bots", f"/v1/matches/{match}", "/v1/owners/me", "/readyz"):
            began = time.monotonic()
            answer = served.get(path, headers=headers)
            assert answer.status_code == 503, (path, answer.text)
            assert answer.headers["Retry-After"]
            assert time.monotonic() - began < 5
        assert served.get("/healthz").status_code == 200
        assert served.post("/v1/owners", json={"name": "Dan"}).status_code == 503
    finally:
        served.redis.go_on()
    deadline = time.monotonic() + 10
    while served.get(f"/v1/matches/{match}").status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_stop_ends_streams_at_once(tmp_path):
    served = Served(tmp_path, max_streams=3, api_threads=4)
    try:
        match = served.match()
        begin(served.store, match)
        followers = [Follower(served, f"/v1/matches/{match}/events") for _ in range(3)]
        time.sleep(0.3)
        began = time.monotonic()
        served.process.send_signal(signal.SIGTERM)
        for follower in followers:
            follower.join(10)
            assert follower.ended_at is not None
            assert follower.ended_at - began < 3
        served.process.wait(10)
    finally:
        served.close()


def test_wrong_settings_are_named_at_the_start(tmp_path):
    log = tmp_path / "log"
    process = start(COMMAND, log, {"ARBITER_LEASE_MS": "soon"})
    assert process.wait(20) != 0
    assert "ARBITER_LEASE_MS" in log.read_text()


def test_the_defaults_of_the_server_leave_room_for_rest():
    settings = Settings()
    assert settings.server_threads == settings.max_streams + settings.max_polls + settings.api_threads

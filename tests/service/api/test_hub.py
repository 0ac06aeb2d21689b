"""One reader for each feed, however many follow it; nobody misses an event, at a stop everybody goes."""

from __future__ import annotations

import threading
import time

import pytest

from service.api.hub import KEPT, Hub
from service.errors import Unavailable


class Source:
    """A feed that grows; counts how often it is read."""

    def __init__(self) -> None:
        self.events: list[tuple[int, dict]] = []
        self.reads = 0
        self.fails = False
        self.grown = threading.Condition()

    def read(self, feed: str, after: int, wait_ms: int):
        self.reads += 1
        with self.grown:
            self.grown.wait_for(lambda: len(self.events) > after or self.fails, wait_ms / 1000)
            if self.fails:
                raise Unavailable("gone")
            return self.events[after:]

    def grow(self, count: int = 1) -> None:
        with self.grown:
            first = len(self.events) + 1
            self.events += [(number, {"n": number}) for number in range(first, first + count)]
            self.grown.notify_all()


@pytest.fixture
def source():
    return Source()


def follow(hub: Hub, until: int, seen: list[int]) -> None:
    while len(seen) < until:
        seen += [number for number, _ in hub.wait("m", seen[-1] if seen else 0, 2000)]


def test_everybody_sees_every_event_once_in_order(source):
    hub = Hub(source.read)
    seen: list[list[int]] = [[] for _ in range(40)]
    threads = [threading.Thread(target=follow, args=(hub, 60, own)) for own in seen]
    for thread in threads:
        thread.start()
    for _ in range(60):
        source.grow()
        time.sleep(0.002)
    for thread in threads:
        thread.join(10)
    assert all(own == list(range(1, 61)) for own in seen)
    assert source.reads < 400, "not one read for each follower and event"


def test_who_is_far_behind_catches_up(source):
    source.grow(KEPT + 100)
    hub = Hub(source.read)
    ahead = hub.wait("m", KEPT + 90, 1000)
    assert [number for number, _ in ahead] == list(range(KEPT + 91, KEPT + 101))
    assert len(hub.wait("m", 0, 1000)) == KEPT + 100


def test_without_waiting_nothing_is_kept(source):
    source.grow(3)
    hub = Hub(source.read)
    assert len(hub.wait("m", 0, 0)) == 3
    assert hub.wait("m", 3, 0) == []
    assert source.reads == 2


def test_a_wait_ends_in_time_with_nothing(source):
    hub = Hub(source.read)
    began = time.monotonic()
    assert hub.wait("m", 0, 200) == []
    assert 0.15 < time.monotonic() - began < 2


def test_a_stop_lets_everybody_go(source):
    hub = Hub(source.read)
    threads = [threading.Thread(target=hub.wait, args=("m", 0, 60_000)) for _ in range(10)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    hub.stop()
    for thread in threads:
        thread.join(3)
    assert not any(thread.is_alive() for thread in threads)


def test_a_store_that_is_away_is_told_to_all_who_wait_and_forgotten_after(source):
    hub = Hub(source.read)
    caught: list[str] = []

    def wait() -> None:
        try:
            hub.wait("m", 0, 5000)
        except Unavailable as error:
            caught.append(error.detail)

    threads = [threading.Thread(target=wait) for _ in range(5)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    with source.grown:
        source.fails = True
        source.grown.notify_all()
    for thread in threads:
        thread.join(5)
    assert caught == ["gone"] * 5
    source.fails = False
    source.grow()
    assert len(hub.wait("m", 0, 1000)) == 1

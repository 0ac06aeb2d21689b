"""News of matches and tournaments: one subscriber a process wakes everybody who waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import redis

from service.store.connection import Connection, named_failures

T = TypeVar("T")
_LOOK_AGAIN_S = 2.0  # news can be lost while Redis is away, so waiters look by themselves now and then
_LINGER_S = 10.0  # a channel that nobody waits on stays subscribed for so long: the next wait is near


@dataclass(slots=True)
class _Channel:
    heard: threading.Condition = field(default_factory=threading.Condition)
    news: int = 0
    waiting: int = 0
    left_at: float = 0.0

    def ring(self) -> None:
        with self.heard:
            self.news += 1
            self.heard.notify_all()


class Live:
    """Waits on channels; nothing is subscribed to before somebody waits."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._channels: dict[str, _Channel] = {}
        self._guard = threading.Lock()
        self._pubsub: Any = None
        self._stopped = False

    def wait(self, name: str, wait_ms: int, look: Callable[[], list[T]]) -> list[T]:
        """What `look` finds as soon as it finds anything; empty after `wait_ms`, or at a stop."""
        deadline = time.monotonic() + wait_ms / 1000
        found = look()
        if found or wait_ms <= 0:
            return found
        with self._watching(name) as channel:
            while not (found or self._stopped) and (left := deadline - time.monotonic()) > 0:
                seen = channel.news
                found = look()
                if not found:
                    _sleep(channel, seen, min(left, _LOOK_AGAIN_S))
        return found

    def ring(self, name: str) -> None:
        """Let whoever waits on a channel look at once."""
        if channel := self._channels.get(name):
            channel.ring()

    def stop(self) -> None:
        """Let everybody go, now and from now on."""
        self._stopped = True
        for name in list(self._channels):
            self.ring(name)

    @contextmanager
    def _watching(self, name: str) -> Iterator[_Channel]:
        with self._guard:
            channel = self._channels.get(name) or self._subscribe(name)
            channel.waiting += 1
        try:
            yield channel
        finally:
            with self._guard:
                channel.waiting -= 1
                channel.left_at = time.monotonic()

    def _subscribe(self, name: str) -> _Channel:
        with named_failures():
            if self._pubsub is None:
                self._pubsub = self._db.client.pubsub()
                threading.Thread(target=self._listen, name="live", daemon=True).start()
            self._pubsub.subscribe(name)
        self._channels[name] = channel = _Channel()
        return channel

    def _listen(self) -> None:
        while True:
            try:
                message = self._pubsub.get_message(timeout=1.0)
                self._drop_left()
            except redis.RedisError:  # it subscribes anew by itself once Redis is back
                time.sleep(0.5)
                continue
            if message:  # a confirmed subscription is news too: what came before it was not heard
                channel = self._channels.get(message["channel"])
                if channel:
                    channel.ring()

    def _drop_left(self) -> None:
        now = time.monotonic()
        with self._guard:
            left = [n for n, c in self._channels.items() if not c.waiting and now - c.left_at > _LINGER_S]
            for name in left:
                del self._channels[name]
                self._pubsub.unsubscribe(name)


def _sleep(channel: _Channel, seen: int, seconds: float) -> None:
    with channel.heard:
        channel.heard.wait_for(lambda: channel.news != seen, seconds)

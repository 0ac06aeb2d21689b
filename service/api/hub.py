"""One reader for each feed that is followed, however many follow it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from service.errors import ServiceError

Id = TypeVar("Id", int, str)
Numbered = Sequence[tuple[Id, dict[str, Any]]]  # events with their ids
Read = Callable[[str, Id, int], Numbered[Id]]  # (feed, after, wait_ms); a wait may end early with nothing

KEPT = 500  # events of a feed, for those who are not quite at its end
_READ_MS = 2000


class _Channel(Generic[Id]):
    """The newest events of one feed: those behind `start`."""

    def __init__(self, start: Id) -> None:
        self.start: Id = start
        self.events: deque[tuple[Id, dict[str, Any]]] = deque()
        self.news = threading.Condition()
        self.followers = 0
        self.error: ServiceError | None = None

    @property
    def end(self) -> Id:
        return self.events[-1][0] if self.events else self.start

    def behind(self, after: Id) -> Numbered[Id] | None:
        """The events behind `after`, None if that place is not known here."""
        if after == self.start:
            return list(self.events)
        for place in range(len(self.events) - 1, -1, -1):
            if self.events[place][0] == after:
                return [self.events[i] for i in range(place + 1, len(self.events))]
        return None

    def add(self, found: Numbered[Id]) -> None:
        self.events.extend(found)
        while len(self.events) > KEPT:
            self.start = self.events.popleft()[0]


class Hub(Generic[Id]):
    """Lets any number of threads wait for the same feeds at the price of one."""

    def __init__(self, read: Read[Id]) -> None:
        self._read: Read[Id] = read
        self._channels: dict[str, _Channel[Id]] = {}
        self._guard = threading.Lock()
        self.stopped = False

    def wait(self, feed: str, after: Id, wait_ms: int) -> Numbered[Id]:
        """The events behind `after` as soon as there are any; none after `wait_ms`, or at a stop."""
        if wait_ms <= 0:
            return self._read(feed, after, 0)
        with self._following(feed, after) as channel, channel.news:
            known = channel.behind(after)
            if known == []:
                known = self._news(channel, after, time.monotonic() + wait_ms / 1000)
        # A place that is not known is far behind, or beyond the end.
        return self._read(feed, after, min(wait_ms, _READ_MS)) if known is None else known

    def stop(self) -> None:
        """Let everybody go, now and from now on."""
        self.stopped = True
        for channel in list(self._channels.values()):
            with channel.news:
                channel.news.notify_all()

    def _news(self, channel: _Channel[Id], after: Id, deadline: float) -> Numbered[Id] | None:
        def something() -> bool:
            return self.stopped or channel.error is not None or channel.end != after

        channel.news.wait_for(something, deadline - time.monotonic())
        if channel.error is not None:
            raise channel.error
        return channel.behind(after)

    @contextmanager
    def _following(self, feed: str, after: Id) -> Iterator[_Channel[Id]]:
        with self._guard:
            channel = self._channels.get(feed)
            if channel is None:
                channel = self._channels[feed] = _Channel(after)
                threading.Thread(target=self._reader, args=(feed, channel), daemon=True).start()
            channel.followers += 1
        try:
            yield channel
        finally:
            with self._guard:
                channel.followers -= 1

    def _reader(self, feed: str, channel: _Channel[Id]) -> None:
        """Read while somebody follows; whoever comes later starts another reader."""
        while not self._forsaken(feed, channel):
            try:
                found = self._read(feed, channel.end, _READ_MS)
            except ServiceError as error:
                self._end(feed, channel, error)
                return
            with channel.news:
                channel.add(found)
                channel.news.notify_all()

    def _forsaken(self, feed: str, channel: _Channel[Id]) -> bool:
        with self._guard:
            if channel.followers and not self.stopped:
                return False
            self._channels.pop(feed, None)
            return True

    def _end(self, feed: str, channel: _Channel[Id], error: ServiceError) -> None:
        with self._guard:
            self._channels.pop(feed, None)
        with channel.news:
            channel.error = error
            channel.news.notify_all()

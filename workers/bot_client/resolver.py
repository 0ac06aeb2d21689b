"""Names to addresses: getaddrinfo, which knows no time limit, with one; and a short cache."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workers.bot_client.clocks import Deadline
from workers.bot_client.cut import Cut
from workers.bot_client.errors import Starved, Unreachable

CACHE_S = 30.0
MAX_CACHED = 4096
MAX_LOOKUPS = 128  # threads that a getaddrinfo may hang in
_LOOK_S = 0.05


class Resolved(NamedTuple):
    """One address of a name, as `socket.socket` and `connect` take it."""

    family: int
    sockaddr: tuple[Any, ...]


Getaddrinfo = Callable[..., list[tuple[Any, Any, int, str, tuple[Any, ...]]]]


@dataclass(slots=True)
class _Lookup:
    """One getaddrinfo under way, for everyone who asks for the same name."""

    done: threading.Event = field(default_factory=threading.Event)
    found: tuple[Resolved, ...] = ()
    error: OSError | None = None


class Resolver:
    """Shared by all threads of a process."""

    def __init__(
        self,
        getaddrinfo: Getaddrinfo = socket.getaddrinfo,
        cache_s: float = CACHE_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._getaddrinfo = getaddrinfo
        self._cache_s = cache_s
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._cached: dict[tuple[str, int], tuple[float, tuple[Resolved, ...]]] = {}
        self._running: dict[tuple[str, int], _Lookup] = {}

    def resolve(self, host: str, port: int, deadline: Deadline, cut: Cut) -> tuple[Resolved, ...]:
        """All addresses of `host`; raises Unreachable, Starved, Abandoned."""
        with self._lock:
            until, found = self._cached.get((host, port), (0.0, ()))
            if self._monotonic() < until:
                return found
            lookup = self._running.get((host, port)) or self._begin(host, port)
        while not lookup.done.wait(min(_LOOK_S, deadline.left_ms() / 1000)):
            cut.check()
            if not deadline.left_ms():
                longer = f"took longer than {deadline.limit_us / 1e6:g} s"
                raise Unreachable(f"looking up {host} {longer}", f"looking up the bot's name {longer}")
        if lookup.error is not None:
            failure = f"cannot be looked up: {lookup.error.strerror}"
            raise Unreachable(f"the name {host} {failure}", f"the bot's name {failure}")
        return lookup.found

    def forget(self, host: str, port: int) -> None:
        """Look the name up anew next time: its addresses did not answer."""
        with self._lock:
            self._cached.pop((host, port), None)

    def _begin(self, host: str, port: int) -> _Lookup:
        if len(self._running) >= MAX_LOOKUPS:
            raise Starved(f"{MAX_LOOKUPS} name look-ups are hanging; is the name server away?")
        lookup = _Lookup()
        try:
            threading.Thread(target=self._look_up, args=(host, port, lookup), daemon=True).start()
        except RuntimeError as error:
            raise Starved(f"no thread for a name look-up: {error}") from error
        self._running[host, port] = lookup
        return lookup

    def _look_up(self, host: str, port: int, lookup: _Lookup) -> None:
        try:
            infos = self._getaddrinfo(host.encode(), port, type=socket.SOCK_STREAM)
            lookup.found = tuple(dict.fromkeys(Resolved(int(i[0]), i[4]) for i in infos))
        except OSError as error:
            lookup.error = error
        finally:
            with self._lock:
                del self._running[host, port]
                if lookup.found:
                    self._remember(host, port, lookup.found)
            lookup.done.set()

    def _remember(self, host: str, port: int, found: tuple[Resolved, ...]) -> None:
        if len(self._cached) >= MAX_CACHED:
            del self._cached[next(iter(self._cached))]
        self._cached[host, port] = (self._monotonic() + self._cache_s, found)

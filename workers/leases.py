"""Keeps the leases of the matches that this worker plays, and of no match whose runner hangs (D3).

A runner says until when its present step may take; the renewer thread renews the leases of the steps within
their time only. A match that was lost to another worker has its exchange aborted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from service.errors import Unavailable
from service.models import Claim
from service.store import Store

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Held:
    """A match being played here: until when its step may take (monotonic), and how to cut that step short."""

    claim: Claim
    deadline: float
    abort: Callable[[], None]
    lost: bool = False

    def lose(self) -> None:
        """Another claim to the match counts now: cut the step short."""
        self.lost = True
        self.abort()


@dataclass(slots=True)
class Leases:
    """The claims of one worker, renewed every third of a lease by a thread of their own."""

    store: Store
    lease_ms: int
    _held: dict[str, Held] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="renewer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join()

    @contextmanager
    def holding(self, claim: Claim, abort: Callable[[], None]) -> Iterator[Held]:
        """Renew the claim's lease while the block runs and its steps keep their time.

        Whoever holds an older claim to the match, here in this worker, has lost it.
        """
        match_id = claim.match.id
        held = Held(claim, time.monotonic() + self.lease_ms / 1000, abort)
        with self._guard:
            older, self._held[match_id] = self._held.get(match_id), held
        if older:
            older.lose()
        try:
            yield held
        finally:
            with self._guard:
                if self._held.get(match_id) is held:
                    del self._held[match_id]

    def abort_all(self) -> None:
        """Cut every step in flight short; nobody is charged for it."""
        for held in self._all():
            held.abort()

    @property
    def count(self) -> int:
        """How many matches are being played here."""
        return len(self._held)

    def _all(self) -> list[Held]:
        with self._guard:
            return list(self._held.values())

    def _run(self) -> None:
        while not self._stop.wait(self.lease_ms / 3000):
            now = time.monotonic()
            due = {held.claim.match.id: held for held in self._all() if held.deadline > now}
            try:
                lost = self.store.matches.renew([held.claim for held in due.values()], self.lease_ms)
            except Unavailable as error:
                _log.warning("leases not renewed", reason=error.detail, matches=len(due))
                continue
            for match_id in lost:
                due[match_id].lose()

"""Calls that many threads make at once go to Redis in one round trip.

While one thread waits for Redis, the calls of others gather, and the next of them sends all. A worker's
matches append their moves this way: alone, each would pay for its own way through the client and the kernel.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from service.store.connection import Call, Connection


@dataclass(slots=True)
class _Wish:
    """A call that waits: `woken` is released once it has its answer, or is to be sent by its own thread."""

    call: Call
    woken: threading.Lock = field(default_factory=threading.Lock)
    answer: Any = None
    answered: bool = False

    def take(self, answer: Any) -> None:
        self.answer, self.answered = answer, True
        self.woken.release()


class Together:
    """`call` as `Connection.call`, from any number of threads.

    Each call is atomic, those that are sent together are not.
    """

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._waiting: list[_Wish] = []
        self._sending = False

    def call(self, call: Call) -> Any:
        """The script's answer; raises what `Connection.call` raises."""
        wish = _Wish(call)
        wish.woken.acquire()
        with self._lock:
            self._waiting.append(wish)
            sends, self._sending = not self._sending, True
        if not sends:
            wish.woken.acquire()
        if not wish.answered:
            self._send()
        if isinstance(wish.answer, Exception):
            raise wish.answer
        return wish.answer

    def _send(self) -> None:
        """Send all that waits, hand the answers out, and let the first of those that came since go on."""
        with self._lock:
            wishes, self._waiting = self._waiting, []
        answers: Sequence[Any] = [RuntimeError("a call that was sent with this one failed")] * len(wishes)
        try:
            answers = self._db.outcomes([wish.call for wish in wishes])
        finally:
            for wish, answer in zip(wishes, answers, strict=True):
                wish.take(answer)
            with self._lock:
                if self._waiting:
                    self._waiting[0].woken.release()
                else:
                    self._sending = False

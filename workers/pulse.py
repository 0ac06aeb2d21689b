"""Whether Celery's loop goes round: a worker that reads no queue any more must not say that it lives."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

STUCK_S = 30.0  # it comes round every second; while the broker is away it waits to connect again


class Pulse:
    """Asks the loop of a Celery consumer to call back; `consumer` needs `call_soon` alone."""

    def __init__(self, consumer: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self._consumer, self._clock = consumer, clock
        self._felt_at = clock()

    def felt(self) -> bool:
        """Whether the loop has called back within the last STUCK_S; asks it for the next time."""
        self._consumer.call_soon(self._feel)
        return self._clock() - self._felt_at < STUCK_S

    def _feel(self) -> None:
        self._felt_at = self._clock()

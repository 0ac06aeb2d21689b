"""Whether it is us: an endpoint of our own that is asked when bots seem to fail together (C5)."""

from __future__ import annotations

import threading
import time

from service.endpoint import Endpoint
from workers.bot_client.dial import Network
from workers.bot_client.errors import BotFault, OurFault
from workers.bot_client.exchange import Line

LIMIT_US = 2_000_000
_BELIEVED_S = 2.0


def canary_ok(endpoint: Endpoint, network: Network) -> bool:
    """Whether our own endpoint answers a POST the way bots are asked to, within two seconds."""
    line = Line(endpoint, network)
    try:
        line.post(b"{}", {"content-type": "application/json"}, LIMIT_US, tries=1)
    except (BotFault, OurFault):
        return False
    finally:
        line.close()
    return True


class Canary:
    """`canary_ok` for many threads at once: one of them asks, and its answer holds for two seconds."""

    def __init__(self, endpoint: Endpoint, network: Network) -> None:
        self._endpoint = endpoint
        self._network = network
        self._lock = threading.Lock()
        self._until = 0.0
        self._ok = True

    def ok(self) -> bool:
        """Whether our way to the outside works."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._ok = canary_ok(self._endpoint, self._network)
                self._until = time.monotonic() + _BELIEVED_S
            return self._ok

"""Says every second that the API is there, for the clocks of bots that poll (C5)."""

from __future__ import annotations

import threading

from service import log
from service.api.streams import stopping
from service.errors import Unavailable
from service.store.desk import BEAT_S, Desk

_logger = log.logger("desk")


def keep_desk(desk: Desk) -> None:
    """Open the desk and keep it open in a thread, until the server is told to stop."""
    threading.Thread(target=_keep, args=(desk,), name="desk", daemon=True).start()


def _keep(desk: Desk) -> None:
    say = desk.open
    while not stopping.is_set():
        try:
            say()
            say = desk.beat
        except Unavailable as error:
            _logger.warning("desk not kept", reason=error.detail)
        stopping.wait(BEAT_S)

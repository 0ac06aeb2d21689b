"""Waiting for the end: SIGINT, SIGTERM, or a thread that says so."""

from __future__ import annotations

import signal
import socket


class Ending:
    """Made in the main thread. A lock could miss a signal that comes just before the wait; a socket can't."""

    def __init__(self) -> None:
        self._told, self._tell = socket.socketpair()
        self._tell.setblocking(False)
        signal.set_wakeup_fd(self._tell.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: None)

    def now(self) -> None:
        """End the wait, from any thread."""
        self._tell.send(b"\0")

    def wait(self) -> None:
        self._told.recv(1)

"""How another thread ends an exchange: a flag that outlasts the socket it also shuts down."""

from __future__ import annotations

import contextlib
import socket
import threading

from workers.bot_client.errors import Abandoned


class Cut:
    """One per line. Every wait of an exchange either watches the flag or waits on the socket held here."""

    def __init__(self) -> None:
        self._flag = threading.Event()
        self._lock = threading.Lock()  # a descriptor is never shut down after it was closed and given away
        self._sock: socket.socket | None = None

    def hold(self, sock: socket.socket) -> None:
        """The socket that the exchange waits on from now on; raises Abandoned."""
        with self._lock:
            self._sock = sock
        self.check()

    def close(self, sock: socket.socket) -> None:
        """Close `sock` and hold it no longer."""
        with self._lock:
            self._sock = None
            sock.close()

    def cut(self) -> None:
        """End whatever waits, now and from now on (any thread)."""
        self._flag.set()
        with self._lock:
            if self._sock is not None:
                # Not connected (any more): nothing waits on it.
                with contextlib.suppress(OSError):
                    self._sock.shutdown(socket.SHUT_RDWR)

    def check(self) -> None:
        """Raise Abandoned once `cut` was called."""
        if self._flag.is_set():
            raise Abandoned("the exchange was aborted")

    def sleep(self, seconds: float) -> None:
        """Wait; raises Abandoned as soon as `cut` is called."""
        self._flag.wait(seconds)
        self.check()

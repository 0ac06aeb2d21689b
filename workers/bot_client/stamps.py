"""The kernel's own timestamps of what a socket received and sent (Linux: socket(7), timestamping.rst).

Elsewhere nothing is stamped, and bots are charged by the monotonic clock.
"""

from __future__ import annotations

import socket
import struct
import sys
from functools import cache

ANCILLARY_BYTES = 256
_SO_TIMESTAMPNS = 35
_SO_TIMESTAMPING = 37
_TX_SCHED, _SOFTWARE, _OPT_TSONLY = 1 << 8, 1 << 4, 1 << 11
_TIMESPEC = struct.Struct("@ll")
_LINUX = sys.platform == "linux"

Ancillary = list[tuple[int, int, bytes]]


def enable(sock: socket.socket) -> None:
    """Have the kernel stamp what `sock` receives and sends, if it can."""
    if _LINUX:
        _keep_enabled()
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPING, _TX_SCHED | _SOFTWARE | _OPT_TSONLY)


@cache
def _keep_enabled() -> socket.socket:
    """One socket that asks for stamps as long as the process lives.

    The kernel stamps packets only while some socket asks for it, and begins a little after the first one
    asked: without this the first replies to an idle worker would come unstamped.
    """
    keeper = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    keeper.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    return keeper


def stamp_ns(ancillary: Ancillary) -> int | None:
    """The stamp in a message's ancillary data, wall time in nanoseconds.

    For bytes received it belongs to the last segment that the call took bytes from.
    """
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind in (_SO_TIMESTAMPNS, _SO_TIMESTAMPING):
            seconds, nanoseconds = _TIMESPEC.unpack_from(data)
            return int(seconds) * 1_000_000_000 + int(nanoseconds)
    return None


def sent_ns(sock: socket.socket, since_ns: int) -> int | None:
    """When the kernel passed on the one write made `since_ns`, wall time in nanoseconds.

    None if it has not said so yet. What it says of earlier writes is passed over.
    """
    while _LINUX:
        try:
            _, ancillary, _, _ = sock.recvmsg(0, ANCILLARY_BYTES, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)
        except OSError:  # nothing (more) is queued; an error of the connection shows at the next read
            break
        stamp = stamp_ns(ancillary)
        if stamp is not None and stamp >= since_ns:
            return stamp
    return None

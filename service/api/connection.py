"""What the kernel knows about the connection that a request came by, where gunicorn serves it on Linux."""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Callable

from flask import request

_SOCKET = "gunicorn.socket"  # in the environ
_LAST_DATA_RECV = struct.Struct("=8x44xI")  # of struct tcp_info (linux/tcp.h): ms, in the steps of a jiffy
_HUNG_UP = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)


def hung_up() -> Callable[[], bool]:
    """A question that may be asked later on: whether the client is gone."""
    connection: socket.socket | None = request.environ.get(_SOCKET)
    if connection is None:
        return lambda: False
    poll = select.poll()
    poll.register(connection, _HUNG_UP)
    return lambda: bool(poll.poll(0))


def age_us() -> int:
    """How long ago the last byte of the request came; 0 where that is not known.

    To be asked once the request is read whole: then only our own slowness lies between.
    """
    connection: socket.socket | None = request.environ.get(_SOCKET)
    option = getattr(socket, "TCP_INFO", None)
    if connection is None or option is None or connection.family == socket.AF_UNIX:
        return 0
    info = connection.getsockopt(socket.IPPROTO_TCP, option, _LAST_DATA_RECV.size)
    found: int = _LAST_DATA_RECV.unpack(info)[0] if len(info) == _LAST_DATA_RECV.size else 0
    return found * 1000

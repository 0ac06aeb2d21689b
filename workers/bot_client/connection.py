"""A connection to a bot, plain or under TLS: every wait under a deadline, every byte stamped.

Every call of the system lets the other threads go on and has to wait for them again, so a turn makes four:
a look for what came unasked, the request, its stamp, and the reply, which is waited for in the kernel.

TLS runs through memory BIOs, so that it is this module that reads the socket and gets the kernel's stamps.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import ssl
import struct
from typing import Protocol

from workers.bot_client import stamps
from workers.bot_client.clocks import Arrival, Clocks, Deadline, DeadlinePassed, Instant
from workers.bot_client.cut import Cut
from workers.bot_client.resolver import Resolved

_RECEIVE_BYTES = 16 * 1024
# A whole request fits: a bot that does not read it cannot put off the moment it is "handed to the kernel".
_SEND_BUFFER = 512 * 1024
_OPTIONS = [
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
]
# A peer that is gone without a word is noticed while it seems to think (keep-alive, in seconds) and when it
# does not even acknowledge a request (in milliseconds).
_LINUX_OPTIONS = {"TCP_KEEPIDLE": 20, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 10_000}
_OPTIONS += [
    (socket.IPPROTO_TCP, getattr(socket, name), value)
    for name, value in _LINUX_OPTIONS.items()
    if hasattr(socket, name)
]
_LONGEST_WAIT_MS = 3_600_000.0
# A call that waits in the kernel begins anew after a stop (signal(7)): a deadline may slip by this much.
_LONGEST_RECEIVE_MS = 200.0
_MOST_SESSIONS = 1000
_MOST_UNASKED = 16  # pieces of session tickets and the like between two exchanges
_TIMEVAL = struct.Struct("@ll")


class Channel(Protocol):
    """What an exchange needs of a connection. Waits raise DeadlinePassed, Abandoned or OSError."""

    @property
    def arrival(self) -> Arrival:
        """When the bytes of the last `receive` came."""

    def send(self, data: bytes, deadline: Deadline) -> Instant:
        """Write all of `data`; when the last byte was handed to the kernel."""

    def receive(self, deadline: Deadline) -> bytes:
        """The next bytes, empty at the end of the stream."""

    def is_quiet(self) -> bool:
        """Whether the peer has neither sent anything unasked nor hung up."""

    def close(self) -> None:
        """Give the descriptor back."""


class Wire:
    """A TCP connection."""

    def __init__(self, family: int, clocks: Clocks, cut: Cut) -> None:
        self._sock = socket.socket(family, socket.SOCK_STREAM)
        self._clocks = clocks
        self._cut = cut
        self.arrival = Arrival(Instant(0, 0), None)
        try:
            self._set_up()
            cut.hold(self._sock)
        except BaseException:
            self.close()
            raise

    def _set_up(self) -> None:
        self._sock.setblocking(False)
        for option in _OPTIONS:
            self._sock.setsockopt(*option)
        stamps.enable(self._sock)

    def connect(self, address: Resolved, deadline: Deadline) -> None:
        """Connect; raises OSError with the reason, DeadlinePassed, Abandoned."""
        code = self._sock.connect_ex(address.sockaddr)
        if code == errno.EINPROGRESS:
            self._wait_writable(deadline)
            self._cut.check()
            code = self._sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))
        self._sock.setblocking(True)
        if self._sock.getsockname() == self._sock.getpeername():  # TCP can meet itself where nobody listens
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))

    def ends(self) -> tuple[str, str]:
        """The addresses of this end and of the peer."""
        return self._sock.getsockname()[0], self._sock.getpeername()[0]

    def send(self, data: bytes, deadline: Deadline) -> Instant:
        rest = memoryview(data)
        while True:
            before = self._clocks.now()
            try:
                rest = rest[self._sock.send(rest, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                self._wait_writable(deadline)
                continue
            if not rest:
                break
        return self._sent(before, self._clocks.now())

    def _sent(self, before: Instant, after: Instant) -> Instant:
        """The kernel's stamp of the last write if it lies within the write, else when the write returned."""
        stamp_ns = stamps.sent_ns(self._sock, before.wall_ns)
        if stamp_ns is None or stamp_ns > after.wall_ns:
            return after
        mono_ns = after.mono_ns - (after.wall_ns - stamp_ns)
        if mono_ns < before.mono_ns:  # the wall clock was set meanwhile
            return after
        return Instant(mono_ns, stamp_ns)

    def receive(self, deadline: Deadline) -> bytes:
        """What is there counts even after the deadline: this process may have been late, not the peer."""
        while True:
            left_ms = deadline.left_ms()
            data = self._take_within(left_ms) if left_ms else self._take(socket.MSG_DONTWAIT)
            self._cut.check()
            if data is None and not left_ms:
                raise DeadlinePassed
            if data and deadline.missed(self.arrival):
                raise DeadlinePassed
            if data is not None:
                return data

    def _take_within(self, wait_ms: float) -> bytes | None:
        """As `_take`, after waiting for something to be there."""
        wait_us = int(min(wait_ms, _LONGEST_RECEIVE_MS) * 1000) + 1
        self._sock.setsockopt(
            socket.SOL_SOCKET, socket.SO_RCVTIMEO, _TIMEVAL.pack(*divmod(wait_us, 1_000_000))
        )
        return self._take(0)

    def _take(self, flags: int) -> bytes | None:
        """What is there to read, empty at the end of the stream, None if nothing is."""
        try:
            data, ancillary, _, _ = self._sock.recvmsg(_RECEIVE_BYTES, stamps.ANCILLARY_BYTES, flags)
        except BlockingIOError:
            return None
        if data:
            self.arrival = Arrival(self._clocks.now(), stamps.stamp_ns(ancillary))
        return data

    def take_waiting(self) -> bytes | None:
        """As `receive`, without waiting: None if nothing came; the end of the stream if it broke."""
        try:
            return self._take(socket.MSG_DONTWAIT)
        except OSError:
            return b""

    def is_quiet(self) -> bool:
        return self.take_waiting() is None

    def _wait_writable(self, deadline: Deadline) -> None:
        output = select.poll()
        output.register(self._sock, select.POLLOUT)
        while not output.poll(min(deadline.left_ms(), _LONGEST_WAIT_MS)):
            if not deadline.left_ms():
                raise DeadlinePassed

    def close(self) -> None:
        self._cut.close(self._sock)


class Sessions:
    """The last TLS session of each host and port, to go on with (RFC 8446, 2.2): half a handshake's work."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], ssl.SSLSession] = {}

    def get(self, host: str, port: int) -> ssl.SSLSession | None:
        return self._kept.get((host, port))

    def forget(self, host: str, port: int) -> None:
        self._kept.pop((host, port), None)

    def keep(self, host: str, port: int, session: ssl.SSLSession | None) -> None:
        if session is not None:
            self._kept[host, port] = session
            if len(self._kept) > _MOST_SESSIONS:
                self._kept.pop(next(iter(self._kept)), None)


class Tls:
    """TLS over a wire; the host's name is checked by `context`."""

    def __init__(self, wire: Wire, context: ssl.SSLContext, host: str, port: int, sessions: Sessions) -> None:
        self._wire = wire
        self._peer, self._sessions = (host, port), sessions
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = sessions.get(host, port)
        self._tls = context.wrap_bio(self._in, self._out, server_hostname=host, session=session)
        self._more = False  # whether a record was read in part

    @property
    def arrival(self) -> Arrival:
        """When the last bytes came, on the wire below."""
        return self._wire.arrival

    def handshake(self, deadline: Deadline) -> None:
        """Raises ssl.SSLError (certificates included) and what waits raise."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush(deadline)
                self._feed(self._wire.receive(deadline))
            except ssl.SSLError:  # some servers stumble over a session that they gave out themselves
                self._sessions.forget(*self._peer)
                raise
            else:
                self._flush(deadline)
                return

    def send(self, data: bytes, deadline: Deadline) -> Instant:
        self._tls.write(data)
        return self._wire.send(self._out.read(), deadline)

    def receive(self, deadline: Deadline) -> bytes:
        while (data := self._read()) is None:
            self._flush(deadline)
            self._feed(self._wire.receive(deadline))
        return data

    def _read(self) -> bytes | None:
        """What came in whole records, None if there is none: then OpenSSL is not even asked."""
        if not (self._more or self._in.pending or self._in.eof):
            return None
        try:
            data = self._tls.read(_RECEIVE_BYTES)
        except ssl.SSLWantReadError:
            self._more = False
            return None
        self._more = len(data) == _RECEIVE_BYTES
        return data

    def is_quiet(self) -> bool:
        """Session tickets may come at any time and are no answer; a record may have been read before."""
        for _ in range(_MOST_UNASKED):
            try:
                if self._read() is not None:
                    return False
            except ssl.SSLError:
                return False
            data = self._wire.take_waiting()
            if data is None:
                return True
            self._feed(data)
        return False

    def _feed(self, data: bytes) -> None:
        if data:
            self._in.write(data)
        else:
            self._in.write_eof()

    def _flush(self, deadline: Deadline) -> None:
        if self._out.pending:
            self._wire.send(self._out.read(), deadline)

    def close(self) -> None:
        if (
            self._tls.version()
        ):  # a ticket may have come with any reply, and none before the handshake was done
            self._sessions.keep(*self._peer, self._tls.session)
        self._wire.close()

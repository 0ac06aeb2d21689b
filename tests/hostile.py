"""Bots that do everything wrong, for tests: raw sockets on loopback, each with a name and the fault it is.

    with hostile("header drip") as bot:
        ...  # bot.url, bot.requests

`BEHAVIOURS` lists them all, and who notices the fault: the client (HTTP), the reader of replies (JSON) or the
referee (rules).
"""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engines.protocol import FaultReason

GOOD = b'{"move":"c1N"}'
DRIP_S = 0.03
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset


@dataclass
class Visit:
    """One connection to a hostile bot. `number` counts its connections from 0."""

    sock: socket.socket
    number: int
    stopped: threading.Event
    requests: list[bytes]
    _rest: bytes = b""

    def read(self) -> bytes | None:
        """The body of the next request, None if the client hung up."""
        data = self._rest
        while b"\r\n\r\n" not in data:
            if not (piece := self.sock.recv(65536)):
                return None
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(body) < length:
            if not (piece := self.sock.recv(65536)):
                return None
            body += piece
        self._rest = body[length:]
        self.requests.append(body[:length])
        return body[:length]

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def drip(self, data: bytes, pause_s: float = DRIP_S) -> None:
        """One byte at a time."""
        for byte in data:
            self.send(bytes([byte]))
            self.wait(pause_s)

    def wait(self, seconds: float) -> None:
        """Pause; ends the visit when the bot is stopped."""
        if self.stopped.wait(seconds):
            raise ConnectionAbortedError

    def forever(self, data: Iterator[bytes], pause_s: float = 0.0) -> None:
        for piece in data:
            self.send(piece)
            self.wait(pause_s)

    def reset(self) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.sock.close()

    def until_hung_up(self) -> None:
        while self.sock.recv(65536):
            pass


def reply(body: bytes = GOOD, status: str = "200 OK", *headers: str) -> bytes:
    """A whole reply with its length."""
    return head(status, f"Content-Length: {len(body)}", *headers) + body


def head(status: str, *headers: str) -> bytes:
    return ("\r\n".join([f"HTTP/1.1 {status}", *headers]) + "\r\n\r\n").encode("latin-1")


Act = Callable[[Visit], None]


@dataclass(frozen=True)
class Behaviour:
    """What a hostile bot does, the fault it is (None: none at all) and who notices it."""

    name: str
    act: Act
    reason: FaultReason | None
    noticed_by: str = "client"


BEHAVIOURS: dict[str, Behaviour] = {}
TIMEOUT, UNREACHABLE, HTTP_ERROR = FaultReason.TIMEOUT, FaultReason.UNREACHABLE, FaultReason.HTTP_ERROR
TOO_LARGE, MALFORMED, ILLEGAL = FaultReason.TOO_LARGE, FaultReason.MALFORMED_REPLY, FaultReason.ILLEGAL_MOVE


def _behaves(name: str, reason: FaultReason | None, noticed_by: str = "client") -> Callable[[Act], Act]:
    def add(act: Act) -> Act:
        BEHAVIOURS[name] = Behaviour(name, act, reason, noticed_by)
        return act

    return add


def _answers(name: str, reason: FaultReason | None, data: bytes, noticed_by: str = "client") -> None:
    """A bot that answers every request with `data` and closes."""

    def act(visit: Visit) -> None:
        visit.read()
        visit.send(data)

    _behaves(name, reason, noticed_by)(act)


def _streams(name: str, reason: FaultReason, start: bytes, piece: bytes, pause_s: float = 0.0) -> None:
    """A bot that sends `start`, and then `piece` for ever."""

    def act(visit: Visit) -> None:
        visit.read()
        visit.send(start)
        visit.forever(itertools.repeat(piece), pause_s)

    _behaves(name, reason)(act)


# Slow


@_behaves("header drip", TIMEOUT)
def _header_drip(visit: Visit) -> None:
    visit.read()
    visit.drip(reply() * 10)


@_behaves("body drip", TIMEOUT)
def _body_drip(visit: Visit) -> None:
    visit.read()
    visit.send(head("200 OK", "Content-Length: 1000"))
    visit.drip(b" " * 1000)


_CHUNKED = head("200 OK", "Transfer-Encoding: chunked")
_streams("chunk drip", TIMEOUT, _CHUNKED, b"1\r\n \r\n", DRIP_S)
_streams("slow 100-Continue", TIMEOUT, b"", head("100 Continue"), DRIP_S)
_streams("drip without a length", TIMEOUT, head("200 OK"), b" ", DRIP_S)
_streams("early hints, then nothing", TIMEOUT, head("103 Early Hints", "Link: </x>"), b"", 0.05)


@_behaves("stall", TIMEOUT)
def _stall(visit: Visit) -> None:
    visit.read()
    visit.until_hung_up()


@_behaves("never reads", TIMEOUT)
def _never_reads(visit: Visit) -> None:
    visit.wait(3600)


# Large

_streams("endless 100-Continue", TOO_LARGE, b"", head("100 Continue"))
_streams("endless headers", TOO_LARGE, b"HTTP/1.1 200 OK\r\n", b"X-More: and more\r\n")
_streams("endless header line", TOO_LARGE, b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 1000)
_streams("endless body", TOO_LARGE, head("200 OK"), b" " * 65536)
_streams("endless chunks", TOO_LARGE, _CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n")
_streams("endless chunks of a byte", TOO_LARGE, _CHUNKED, b"1\r\n \r\n" * 1000)
_streams("endless chunk extension", TOO_LARGE, _CHUNKED + b"1;", b"x=y;" * 100)
_streams("endless trailers", TOO_LARGE, _CHUNKED + b"0\r\n", b"X-More: and more\r\n")
_streams("huge chunk", TOO_LARGE, _CHUNKED + b"fffffffffffffff\r\n", b" " * 65536)
_answers("lying Content-Length", TOO_LARGE, head("200 OK", "Content-Length: 1000000000000") + GOOD)
_answers("endless Content-Length", TOO_LARGE, head("200 OK", "Content-Length: " + "9" * 5000) + GOOD)

# Wrong HTTP

_answers("too short", MALFORMED, head("200 OK", "Content-Length: 100") + GOOD)
_answers("too long", MALFORMED, head("200 OK", "Content-Length: 8") + GOOD, "reader")
_answers("HTTP/0.9", MALFORMED, GOOD)
_answers("garbage", MALFORMED, bytes(range(256)))
_answers("HTTP/2", MALFORMED, bytes.fromhex("000012040000000000000300000064"))
_answers("status 999", MALFORMED, reply(GOOD, "999 What"))
_answers("two lengths", MALFORMED, head("200 OK", "Content-Length: 14", "Content-Length: 15") + GOOD)
_answers("negative length", MALFORMED, head("200 OK", "Content-Length: -1") + GOOD)
_answers("length and chunks", MALFORMED, reply(GOOD, "200 OK", "Transfer-Encoding: chunked"))
_answers("chunk longer than its size", MALFORMED, _CHUNKED + b"4\r\n" + GOOD + b"\r\n0\r\n\r\n")
_answers("chunk size in words", MALFORMED, _CHUNKED + b"four\r\n")
_answers("folded header", MALFORMED, reply(GOOD, "200 OK", "X-Folded: a\r\n b"))
_answers("NUL in a header", MALFORMED, reply(GOOD, "200 OK", "X-Nul: \0"))
_answers("gzip bomb", MALFORMED, reply(gzip.compress(bytes(20_000_000)), "200 OK", "Content-Encoding: gzip"))
_answers("gzip transfer", MALFORMED, head("200 OK", "Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n")
_answers("upgrade", HTTP_ERROR, head("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"))

# Statuses

_answers("204", HTTP_ERROR, head("204 No Content"))
_answers("404", HTTP_ERROR, reply(b"no such page", "404 Not Found"))
_answers("410", HTTP_ERROR, reply(b"", "410 Gone"))
_answers("500", HTTP_ERROR, reply(b"Traceback (most recent call last):", "500 Internal Server Error"))
_answers("redirect to file:", HTTP_ERROR, reply(b"", "302 Found", "Location: file:///etc/passwd"))
_streams("404 with an endless body", HTTP_ERROR, head("404 Not Found"), b"no " * 1000)
_streams("500 with a drip", HTTP_ERROR, head("500 Oh", "Content-Length: 1000"), b"x", DRIP_S)


@_behaves("redirect to loopback", HTTP_ERROR)
def _redirect(visit: Visit) -> None:
    visit.read()
    port = visit.sock.getsockname()[1]
    visit.send(reply(b"", "307 Temporary Redirect", f"Location: http://127.0.0.1:{port}/inside"))


# Broken off


@_behaves("reset at every byte", UNREACHABLE)
def _reset_at(visit: Visit) -> None:
    visit.read()
    visit.send(reply()[: visit.number])
    visit.wait(0.01)
    visit.reset()


@_behaves("hangs up at once", UNREACHABLE)
def _hang_up(visit: Visit) -> None:
    visit.reset()


@_behaves("hangs up after the request", UNREACHABLE)
def _hang_up_later(visit: Visit) -> None:
    visit.read()


# Wrong JSON

_answers("HTML", MALFORMED, reply(b"<!doctype html><title>Welcome to nginx!</title>"), "reader")
_answers("BOM", MALFORMED, reply(b"\xef\xbb\xbf" + GOOD), "reader")
_answers("NaN", MALFORMED, reply(b'{"move":NaN}'), "reader")
_answers("duplicate keys", MALFORMED, reply(b'{"move":"c1N","move":"c1S"}'), "reader")
_answers("a number of 10 000 digits", MALFORMED, reply(b'{"move":' + b"1" * 10_000 + b"}"), "reader")
_answers("nesting of 10 000", MALFORMED, reply(b'{"move":' + b"[" * 10_000 + b"]" * 10_000 + b"}"), "reader")
_answers("not UTF-8", MALFORMED, reply(b'{"move":"\xff"}'), "reader")
_answers("empty body", MALFORMED, reply(b""), "reader")

# Wrong moves

_answers("an illegal move", ILLEGAL, reply(b'{"move":"z9Q"}'), "referee")


@_behaves("another seat's move", ILLEGAL, "referee")
def _others_move(visit: Visit) -> None:
    """Repeats the last move of somebody else; plays the first legal one while there is none."""
    while (body := visit.read()) is not None:
        request = json.loads(body)
        others = [ply["move"] for ply in request.get("history", []) if ply["seat"] != request["seat"]]
        visit.send(reply(json.dumps({"move": (others or request.get("legal_moves", [""]))[-1]}).encode()))


@_behaves("last turn's move", ILLEGAL, "referee")
def _last_move(visit: Visit) -> None:
    """Plays the first legal move it is offered, and then that move again and again."""
    first = None
    while (body := visit.read()) is not None:
        first = first or json.loads(body).get("legal_moves", [None])[0]
        visit.send(reply(json.dumps({"move": first}).encode()))


# Odd, but no fault


@_behaves("two replies", None)
def _two_replies(visit: Visit) -> None:
    while visit.read() is not None:
        visit.send(reply() + reply(b'{"move":"stale"}'))


@_behaves("a second reply a little later", None)
def _late_second(visit: Visit) -> None:
    while visit.read() is not None:
        visit.send(reply())
        visit.wait(0.005)
        visit.send(reply(b'{"move":"stale"}'))


@_behaves("a reply before the request is read", None)
def _early_reply(visit: Visit) -> None:
    visit.send(reply())
    visit.until_hung_up()


@_behaves("keep-alive that dies between turns", None)
def _dies_between(visit: Visit) -> None:
    visit.read()
    visit.send(reply())
    visit.reset()


@_behaves("keep-alive that dies as the next request comes", None)
def _dies_on_request(visit: Visit) -> None:
    visit.read()
    visit.send(reply())
    visit.sock.recv(1)
    visit.reset()


@dataclass
class HostileBot:
    """A running bot; `requests` are the bodies it has read. `url` is right for IPv4."""

    act: Act
    port: int
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/bot"


@contextlib.contextmanager
def hostile(name: str) -> Iterator[HostileBot]:
    """Run the bot of that name until the block ends."""
    with serving(BEHAVIOURS[name].act) as bot:
        yield bot


@contextlib.contextmanager
def serving(act: Act, host: str = "127.0.0.1") -> Iterator[HostileBot]:
    """Run a bot that does `act` with every connection."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family, backlog=256) as listener:
        bot = HostileBot(act, listener.getsockname()[1])
        stopped = threading.Event()
        visits: list[tuple[threading.Thread, Visit]] = []
        accepting = threading.Thread(target=_accept, args=(listener, bot, stopped, visits))
        accepting.start()
        try:
            yield bot
        finally:
            stopped.set()
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread, visit in visits:
                with contextlib.suppress(OSError):
                    visit.sock.shutdown(socket.SHUT_RDWR)
                thread.join()


def _accept(
    listener: socket.socket,
    bot: HostileBot,
    stopped: threading.Event,
    visits: list[tuple[threading.Thread, Visit]],
) -> None:
    while not stopped.is_set():
        try:
            sock, _ = listener.accept()
        except OSError:  # the bot was stopped
            return
        visit = Visit(sock, bot.connections, stopped, bot.requests)
        bot.connections += 1
        thread = threading.Thread(target=_serve, args=(bot.act, visit))
        visits.append((thread, visit))
        thread.start()


def _serve(act: Act, visit: Visit) -> None:
    visit.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with visit.sock, contextlib.suppress(OSError):  # the client hung up, or the bot was stopped
        act(visit)
        visit.sock.shutdown(socket.SHUT_WR)
        visit.until_hung_up()

"""HTTP/1.1 as far as a bot's reply needs it (RFC 9110, RFC 9112), without any I/O.

A reply is read by a generator: it takes the bytes as they come, an empty piece at the end of the stream, and
returns once the reply is complete. Everything is bounded; what is ambiguous is refused, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

from engines.protocol import MAX_REPLY_BYTES
from service.endpoint import Endpoint
from workers.bot_client.errors import Malformed, TooLarge
from workers.bot_client.receipts import MAX_EVIDENCE, Answer

MAX_HEAD = 16 * 1024  # bytes of all heads together, interim replies included
MAX_FRAMING = 64 * 1024  # bytes of chunk sizes, chunk extensions and trailers together
MAX_LINE = 4 * 1024  # bytes of one of them
_HEAD_END = re.compile(rb"\n\r?\n")
_LINE_END = re.compile(rb"\r?\n")
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9][0-9])(?: [^\r\n\0]*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n\0]*)")
_HEAD = re.compile(rb"%b((?:\r?\n%b)*)" % (_STATUS.pattern, _HEADER.pattern.replace(b"([", b"(?:[")))
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\0]*)?\Z")
_BEGINS = b"HTTP/1."

Reading = Generator[None, bytes, None]


@dataclass(slots=True)
class Reply:
    """A reply as far as it has come: `status` is 0 until the head is complete."""

    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    fields: dict[str, list[str]] = field(default_factory=dict)  # the headers by name in lower case
    body: bytearray = field(default_factory=bytearray)
    length: int | None = None  # as the head announces it
    begun: bool = False  # whether a single byte has come
    kept: bool = False  # whether the connection may carry another exchange
    surplus: bytes = b""  # what came behind the reply, unasked

    def values(self, name: str) -> list[str]:
        """The values of every header `name` (lower case)."""
        return self.fields.get(name, [])

    def answer(self) -> Answer:
        """What is kept of it in a receipt."""
        return Answer(self.status, tuple(self.headers), bytes(self.body[:MAX_EVIDENCE]))


def request_head(endpoint: Endpoint, target: str, extra: Mapping[str, str]) -> bytes:
    """The part of every request to `endpoint` that never changes, up to the length."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in extra.items())
    return (
        f"POST {target} HTTP/1.1\r\nHost: {endpoint.authority}\r\nUser-Agent: Arbiter/1\r\n{lines}"
        "Accept: application/json\r\nAccept-Encoding: identity\r\nContent-Length: "
    ).encode("ascii")


def request(head: bytes, body: bytes, headers: Mapping[str, str]) -> bytes:
    """A whole request, for one write."""
    lines = "".join(f"\r\n{name}: {value}" for name, value in headers.items())
    if lines.count("\n") != len(headers) or lines.count("\r") != len(headers):
        raise ValueError("a header holds a line break")
    return b"%b%d%b\r\n\r\n%b" % (head, len(body), lines.encode("ascii"), body)


def read_reply(reply: Reply) -> Reading:
    """Fill `reply` from the bytes sent in; raises Malformed, TooLarge."""
    buffer = bytearray()
    version = yield from _read_final_head(buffer, reply)
    yield from _read_body(buffer, reply, version)
    connection = {token.strip().lower() for v in reply.values("connection") for token in v.split(",")}
    persistent = "close" not in connection if version else "keep-alive" in connection
    reply.kept = reply.kept and persistent and not buffer
    reply.surplus = bytes(buffer[:MAX_EVIDENCE])


def read_head(reply: Reply) -> Reading:
    """Fill the status and headers of `reply` only: the answer to CONNECT."""
    yield from _read_final_head(bytearray(), reply)


def _read_final_head(buffer: bytearray, reply: Reply) -> Generator[None, bytes, int]:
    """Skip interim replies (RFC 9110, 15.2); returns the minor version. 101 is final: it ends HTTP."""
    room = MAX_HEAD
    while True:
        head = yield from _take_head(buffer, reply, room)
        room -= len(head)
        version, status, headers = _parse_head(head)
        if status >= 200 or status == 101:
            reply.status, reply.headers = status, headers
            for name, value in headers:
                reply.fields.setdefault(name.lower(), []).append(value)
            return version


def _take_head(buffer: bytearray, reply: Reply, room: int) -> Generator[None, bytes, bytes]:
    scanned = 0
    while not (end := _HEAD_END.search(buffer, scanned)) and len(buffer) <= room:
        scanned = max(0, len(buffer) - 3)
        yield from _more(buffer, reply, "before its head was complete")
        if not buffer.startswith(_BEGINS[: len(buffer)]):
            raise Malformed(f"the reply begins {_show(buffer)}; a status line of HTTP/1.1 is expected")
    if end is None or end.end() > room:
        raise TooLarge(f"the reply has more than {MAX_HEAD} bytes of headers")
    head = bytes(buffer[: end.start()]).removesuffix(b"\r")
    del buffer[: end.end()]
    return head


def _more(buffer: bytearray, reply: Reply, where: str) -> Reading:
    piece = yield
    if not piece:
        raise Malformed(f"the connection was closed {where}")
    reply.begun = True
    buffer += piece


def _parse_head(head: bytes) -> tuple[int, int, list[tuple[str, str]]]:
    found = _HEAD.fullmatch(head)
    if found is None:
        raise Malformed(_what_is_wrong(head))
    pairs = (line.partition(":") for line in found[3].decode("latin-1").split("\n")[1:])
    return int(found[1]), int(found[2]), [(name, value.strip(" \t\r")) for name, _, value in pairs]


def _what_is_wrong(head: bytes) -> str:
    first, *lines = _LINE_END.split(head)
    if not _STATUS.fullmatch(first):
        return f"the reply begins {_show(first)}; a status line of HTTP/1.1 is expected"
    line = next(line for line in lines if not _HEADER.fullmatch(line))
    return f"the reply's header line {_show(line)} is not `name: value`"


def _read_body(buffer: bytearray, reply: Reply, version: int) -> Reading:
    if reply.status < 200 or reply.status in (204, 304):
        return
    if encodings := reply.values("content-encoding"):
        raise Malformed(f"the reply has Content-Encoding {encodings[0]!r}; none is accepted")
    codings = reply.values("transfer-encoding")
    reply.length = _length(reply.values("content-length"))
    if codings:
        if [c.lower() for c in codings] != ["chunked"] or not version or reply.length is not None:
            raise Malformed(f"the reply has Transfer-Encoding {codings[0]!r}; only chunked alone is accepted")
        yield from _read_chunks(buffer, reply)
    elif reply.length is not None:
        yield from _read_sized(buffer, reply, reply.length, "body")
    else:
        yield from _read_to_end(buffer, reply)
        return
    reply.kept = True


def _length(values: list[str]) -> int | None:
    if not values:
        return None
    value = values[0]
    if any(v != value for v in values) or not (value.isascii() and value.isdigit()):
        raise Malformed(f"the reply has Content-Length {', '.join(values)!r}; one number is expected")
    if len(value) > 18 or int(value) > MAX_REPLY_BYTES:
        raise TooLarge(f"the reply has {value[:20]} bytes; at most {MAX_REPLY_BYTES} are accepted")
    return int(value)


def _check_size(size: int) -> None:
    if size > MAX_REPLY_BYTES:
        raise TooLarge(f"the reply has {size} bytes or more; at most {MAX_REPLY_BYTES} are accepted")


def _read_sized(buffer: bytearray, reply: Reply, size: int, what: str) -> Reading:
    """Move `size` bytes from the buffer to the body."""
    wanted = len(reply.body) + size
    while True:
        missing = wanted - len(reply.body)
        reply.body += buffer[:missing]
        del buffer[:missing]
        if len(reply.body) == wanted:
            return
        yield from _more(buffer, reply, f"after {len(reply.body)} of {wanted} bytes of its {what}")


def _read_to_end(buffer: bytearray, reply: Reply) -> Reading:
    """A reply without a length ends with its connection (RFC 9112, 6.3)."""
    piece = bytes(buffer)
    buffer.clear()
    while True:
        reply.body += piece
        _check_size(len(reply.body))
        piece = yield
        if not piece:
            return


def _read_chunks(buffer: bytearray, reply: Reply) -> Reading:
    """RFC 9112, 7.1."""
    room = MAX_FRAMING
    while True:
        line = yield from _take_line(buffer, reply, room)
        room -= len(line) + 4
        chunk = _CHUNK.match(line)
        if chunk is None:
            raise Malformed(f"the reply's chunk begins {_show(line)}; its size in hex is expected")
        size = int(chunk[1], 16)
        if not size:
            break
        _check_size(len(reply.body) + size)
        yield from _read_sized(buffer, reply, size, "chunks")
        if (yield from _take_line(buffer, reply, MAX_LINE)):
            raise Malformed(f"the reply's chunk is longer than its size, {size}, says")
    while line := (yield from _take_line(buffer, reply, room)):  # trailers are of no use
        room -= len(line) + 2


def _take_line(buffer: bytearray, reply: Reply, room: int) -> Generator[None, bytes, bytes]:
    room = min(room, MAX_LINE)
    while not (end := _LINE_END.search(buffer)) and len(buffer) <= room:
        yield from _more(buffer, reply, f"after {len(reply.body)} bytes of chunks")
    if end is None or end.start() > room:
        raise TooLarge("the reply's chunks have too long sizes, extensions or trailers")
    line = bytes(buffer[: end.start()])
    del buffer[: end.end()]
    return line


def _show(data: bytes | bytearray) -> str:
    text = bytes(data[:40]).decode("ascii", "backslashreplace")
    return repr(text + "…" if len(data) > 40 else text)

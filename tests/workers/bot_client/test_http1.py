"""Replies are read alike however their bytes are cut, and what is ambiguous is refused (RFC 9112)."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.endpoint import Endpoint
from workers.bot_client import Malformed, TooLarge
from workers.bot_client.http1 import MAX_HEAD, Reply, read_reply, request, request_head

OK = b"HTTP/1.1 200 OK\r\n"


def read(*pieces):
    """The reply after these pieces (an empty one ends the stream), and whether it is complete."""
    reply = Reply()
    reading = read_reply(reply)
    next(reading)
    for piece in pieces:
        try:
            reading.send(piece)
        except StopIteration:
            return reply, True
    return reply, False


COMPLETE = [
    (OK + b"Content-Length: 2\r\n\r\n{}", b"{}", True),
    (OK + b"content-length:2\r\n\r\n{}", b"{}", True),
    (OK + b"Content-Length: \t 2 \t\r\n\r\n{}", b"{}", True),
    (OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", b"{}", True),
    (OK + b"Content-Length: 0\r\n\r\n", b"", True),
    (OK + b"Content-Length: 2\r\nConnection: close\r\n\r\n{}", b"{}", False),
    (OK + b"Content-Length: 2\r\nConnection: x, Close\r\n\r\n{}", b"{}", False),
    (OK + b"Content-Length: 2\r\n\r\n{}HTTP/1.1 200", b"{}", False),
    (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", b"{}", False),
    (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}", b"{}", True),
    (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}", b"{}", True),
    (b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", b"{}", True),
    (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\n{}", b"{}", True),
    (b"HTTP/1.1 103 X\r\nLink: y\r\n\r\n" * 20 + OK + b"Content-Length: 2\r\n\r\n{}", b"{}", True),
    (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"{}", True),
    (OK + b"Transfer-Encoding: Chunked\r\n\r\n01\r\n{\r\n1;a=b\r\n}\r\n0;c\r\nX: y\r\n\r\n", b"{}", True),
    (OK + b"Transfer-Encoding: chunked\r\n\r\nA\n0123456789\n0\n\n", b"0123456789", True),
    (b"HTTP/1.1 204 No Content\r\n\r\n", b"", False),
    (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", b"", False),
    (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b"", False),
    (OK + b"Content-Length: 65536\r\n\r\n" + b" " * 65536, b" " * 65536, True),
]


@pytest.mark.parametrize(("data", "body", "kept"), COMPLETE)
def test_a_reply_is_complete_with_its_last_byte(data, body, kept):
    reply, complete = read(data)
    assert complete
    assert (reply.body, reply.kept) == (body, kept)


@pytest.mark.parametrize(("data", "body", "kept"), [case for case in COMPLETE if len(case[0]) < 1000])
def test_a_reply_is_read_alike_however_it_is_cut(data, body, kept):
    extra = data.rfind(b"HTTP/1.1 200") if body and data.endswith(b"200") else len(data)
    for cut in range(1, len(data)):
        reply, complete = read(data[:cut], data[cut:])
        assert (complete, bytes(reply.body), reply.kept) == (True, body, kept or cut == extra)
    reply, complete = read(*(data[i : i + 1] for i in range(len(data))))
    assert (complete, bytes(reply.body)) == (True, body)


def test_without_a_length_the_end_of_the_stream_ends_the_reply():
    reply, complete = read(OK + b"\r\n{", b"}", b"")
    assert (complete, reply.body, reply.kept) == (True, b"{}", False)


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1  200 OK\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.2 200 OK\r\n\r\n",
        b"http/1.1 200 OK\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"\r\n" + OK + b"\r\n",
        OK + b"No colon\r\n\r\n",
        OK + b"Space : before the colon\r\n\r\n",
        OK + b" Leading: space\r\n\r\n",
        OK + b": no name\r\n\r\n",
        OK + b"A: b\r\n c\r\n\r\n",
        OK + b"A: b\rC: d\r\n\r\n",
        OK + b"A: \x00\r\n\r\n",
        OK + b"Content-Length: +2\r\n\r\n{}",
        OK + b"Content-Length: 2, 2\r\n\r\n{}",
        OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        OK + b"Content-Length: \xb2\r\n\r\n{}",
        OK + b"Content-Length:\r\n\r\n{}",
        OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: identity\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n 2\r\n{}\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}}\r\n0\r\n\r\n",
        OK + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        OK + b"Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
        OK + b"Content-Encoding: br\r\n\r\n",
    ],
)
def test_what_is_no_reply_is_malformed(data):
    with pytest.raises(Malformed) as refused:
        read(data)
    assert refused.value.detail.startswith("the reply")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"HTTP/1.1 200 O", "before its head was complete"),
        (OK + b"Content-Length: 10\r\n\r\n{}", "after 2 of 10 bytes of its body"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n8\r\n{}", "after 2 of 8 bytes of its chunks"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "after 2 bytes of chunks"),
    ],
)
def test_a_reply_that_breaks_off_says_how_far_it_came(data, says):
    with pytest.raises(Malformed, match=says):
        read(data, b"")


@pytest.mark.parametrize(
    "data",
    [
        OK + b"Content-Length: 65537\r\n\r\n",
        OK + b"Content-Length: " + b"9" * 19 + b"\r\n\r\n",
        OK + b"\r\n" + b" " * 65537,
        OK + b"Transfer-Encoding: chunked\r\n\r\n10001\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 30_000,
        OK + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 5000,
        OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 20_000,
        OK + b"X: " + b"y" * MAX_HEAD,
        OK + b"X: " + b"y" * MAX_HEAD + b"\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1000,
    ],
)
def test_what_is_too_large_is_refused_before_it_has_come(data):
    with pytest.raises(TooLarge):
        read(data)


def test_headers_that_are_hard_to_match_are_matched_at_once():
    blanks = OK + b"X:" + b" " * (MAX_HEAD - 100) + b"\x00\r\n\r\n"
    with pytest.raises(Malformed):
        read(blanks)


def test_a_request_is_one_piece_with_its_length():
    endpoint = Endpoint.parse("http://bot.example:8080/move?a=b")
    sent = request(request_head(endpoint, endpoint.target, {}), b'{"turn":0}', {"webhook-id": "m_1:0:1"})
    head, _, body = sent.partition(b"\r\n\r\n")
    assert body == b'{"turn":0}'
    assert head.decode().split("\r\n") == [
        "POST /move?a=b HTTP/1.1",
        "Host: bot.example:8080",
        "User-Agent: Arbiter/1",
        "Accept: application/json",
        "Accept-Encoding: identity",
        "Content-Length: 10",
        "webhook-id: m_1:0:1",
    ]


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\nX: y", "a\r"])
def test_a_header_cannot_smuggle_another(value):
    with pytest.raises(ValueError, match="line break"):
        request(b"", b"", {"webhook-id": value})


TOKENS = [
    b"HTTP/1.1 200 OK",
    b"\r\n",
    b"\n",
    b"Content-Length: 2",
    b"Transfer-Encoding: chunked",
    b"{}",
    b"2",
    b"0",
]


@given(st.lists(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=4)), max_size=12), st.booleans())
def test_any_bytes_are_a_reply_a_fault_or_wait_for_more(pieces, ended):
    pieces = [piece for piece in pieces if piece] + [b""] * ended
    with contextlib.suppress(Malformed, TooLarge):
        _, complete = read(*pieces)
        assert complete or not ended

"""What a bot sends although nothing is asked: before a request, behind a reply, never."""

from __future__ import annotations

import contextlib

import pytest

from tests.clockwork import loopback_network, server_context
from tests.hostile import head, hostile, reply, serving
from workers.bot_client import Endpoint, Line

SECOND = 1_000_000
WAIT_US = 60_000


@contextlib.contextmanager
def line_to(url, network):
    line = Line(Endpoint.parse(url), network)
    try:
        yield line
    finally:
        line.close()


def quiet(visit):
    while visit.read() is not None:
        visit.send(reply())


def last(visit):
    visit.read()
    visit.send(reply(b"{}", "200 OK", "Connection: close"))


@pytest.mark.parametrize(
    ("name", "before", "behind"),
    [
        ("two replies", None, b"stale"),
        ("a second reply a little later", None, b"stale"),
        ("a reply before the request is read", b"200 OK", None),
        ("keep-alive that dies between turns", None, b""),
    ],
)
def test_it_is_heard_before_and_behind(network, name, before, behind):
    with hostile(name) as bot:
        with line_to(bot.url, network) as line:
            early = line.unasked(WAIT_US)
        assert early == before or (before and before in early)
        if before is None:
            with line_to(bot.url, network) as line:
                line.post(b"{}", {}, SECOND)
                late = line.unasked(WAIT_US)
            assert late == behind or (behind and behind in late)


def without_length(visit):
    visit.read()
    visit.send(head("200 OK") + b"{}")


@pytest.mark.parametrize(("act", "heard"), [(quiet, None), (last, b""), (without_length, b"")])
def test_silence_is_none_and_an_end_is_empty(network, act, heard):
    with serving(act) as bot, line_to(bot.url, network) as line:
        line.post(b"{}", {}, SECOND)
        assert line.unasked(WAIT_US) == heard


def test_session_tickets_are_no_answer():
    """TLS 1.3 sends them when the handshake is over."""

    def act(visit):
        with server_context().wrap_socket(visit.sock, server_side=True) as tls:
            tls.recv(1)

    with serving(act) as bot, line_to(f"https://localhost:{bot.port}/", loopback_network()) as line:
        assert line.unasked(WAIT_US) is None

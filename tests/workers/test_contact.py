"""What everybody reads of a bot that fails, and what its owner alone."""

from __future__ import annotations

import socket

import pytest

from engines.clock import PRESETS, Clock, Control
from engines.messages import SeatMessages
from engines.referee import Fault, Turn
from engines.registry import GAMES
from service.store.bots import new_secret
from tests.clockwork import loopback_network, server_context
from tests.hostile import reply, serving
from tests.workers.bot_client.test_exchange import closed_port
from workers.bot_client import Endpoint, Guard, Line, Network
from workers.bot_client.resolver import Resolver
from workers.contact import START_TRIES, Contact

QUIXO = GAMES["quixo"]
LATE = "looking up the bot's name took longer"  # the last of many tries may have little time left
HEADER = {"clock": PRESETS["bullet"].to_json(), "players": [], "commitment": ""}
LOST = "HTTP/1.1 302 Found\r\nLocation: http://secret.example/\r\nContent-Length: 0\r\n\r\n"


def contact_to(url: str, network: Network) -> Contact:
    seat = SeatMessages("m_1", "quixo", {}, 0, None)
    return Contact(seat, Line(Endpoint.parse(url), network), (new_secret(),), lambda: 0)


def asked(url: str, network: Network) -> Fault:
    """The fault that comes of one turn."""
    state = QUIXO.start(2, QUIXO.full_options({}), bytes(32))
    turn = Turn(0, 0, state, ("B",), Clock.start(Control("per_move", base_ms=800), 2), (), ())
    contact = contact_to(url, network)
    found = contact.ask(turn, 1)
    contact.line.close()
    assert isinstance(found, Fault)
    return found


def unknown(*_: object, **__: object) -> list[object]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def test_a_refused_connection_is_told_without_the_address():
    with closed_port() as port:
        fault = asked(f"http://127.0.0.1:{port}/", loopback_network())
    assert fault.detail.startswith(("the bot could not be reached: ", LATE))
    assert "127.0.0.1" not in fault.detail
    assert "127.0.0.1" in fault.receipt["detail"]


@pytest.mark.parametrize(
    ("url", "network", "public", "names"),
    [
        (
            "http://secret.test/",
            Network(Guard.of(), Resolver(unknown)),
            "the bot's name cannot be looked up: Name or service not known",
            "secret.test",
        ),
        ("http://10.1.2.3/", Network(Guard.of()), "the bot's address is one that", "10.1.2.3"),
        ("http://127.0.0.1:22/", loopback_network(), "the bot's address is one that", "port 22"),
    ],
    ids=["name", "network", "port"],
)
def test_what_is_not_called_is_told_without_the_address(url, network, public, names):
    fault = asked(url, network)
    assert fault.detail.startswith((public, LATE))
    assert names not in fault.detail
    assert names in fault.receipt["detail"]


def test_a_wrong_certificate_is_told_without_the_host():
    def close(visit):
        server_context().wrap_socket(visit.sock, server_side=True).close()

    with serving(close) as bot:
        found = [(socket.AF_INET, 1, 6, "", ("127.0.0.1", bot.port))]
        lying = Network(Guard.of(["127.0.0.0/8"]), Resolver(lambda *_, **__: found), loopback_network().tls)
        fault = asked(f"https://secret.test:{bot.port}/", lying)
    assert fault.detail == "the TLS handshake with the bot failed: its certificate is not accepted"
    assert "secret.test" in fault.receipt["detail"]


def test_where_a_bot_sends_us_is_told_to_its_owner_only():
    with serving(lambda visit: (visit.sock.recv(9999), visit.send(LOST.encode()))) as bot:
        fault = asked(f"http://127.0.0.1:{bot.port}/", loopback_network())
    assert fault.detail == "the bot answered with status 302; 200 is expected"
    assert "secret.example" in fault.receipt["detail"]


def test_what_names_no_address_stands_in_the_event_alone():
    with serving(lambda visit: (visit.sock.recv(9999), visit.send(reply(b"", "404 Not Found")))) as bot:
        fault = asked(f"http://127.0.0.1:{bot.port}/", loopback_network())
    assert fault.detail == "the bot answered with status 404; 200 is expected"
    assert "detail" not in fault.receipt


def test_why_a_bot_does_not_come_is_told_without_the_address():
    with closed_port() as port:
        contact = contact_to(f"http://127.0.0.1:{port}/", loopback_network())
        assert contact.start(HEADER, lambda _: None) is None
    assert contact.absence == "the bot could not be reached: connection refused"


def test_a_bot_that_is_being_started_again_has_twenty_seconds_to_be_there():
    """PROTOCOL, `start`: three tries. One that cannot be reached is not given up within a moment."""
    waited: list[float] = []
    with closed_port() as port:
        contact = contact_to(f"http://127.0.0.1:{port}/", loopback_network())

        def pause(seconds: float) -> None:
            waited.append(seconds)

        assert contact.start(HEADER, pause) is None
    assert len(waited) == START_TRIES - 1
    assert sum(waited) >= 20


def test_a_bot_that_is_there_at_the_last_try_has_come():
    answers = [
        reply(b"", "503 Service Unavailable"),
        reply(b"", "502 Bad Gateway"),
        reply(b'{"nonce": "ab"}'),
    ]
    ids: list[str] = []

    def act(visit):
        ids.append(
            next(line for line in visit.sock.recv(9999).split(b"\r\n") if b"webhook-id" in line.lower())
        )
        visit.send(answers.pop(0))

    with serving(act) as bot:
        assert (
            contact_to(f"http://127.0.0.1:{bot.port}/", loopback_network()).start(HEADER, lambda _: None)
            == "ab"
        )
    assert [i.rsplit(b":", 1)[1] for i in ids] == [b"1", b"2", b"3"]

"""The guard: which addresses may be called, by any road."""

import contextlib
import ipaddress
import json
import random
import socket
import threading
from pathlib import Path

import pytest

from service.endpoint import BadUrl, Endpoint
from workers.bot_client import Blocked, BotFault, Guard, Line, Network, Resolver

CASES = json.loads((Path(__file__).parents[2] / "cases" / "addresses.json").read_text())


@pytest.mark.parametrize("address", CASES["not_public"])
def test_an_address_that_is_not_public_is_refused(address):
    with pytest.raises(Blocked):
        Guard.of().check(address)


@pytest.mark.parametrize("address", CASES["public"])
def test_a_public_address_is_allowed(address):
    Guard.of().check(address)


def test_operators_allow_networks_and_no_more():
    guard = Guard.of(["127.0.0.0/8", "fd00::/8"])
    for allowed in ("127.0.0.1", "::ffff:127.0.0.1", "fd00::1"):
        guard.check(allowed)
    for refused in ("10.0.0.1", "::1", "fe80::1", "2001:0:7f00:1:0:0:f5ff:fffe"):
        with pytest.raises(Blocked):
            guard.check(refused)


def test_this_machine_under_a_public_address_is_refused():
    Guard.of().check_peer("8.8.4.4", "8.8.8.8")
    with pytest.raises(Blocked):
        Guard.of().check_peer("8.8.8.8", "8.8.8.8")
    Guard.of(["8.8.8.8"]).check_peer("8.8.8.8", "8.8.8.8")


@pytest.mark.parametrize(
    ("port", "allowed"), [(80, 1), (443, 1), (1024, 1), (65535, 1), (22, 0), (25, 0), (81, 0)]
)
def test_ports(port, allowed):
    with contextlib.nullcontext() if allowed else pytest.raises(Blocked, match="80, 443, 1024–65535"):
        Guard.of().check_port(port)


@contextlib.contextmanager
def listening(*hosts):
    """A port on which every connection to one of `hosts` is counted, by host, and answered."""
    hits = dict.fromkeys(hosts, 0)
    port = 0
    with contextlib.ExitStack() as stack:
        for host in hosts:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            server = stack.enter_context(socket.create_server((host, port), family=family, backlog=128))
            port = server.getsockname()[1]
            thread = threading.Thread(target=_count, args=(server, host, hits))
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown, socket.SHUT_RDWR)
        yield port, hits


def _count(server, host, hits):
    while True:
        try:
            sock, _ = server.accept()
        except OSError:  # the test is over
            return
        hits[host] += 1
        with sock:
            sock.recv(65536)
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")


def test_no_form_of_url_reaches_this_machine():
    forms = CASES["forms of this machine or its networks"]
    assert len(forms) >= 60
    network = Network(Guard.of())
    with listening("0.0.0.0", "::1") as (port, hits):
        for form in forms:
            with pytest.raises((BadUrl, BotFault)):
                Line(Endpoint.parse(f"http://{form}:{port}/"), network).post(b"{}", {}, 50_000)
        assert hits == {"0.0.0.0": 0, "::1": 0}
        allowed = Network(Guard.of(["127.0.0.0/8"]))
        Line(Endpoint.parse(f"http://127.1:{port}/"), allowed).post(b"{}", {}, 1_000_000)
        assert hits["0.0.0.0"] == 1  # the canary works


def infos(port, *addresses):
    return [
        (socket.AF_INET6 if ":" in a else socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port))
        for a in addresses
    ]


def rebinding(port, seed):
    """A name that leads to the bot (127.0.0.2), to what must not be called (127.0.0.1), or to both."""
    dice = random.Random(seed)
    answers = (["127.0.0.2"], ["127.0.0.1"], ["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "127.0.0.2"])
    return lambda *_, **__: infos(port, *dice.choice(answers))


def test_no_rebinding_name_leads_past_the_guard():
    with listening("127.0.0.2", "127.0.0.1") as (port, hits):
        resolver = Resolver(rebinding(port, seed=9), cache_s=0)
        network = Network(Guard.of(["127.0.0.2/32"]), resolver)
        blocked = 0
        for _ in range(1000):
            line = Line(Endpoint.parse(f"http://rebinding.test:{port}/"), network)
            try:
                line.post(b"{}", {}, 1_000_000, tries=1)
            except Blocked:
                blocked += 1
        assert hits == {"127.0.0.2": 1000 - blocked, "127.0.0.1": 0}
        assert 100 < blocked < 900


def test_an_environment_proxy_is_not_used(monkeypatch, network):
    with listening("127.0.0.1") as (port, hits), socket.create_server(("127.0.0.1", 0)) as bait:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{bait.getsockname()[1]}")
        Line(Endpoint.parse(f"http://127.0.0.1:{port}/"), network).post(b"{}", {}, 1_000_000)
        assert hits["127.0.0.1"] == 1


def test_every_special_network_of_the_registries_is_refused():
    guard = Guard.of()
    for number in range(256):
        first = ipaddress.IPv4Address(number << 24 | 5)
        if not first.is_global or number >= 224:
            with pytest.raises(Blocked):
                guard.check(str(first))

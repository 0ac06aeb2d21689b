"""Look-ups have a time limit, a short cache, and are shared."""

import socket
import threading
import time

import pytest

from workers.bot_client import Resolver, Starved, Unreachable
from workers.bot_client.clocks import Clocks, Deadline
from workers.bot_client.cut import Cut
from workers.bot_client.resolver import MAX_LOOKUPS


class Names:
    """A getaddrinfo that counts, and hangs until it is told to go on."""

    def __init__(self, hangs=False):
        self.asked = []
        self.go_on = threading.Event()
        if not hangs:
            self.go_on.set()

    def __call__(self, host, port, **_):
        self.asked.append(host.decode())
        self.go_on.wait(5)
        if host == b"unknown.test":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", port))] * 2


def within(ms):
    return Deadline(Clocks().now(), ms * 1000, Clocks())


def resolve(resolver, host="bot.test", ms=1000, cut=None):
    return resolver.resolve(host, 80, within(ms), cut or Cut())


def test_a_name_is_looked_up_once_while_its_answer_is_fresh():
    names, now = Names(), [0.0]
    resolver = Resolver(names, cache_s=30, monotonic=lambda: now[0])
    for now[0] in (0.0, 29.9):
        assert [address.sockaddr for address in resolve(resolver)] == [("192.0.2.1", 80)]
    assert len(names.asked) == 1
    now[0] = 30.1
    resolve(resolver)
    assert len(names.asked) == 2
    resolver.forget("bot.test", 80)
    resolve(resolver)
    assert len(names.asked) == 3


def test_an_unknown_name_is_unreachable_and_looked_up_again():
    names = Names()
    resolver = Resolver(names)
    for _ in range(2):
        with pytest.raises(
            Unreachable, match=r"unknown\.test cannot be looked up: Name or service not known"
        ):
            resolve(resolver, "unknown.test")
    assert len(names.asked) == 2


def test_a_look_up_that_hangs_ends_at_the_limit_and_is_shared():
    names = Names(hangs=True)
    resolver = Resolver(names)
    for _ in range(3):
        begun = time.monotonic()
        with pytest.raises(Unreachable, match=r"took longer than 0\.1 s"):
            resolve(resolver, ms=100)
        assert time.monotonic() - begun < 0.35
    assert len(names.asked) == 1
    names.go_on.set()
    assert resolve(resolver)


def test_hanging_look_ups_are_bounded_and_then_our_own_fault():
    names = Names(hangs=True)
    resolver = Resolver(names)
    for number in range(MAX_LOOKUPS):
        with pytest.raises(Unreachable):
            resolve(resolver, f"bot{number}.test", ms=1)
    with pytest.raises(Starved):
        resolve(resolver, "one-more.test")
    names.go_on.set()
    for _ in range(100):
        if threading.active_count() < MAX_LOOKUPS // 2:
            break
        time.sleep(0.02)
    assert resolve(resolver, "one-more.test")

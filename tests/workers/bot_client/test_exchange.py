"""Exchanges: keep-alive, retries within the clock, limits before it, aborting, receipts, TLS, a proxy."""

import contextlib
import resource
import socket
import ssl
import threading
import time

import pytest

from tests.clockwork import loopback_network, server_context, timed_bot
from tests.hostile import GOOD, head, hostile, reply, serving
from workers.bot_client import (
    Abandoned,
    Blocked,
    BotFault,
    Canary,
    Clocks,
    Endpoint,
    Guard,
    HttpError,
    Line,
    Malformed,
    Network,
    Proxy,
    Resolver,
    Starved,
    Timeout,
    Unreachable,
    canary_ok,
)
from workers.bot_client.clocks import Deadline
from workers.bot_client.cut import Cut
from workers.bot_client.dial import dial

SECOND = 1_000_000


def good(visit):
    while visit.read() is not None:
        visit.send(reply())


def post(url, network, limit_us=SECOND, **more):
    """One exchange on a line of its own."""
    line = Line(Endpoint.parse(url), network)
    try:
        return line.post(b"{}", {}, limit_us, **more)
    finally:
        line.close()


@contextlib.contextmanager
def closed_port():
    """A port on which connections are refused as long as the block lasts."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


@contextlib.contextmanager
def silent_port():
    """A port on which connecting takes for ever: its backlog is full."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        time.sleep(0.05)
        yield server.getsockname()[1]


# Connections


def test_turns_share_a_connection_until_the_line_is_closed(network):
    with serving(good) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        for _ in range(5):
            assert line.post(b"{}", {}, SECOND).body == GOOD
        assert bot.connections == 1
        line.close()
        line.post(b"{}", {}, SECOND)
        assert bot.connections == 2
        line.close()


def test_a_reply_that_closes_is_followed_by_a_new_connection(network):
    def close(visit):
        visit.read()
        visit.send(reply(GOOD, "200 OK", "Connection: close"))

    with serving(close) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        for turn in range(3):
            assert line.post(b"{}", {}, SECOND).receipt.attempts == 1
            assert bot.connections == turn + 1


def test_a_connection_that_was_idle_for_long_is_not_trusted(network):
    """Routers forget connections without a word; a new one is not charged."""
    offset_ns = 0
    clocks = Clocks(monotonic_ns=lambda: time.monotonic_ns() + offset_ns)
    with serving(good) as bot:
        line = Line(Endpoint.parse(bot.url), Network(network.guard, clocks=clocks))
        for idle_s, connections in ((0, 1), (29, 1), (31, 2), (0, 2)):
            offset_ns += idle_s * 1_000_000_000
            assert line.post(b"{}", {}, SECOND).receipt.attempts == 1
            assert bot.connections == connections
        line.close()


def test_a_request_of_the_largest_size_arrives(network):
    body = b" " * 256 * 1024

    def slow(visit):
        visit.wait(0.05)
        good(visit)

    with serving(slow) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        line.post(body, {}, SECOND)
        line.close()
    assert bot.requests == [body]


def test_ipv6(network):
    with serving(good, "::1") as bot:
        assert post(f"http://[::1]:{bot.port}/", network).body == GOOD


def test_the_next_address_is_tried(network):
    with serving(good) as bot:
        found = [(socket.AF_INET, 1, 6, "", (host, bot.port)) for host in ("127.0.0.3", "127.0.0.1")]
        several = Network(network.guard, Resolver(lambda *_, **__: found))
        assert post(f"http://bot.test:{bot.port}/", several).body == GOOD


# Retries


def failing(times, answer):
    """A bot that answers so for the first requests, and then well."""

    def act(visit):
        while visit.read() is not None:
            visit.send(answer if len(visit.requests) <= times else reply())

    return act


def test_5xx_is_retried_with_the_clock_running(network):
    with serving(failing(2, reply(b"", "503 Busy"))) as bot:
        exchange = post(bot.url, network, again=lambda n: (b"%d" % n, {}))
    assert bot.requests == [b"{}", b"2", b"3"]
    assert exchange.receipt.attempts == 3
    assert 150_000 <= exchange.receipt.charged_us <= 400_000  # the pauses: 50 and 100 ms


def test_a_bot_that_comes_back_is_reached(network):
    def come_back():
        server.listen()
        sock, _ = server.accept()
        with sock:
            sock.recv(65536)
            sock.sendall(reply())

    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        timer = threading.Timer(0.2, come_back)
        timer.start()
        exchange = post(f"http://127.0.0.1:{server.getsockname()[1]}/", network)
        timer.join()
    assert exchange.receipt.attempts >= 3
    assert exchange.receipt.charged_us >= 150_000


@pytest.mark.parametrize(("failing", "reason"), [(4, "http-error"), (1, "timeout")])
def test_a_last_try_cut_short_is_blamed_on_what_failed_before(failing, reason, network):
    """The attempts begin at 0, 50, 150 and 350 ms: with four failures the fifth has little time left."""
    answers = iter([reply(status="500 Broken")] * failing)

    def answer(visit):
        while visit.read() is not None:
            visit.send(next(answers, b""))  # then nothing

    with serving(answer) as bot, pytest.raises(BotFault) as fault:
        post(bot.url, network, 600_000)
    assert fault.value.reason == reason
    assert fault.value.receipt.attempts == failing + 1
    assert fault.value.receipt.charged_us >= 600_000
    if reason == "http-error":
        assert fault.value.receipt.answer.status == 500


def test_a_refused_connection_is_unreachable_however_long_it_is_retried(network):
    with closed_port() as port:
        begun = time.monotonic()
        with pytest.raises(Unreachable, match="connection refused") as fault:
            post(f"http://127.0.0.1:{port}/", network, SECOND // 2)
        assert time.monotonic() - begun <= 0.75
    assert 3 <= fault.value.receipt.attempts <= 8
    assert 250_000 <= fault.value.receipt.charged_us <= 500_000
    assert fault.value.receipt.answer is None


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"", "404 Not Found"),
        reply(b"", "302 Found"),
        reply(b"", "204 No Content"),
        b"garbage",
        head("200 OK", "Content-Length: 99999"),
    ],
)
def test_other_faults_are_not_retried(answer, network):
    with serving(failing(1, answer)) as bot, pytest.raises(BotFault) as fault:
        post(bot.url, network)
    assert len(bot.requests) == 1
    assert fault.value.receipt.attempts == 1


def test_the_caller_bounds_the_tries(network):
    with serving(failing(9, reply(b"", "503 Busy"))) as bot, pytest.raises(HttpError) as fault:
        post(bot.url, network, 5 * SECOND, tries=2)
    assert len(bot.requests) == fault.value.receipt.attempts == 2


def test_a_late_answer_is_a_timeout_and_is_not_retried(network):
    def late(visit):
        visit.read()
        visit.wait(0.3)
        visit.send(reply())

    with serving(late) as bot, pytest.raises(Timeout, match=r"no reply came within 0\.2 s") as fault:
        post(bot.url, network, SECOND // 5)
    assert len(bot.requests) == 1
    assert 200_000 < fault.value.receipt.charged_us <= 300_000


def test_hanging_up_gains_no_time_to_think(network):
    """The clock runs from the first delivery, although the connection was an old one."""

    def think_and_hang_up(visit):
        visit.read()
        if len(visit.requests) == 2:
            visit.wait(0.2)
            return
        visit.send(reply())
        if visit.number == 0:
            visit.read()
            visit.wait(0.2)

    with serving(think_and_hang_up) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        line.post(b"{}", {}, SECOND)
        receipt = line.post(b"{}", {}, SECOND).receipt
        line.close()
    assert receipt.attempts == 2
    assert receipt.charged_us >= 200_000


# Before the clock


def hanging(until):
    """A getaddrinfo that hangs until the event, and then finds nothing."""

    def look_up(*_, **__):
        until.wait(5)
        return []

    return look_up


def impatient(network):
    return Network(network.guard, tls=network.tls, setup_us=150_000)


def test_connecting_has_a_limit_of_its_own(network):
    with silent_port() as port:
        begun = time.monotonic()
        with pytest.raises(Unreachable, match="no connection within") as fault:
            post(f"http://127.0.0.1:{port}/", impatient(network), tries=1)
        assert 0.15 <= time.monotonic() - begun <= 0.4
    assert fault.value.receipt.charged_us == 0


def test_a_handshake_has_a_limit_of_its_own(network):
    with serving(lambda visit: visit.until_hung_up()) as bot:
        begun = time.monotonic()
        with pytest.raises(Unreachable, match="handshake with localhost failed: it was not complete in time"):
            post(f"https://localhost:{bot.port}/", impatient(network), tries=1)
        assert 0.15 <= time.monotonic() - begun <= 0.4


def test_a_look_up_has_a_limit_of_its_own(network):
    hung = threading.Event()
    slow = Network(network.guard, Resolver(hanging(hung)), setup_us=150_000)
    begun = time.monotonic()
    with pytest.raises(Unreachable, match=r"looking up bot\.test took longer than 0\.15 s"):
        post("http://bot.test:8000/", slow, tries=1)
    assert 0.15 <= time.monotonic() - begun <= 0.4
    hung.set()


def test_a_blocked_address_is_not_retried():
    begun = time.monotonic()
    with pytest.raises(Blocked) as fault:
        post("http://127.0.0.1:8000/", Network(Guard.of()), 5 * SECOND)
    assert time.monotonic() - begun < 0.5
    assert (fault.value.reason, fault.value.receipt.attempts) == ("unreachable", 1)


def test_running_out_of_descriptors_is_our_own_fault(network):
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    line = Line(Endpoint.parse("http://127.0.0.1:8000/"), network)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        with pytest.raises(Starved, match="Too many open files"):
            line.post(b"{}", {}, SECOND)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# Aborting


def waits_for_a_reply(visit):
    visit.read()
    visit.until_hung_up()


def abort_after(seconds, url, network):
    """How long after `abort` the exchange ended, in seconds."""
    line = Line(Endpoint.parse(url), network)
    aborted = []
    timer = threading.Timer(seconds, lambda: (aborted.append(time.monotonic()), line.abort()))
    timer.start()
    with pytest.raises(Abandoned):
        line.post(b"{}", {}, 10 * SECOND)
    ended = time.monotonic()
    timer.join()
    with pytest.raises(Abandoned):
        line.post(b"{}", {}, 10 * SECOND)
    return ended - aborted[0]


@pytest.mark.parametrize("scheme", ["http", "https"])  # https: in the handshake
def test_an_exchange_is_aborted_while_it_waits(scheme, network):
    with serving(waits_for_a_reply) as bot:
        assert abort_after(0.1, f"{scheme}://127.0.0.1:{bot.port}/", network) < 0.1


def test_an_exchange_is_aborted_under_tls():
    with timed_bot(tls=True) as url:
        line = Line(Endpoint.parse(url), loopback_network())
        threading.Timer(0.1, line.abort).start()
        with pytest.raises(Abandoned):
            line.post(b'{"think_us":5000000}', {}, 10 * SECOND)


def test_an_exchange_is_aborted_while_its_request_is_written(network):
    """What breaks then is no fault of the bot, also at the last try."""
    with hostile("never reads") as bot:
        line = Line(Endpoint.parse(bot.url), network)
        threading.Timer(0.1, line.abort).start()
        with pytest.raises(Abandoned):
            line.post(b" " * 50_000_000, {}, 10 * SECOND, tries=1)


def test_an_exchange_is_aborted_while_it_connects(network):
    with silent_port() as port:
        assert abort_after(0.1, f"http://127.0.0.1:{port}/", network) < 0.1


def test_an_exchange_is_aborted_between_tries(network):
    with closed_port() as port:
        assert abort_after(0.5, f"http://127.0.0.1:{port}/", network) < 0.1


def test_an_exchange_is_aborted_in_a_look_up(network):
    hung = threading.Event()
    slow = Network(network.guard, Resolver(hanging(hung)))
    assert abort_after(0.1, "http://bot.test:8000/", slow) < 0.1
    hung.set()


# Receipts


def test_a_fault_keeps_what_came(network):
    page = b"no such page \xff" + b"!" * 3000
    answers = failing(1, reply(page, "404 Not Found", "X-Served-By: a, b"))
    with serving(answers) as bot, pytest.raises(HttpError, match="status 404; 200 is expected") as fault:
        post(bot.url, network)
    receipt = fault.value.receipt.to_json()
    assert fault.value.status == receipt["status"] == 404
    assert receipt["headers"] == [["Content-Length", str(len(page))], ["X-Served-By", "a, b"]]
    assert receipt["body"] == "no such page \\xff" + "!" * 2034
    assert receipt["stamp"] == "kernel"


def test_a_redirect_says_where_to_and_is_not_followed(network):
    answer = reply(b"", "308 Permanent Redirect", "Location: https://elsewhere.example/")
    says = r"308 \(to 'https://elsewhere\.example/'; redirects are not"
    with serving(failing(1, answer)) as bot, pytest.raises(HttpError, match=says):
        post(bot.url, network)
    assert bot.connections == 1


def test_a_reply_found_wanting_later_is_evidence_too(network):
    with serving(failing(1, reply(b"<html>"))) as bot:
        exchange = post(bot.url, network)
    assert "body" not in exchange.receipt.to_json()
    assert exchange.evidence().to_json() == exchange.receipt.to_json() | {
        "status": 200,
        "headers": [["Content-Length", "6"]],
        "body": "<html>",
    }


# TLS


def tls_bot(act, context):
    """The same bot under TLS."""

    def secure(visit):
        visit.sock = context.wrap_socket(visit.sock, server_side=True)
        act(visit)

    return serving(secure)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_tls_keeps_its_connection_whatever_tickets_come(version):
    context = server_context()
    context.minimum_version = context.maximum_version = version
    if version is ssl.TLSVersion.TLSv1_3:
        context.num_tickets = 8
    with tls_bot(good, context) as bot:
        line = Line(Endpoint.parse(f"https://localhost:{bot.port}/"), loopback_network())
        for _ in range(4):
            assert line.post(b" " * 100_000, {}, SECOND).body == GOOD
        assert bot.connections == 1
        line.close()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_the_next_match_goes_on_with_the_last_tls_session(version):
    """RFC 8446, 2.2: the second connection needs no certificate again; another network knows of none."""
    context = server_context()
    context.minimum_version = context.maximum_version = version
    resumed = []

    def telling(visit):
        resumed.append(visit.sock.session_reused)
        good(visit)

    with tls_bot(telling, context) as bot:
        shared = loopback_network()
        for network in (shared, shared, loopback_network()):
            line = Line(Endpoint.parse(f"https://localhost:{bot.port}/"), network)
            assert line.post(b"{}", {}, SECOND).body == GOOD
            line.close()
    assert resumed == [False, True, False]


def test_a_server_that_stumbles_over_a_session_gets_a_whole_handshake():
    """A pre-shared key is the last extension of a ClientHello (RFC 8446, 4.2.11)."""
    context = server_context()

    def goes_on_with_a_session(hello):
        at = hello.rfind(b"\x00\x29")
        return at > 0 and at + 4 + int.from_bytes(hello[at + 2 : at + 4]) == len(hello)

    def stumbling(visit):
        if goes_on_with_a_session(visit.sock.recv(16_384, socket.MSG_PEEK)):
            visit.sock.recv(16_384)
            visit.send(b"\x15\x03\x03\x00\x02\x02\x50")  # alert: fatal, internal_error
        else:
            visit.sock = context.wrap_socket(visit.sock, server_side=True)
            good(visit)

    with serving(stumbling) as bot:
        network = loopback_network()
        for connections in (1, 3):
            line = Line(Endpoint.parse(f"https://localhost:{bot.port}/"), network)
            assert line.post(b"{}", {}, SECOND).body == GOOD
            assert bot.connections == connections
            line.close()


def test_tickets_without_end_hold_nobody():
    """Between two turns there is no deadline for what comes unasked."""
    context = server_context()
    context.num_tickets = 1_000_000

    def flood(visit):
        with contextlib.suppress(OSError):
            context.wrap_socket(visit.sock, server_side=True)

    with serving(flood) as bot:
        network = loopback_network()
        limit = Deadline(network.clocks.now(), SECOND, network.clocks)
        endpoint = Endpoint.parse(f"https://localhost:{bot.port}/")
        channel = dial(endpoint, network, limit, Cut()).channel
        time.sleep(0.3)
        begun = time.monotonic()
        assert not channel.is_quiet()
        assert time.monotonic() - begun < 0.5
        channel.close()


def test_no_stale_reply_is_taken_under_tls():
    """Two records in one segment: the second has been read from the socket with the first."""

    def two_records(visit):
        while visit.read() is not None:
            visit.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            visit.send(reply())
            visit.send(reply(b"stale"))
            visit.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)

    with tls_bot(two_records, server_context()) as bot:
        line = Line(Endpoint.parse(f"https://localhost:{bot.port}/"), loopback_network())
        for turn in range(3):
            assert line.post(b"{}", {}, SECOND).body == GOOD
            assert bot.connections == turn + 1
        line.close()


def test_a_reply_without_a_length_must_not_be_cut_off_under_tls():
    def cut_off(visit):
        visit.read()
        visit.send(head("200 OK") + GOOD)
        visit.sock.shutdown(socket.SHUT_RDWR)

    def close(visit):
        visit.read()
        visit.send(head("200 OK") + GOOD)
        visit.sock.unwrap()

    with tls_bot(cut_off, server_context()) as bot, pytest.raises(Unreachable, match="TLS broke off"):
        post(f"https://localhost:{bot.port}/", loopback_network(), tries=1)
    with tls_bot(close, server_context()) as bot:
        assert post(f"https://localhost:{bot.port}/", loopback_network()).body == GOOD


@pytest.mark.parametrize(
    ("host", "trusted", "says"),
    [("localhost", False, "self-signed certificate"), ("127.0.0.2", True, "IP address mismatch")],
)
def test_a_certificate_must_be_trusted_and_fit_the_name(host, trusted, says, network):
    with tls_bot(good, server_context()) as bot:
        port = bot.port
        found = [(socket.AF_INET, 1, 6, "", ("127.0.0.1", port))]
        tls = loopback_network().tls if trusted else network.tls
        lying = Network(network.guard, Resolver(lambda *_, **__: found), tls)
        with pytest.raises(Unreachable, match=f"certificate is not accepted: .*{says}"):
            post(f"https://{host}:{port}/", lying, tries=1)
    assert bot.requests == []


def test_a_plain_bot_under_https_is_unreachable(network):
    def plain(visit):
        visit.sock.recv(100)
        visit.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with serving(plain) as bot, pytest.raises(Unreachable, match="the TLS handshake with 127"):
        post(f"https://127.0.0.1:{bot.port}/", network, tries=1)


# An egress proxy


def proxy(bot_port, seen, refuses=False):
    """Takes CONNECT and absolute URLs, and leads everywhere to one port."""

    def act(visit):
        first = visit.sock.recv(65536)
        seen.append(first.partition(b"\r\n\r\n")[0].decode())
        if refuses:
            visit.send(head("403 Forbidden", "Content-Length: 0"))
            return
        with socket.create_connection(("127.0.0.1", bot_port)) as bot:
            if first.startswith(b"CONNECT"):
                visit.send(head("200 Connected"))
            else:
                bot.sendall(first)
            back = threading.Thread(target=pipe, args=(bot, visit.sock))
            back.start()
            pipe(visit.sock, bot)
            back.join()

    return serving(act)


def pipe(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_is_told_the_bots_name(scheme):
    seen = []
    running = tls_bot(good, server_context()) if scheme == "https" else serving(good)
    with running as bot, proxy(bot.port, seen) as between:
        way_out = Proxy.parse(f"http://us%40:pw@127.0.0.1:{between.port}")
        network = Network(Guard.of(), tls=loopback_network().tls, proxy=way_out)
        line = Line(Endpoint.parse(f"{scheme}://bot.test/move"), network)
        for _ in range(3):
            assert line.post(b"{}", {}, SECOND).body == GOOD
        line.close()
    first = {"http": "POST http://bot.test/move HTTP/1.1", "https": "CONNECT bot.test:443 HTTP/1.1"}
    assert len(seen) == 1
    assert seen[0].startswith(first[scheme] + "\r\nHost: bot.test")
    assert "\r\nProxy-Authorization: Basic dXNAOnB3" in seen[0]


def test_a_proxy_that_refuses_a_bot_is_the_bots_fault_and_one_that_is_away_is_ours(network):
    with proxy(1, [], refuses=True) as between:
        way_out = Network(Guard.of(), proxy=Proxy.parse(f"http://127.0.0.1:{between.port}"))
        with pytest.raises(Unreachable, match=r"refused bot\.test with status 403"):
            post("https://bot.test/", way_out, tries=1)
    with closed_port() as port:
        away = Network(Guard.of(), proxy=Proxy.parse(f"http://127.0.0.1:{port}"))
        with pytest.raises(Starved, match="the egress proxy is away"):
            post("http://bot.test/", away)


# The canary


def test_the_canary_says_whether_it_is_us(network):
    with serving(good) as bot:
        canary = Canary(Endpoint.parse(bot.url), network)
        assert all(canary.ok() for _ in range(5))
        assert len(bot.requests) == 1
    assert not canary_ok(Endpoint.parse(bot.url), network)


def test_malformed_is_the_readers_word_too():
    assert Malformed("x").reason == "malformed-reply"

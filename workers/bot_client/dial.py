"""Getting through to a bot: look up, judge every address, connect to one of them; TLS; an egress proxy."""

from __future__ import annotations

import base64
import errno
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from service.endpoint import BadUrl, Endpoint
from workers.bot_client.address import Guard
from workers.bot_client.clocks import Clocks, Deadline, DeadlinePassed
from workers.bot_client.connection import Channel, Sessions, Tls, Wire
from workers.bot_client.cut import Cut
from workers.bot_client.errors import Blocked, Malformed, Starved, TooLarge, Unreachable
from workers.bot_client.http1 import Reply, read_head
from workers.bot_client.resolver import Resolved, Resolver

_MOST_TRIED = 4
_OURS = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


@dataclass(frozen=True, slots=True)
class Proxy:
    """An egress proxy that calls bots for us, and judges their addresses in our place (Smokescreen, say)."""

    host: str
    port: int
    headers: Mapping[str, str]

    @classmethod
    def parse(cls, url: str) -> Proxy:
        """From `http://[user:password@]host[:port]`; raises BadUrl."""
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise BadUrl("the egress proxy must be given as http://[user:password@]host[:port]")
        if parts.username is None:
            return cls(parts.hostname, parts.port or 80, {})
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        token = base64.b64encode(login.encode()).decode()
        return cls(parts.hostname, parts.port or 80, {"Proxy-Authorization": f"Basic {token}"})


@dataclass(frozen=True, slots=True)
class Network:
    """What all lines of a process share: policy, look-ups, trust, clocks and the way out."""

    guard: Guard
    resolver: Resolver = field(default_factory=Resolver)
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    sessions: Sessions = field(default_factory=Sessions)
    clocks: Clocks = field(default_factory=Clocks)
    proxy: Proxy | None = None
    setup_us: int = 5_000_000  # what an attempt's look-up, connecting, TLS and writing may take (C1)


class Dialled(NamedTuple):
    """A connection and what it took, in microseconds."""

    channel: Channel
    connect_us: int
    tls_us: int


def dial(endpoint: Endpoint, network: Network, deadline: Deadline, cut: Cut) -> Dialled:
    """Raises Unreachable, Blocked, Starved, Abandoned."""
    clock = network.clocks.monotonic_ns
    begun = clock()
    wire = _connect_proxy(endpoint, network, deadline, cut) if network.proxy else None
    wire = wire or _connect(endpoint.host, endpoint.port, network, deadline, cut)
    connected = clock()
    if endpoint.scheme == "http":
        return Dialled(wire, (connected - begun) // 1000, 0)
    tls = _secure(wire, endpoint, network, deadline)
    return Dialled(tls, (connected - begun) // 1000, (clock() - connected) // 1000)


def _connect(host: str, port: int, network: Network, deadline: Deadline, cut: Cut) -> Wire:
    """Every address must pass, not only the one that is used: no name may lead into our networks at all."""
    network.guard.check_port(port)
    found = network.resolver.resolve(host, port, deadline, cut)
    for address in found:
        network.guard.check(address.sockaddr[0])
    wire = _connect_any(host, port, found, network, deadline, cut)
    _check_ends(wire, network.guard)
    return wire


def _connect_any(
    host: str, port: int, found: tuple[Resolved, ...], network: Network, deadline: Deadline, cut: Cut
) -> Wire:
    """Try the first addresses in order, each for its share of the time that is left."""
    failure = "it has no address"
    tried = found[:_MOST_TRIED]
    for position, address in enumerate(tried):
        share_us = int(deadline.left_ms() * 1000) // (len(tried) - position)
        try:
            return _connect_to(address, share_us, network, cut)
        except DeadlinePassed:
            failure = f"no connection within {share_us / 1e6:.1f} s"
        except OSError as error:
            if error.errno in _OURS:
                raise Starved(f"this process cannot open another connection: {error.strerror}") from error
            failure = os.strerror(error.errno or 0).lower()
    network.resolver.forget(host, port)
    raise Unreachable(
        f"{host} port {port} cannot be connected to: {failure}", f"the bot could not be reached: {failure}"
    )


def _connect_to(address: Resolved, limit_us: int, network: Network, cut: Cut) -> Wire:
    wire = Wire(address.family, network.clocks, cut)
    try:
        wire.connect(address, Deadline(network.clocks.now(), limit_us, network.clocks))
    except BaseException:
        wire.close()
        raise
    return wire


def _check_ends(wire: Wire, guard: Guard) -> None:
    """The peer is the address that was judged, and not this machine under a public name."""
    try:
        guard.check_peer(*wire.ends())
    except OSError:
        wire.close()
        raise Unreachable("the connection was reset as soon as it was made") from None
    except Blocked:
        wire.close()
        raise


def _secure(wire: Wire, endpoint: Endpoint, network: Network, deadline: Deadline) -> Tls:
    tls = Tls(wire, network.tls, endpoint.host.rstrip("."), endpoint.port, network.sessions)
    public = ""
    try:
        tls.handshake(deadline)
        return tls
    except ssl.SSLCertVerificationError as error:
        public = "its certificate is not accepted"
        failure = f"{public}: {error.verify_message}"  # which may name the host
    except ssl.SSLError as error:
        failure = (error.reason or "it closed the connection").replace("_", " ").lower()
    except DeadlinePassed:
        failure = "it was not complete in time"
    except OSError as error:
        failure = os.strerror(error.errno or 0).lower()
    except BaseException:
        wire.close()
        raise
    wire.close()
    raise Unreachable(
        f"the TLS handshake with {endpoint.host} failed: {failure}",
        f"the TLS handshake with the bot failed: {public or failure}",
    )


def _connect_proxy(endpoint: Endpoint, network: Network, deadline: Deadline, cut: Cut) -> Wire | None:
    """To the proxy, and through it if the bot speaks TLS. Not reaching the proxy is no fault of the bot."""
    proxy = network.proxy
    if proxy is None:
        return None
    try:
        found = network.resolver.resolve(proxy.host, proxy.port, deadline, cut)
        wire = _connect_any(proxy.host, proxy.port, found, network, deadline, cut)
    except Unreachable as fault:
        raise Starved(f"the egress proxy is away: {fault.detail}") from fault
    if endpoint.scheme == "https":
        try:
            _tunnel(wire, endpoint, proxy, deadline)
        except BaseException:
            wire.close()
            raise
    return wire


def _tunnel(wire: Wire, endpoint: Endpoint, proxy: Proxy, deadline: Deadline) -> None:
    """Ask for a tunnel (RFC 9110, 9.3.6)."""
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    lines = [f"CONNECT {host}:{endpoint.port} HTTP/1.1", f"Host: {host}:{endpoint.port}"]
    lines += [f"{name}: {value}" for name, value in proxy.headers.items()]
    reply = Reply()
    reading = read_head(reply)
    next(reading)
    try:
        wire.send(("\r\n".join(lines) + "\r\n\r\n").encode("ascii"), deadline)
        while not reply.status:
            try:
                reading.send(wire.receive(deadline))
            except StopIteration:
                break
    except (DeadlinePassed, OSError, Malformed, TooLarge) as error:
        detail = f"the egress proxy made no connection to {endpoint.host}: {error}"
        raise Unreachable(detail, "the egress proxy made no connection to the bot") from error
    if not 200 <= reply.status < 300:
        detail = f"the egress proxy refused {endpoint.host} with status {reply.status}"
        raise Unreachable(detail, f"the egress proxy refused the bot with status {reply.status}")

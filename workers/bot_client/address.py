"""Which addresses may be called: the guard between a user's URL and this machine's networks.

Names are never judged, only the addresses they resolve to, and the socket is connected to the very address
that was judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from workers.bot_client.errors import Blocked

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

DEFAULT_PORTS = ("80", "443", "1024-65535")

# IANA's special-purpose registries and what `is_global` lets through, as of Python 3.11.
_NOT_PUBLIC = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "168.63.129.16/32",  # a cloud's own services behind a public address
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",
        "224.0.0.0/3",  # multicast and reserved
        "2001::/23",
        "2001:db8::/32",
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Guard:
    """An operator's policy: which ports, and which networks although they are not public."""

    networks: tuple[Network, ...] = ()
    ports: tuple[range, ...] = ()

    @classmethod
    def of(cls, networks: Iterable[str] = (), ports: Iterable[str] = DEFAULT_PORTS) -> Guard:
        """From settings: CIDR networks; port numbers and ranges ("443", "1024-65535"). Raises ValueError."""
        return cls(tuple(ip_network(n) for n in networks), tuple(_port_range(p) for p in ports))

    def check_port(self, port: int) -> None:
        """Raise Blocked unless bots may listen on `port`."""
        if not any(port in ports for ports in self.ports):
            allowed = ", ".join(
                str(p.start) if len(p) == 1 else f"{p.start}–{p.stop - 1}" for p in self.ports
            )
            raise Blocked(f"port {port} is not called; the ports for bots are {allowed}")

    def check(self, address: str) -> None:
        """Raise Blocked unless `address` (as sockaddr has it) is public, or in a network that is allowed."""
        ip = ip_address(address.partition("%")[0])
        if self._allows(ip) or all(self._allows(i) or _is_public(i) for i in embedded(ip) or (ip,)):
            return
        raise Blocked(f"{address} is not a public address; bots must be reachable from the internet")

    def check_peer(self, own: str, peer: str) -> None:
        """Raise Blocked if a connection from `own` leads to this machine itself under a public address."""
        self.check(peer)
        if own == peer and not self._allows(ip_address(peer.partition("%")[0])):
            raise Blocked(f"{peer} is this service's own address")

    def _allows(self, ip: Address) -> bool:
        return any(ip in n for n in self.networks if n.version == ip.version)


def _port_range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def embedded(ip: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 address leads to: mapped, compatible, 6to4, Teredo, NAT64."""
    if isinstance(ip, IPv4Address):
        return ()
    if ip.ipv4_mapped is not None:
        return (ip.ipv4_mapped,)
    if ip.sixtofour is not None:
        return (ip.sixtofour,)
    if ip.teredo is not None:
        return ip.teredo
    if ip in _NAT64 or (int(ip) >> 32 == 0 and int(ip) > 1):
        return (IPv4Address(int(ip) & 0xFFFF_FFFF),)
    return ()


def _is_public(ip: Address) -> bool:
    if isinstance(ip, IPv6Address) and ip not in _GLOBAL_UNICAST:
        return False
    return ip.is_global and not any(ip in n for n in _NOT_PUBLIC if n.version == ip.version)

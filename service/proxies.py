"""Forwarded headers, believed only when the peer is a proxy that the operator trusts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from werkzeug.middleware.proxy_fix import ProxyFix

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class TrustedProxies:
    """WSGI middleware: X-Forwarded-For, -Proto and -Host of one proxy, if it is in `networks`."""

    def __init__(self, app: WSGIApplication, networks: Sequence[str]) -> None:
        self._plain = app
        self._fixed = ProxyFix(app, x_for=1, x_proto=1, x_host=1)
        self._networks = tuple(ip_network(network) for network in networks)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        app = self._fixed if self._trusted(environ.get("REMOTE_ADDR", "")) else self._plain
        return app(environ, start_response)

    def _trusted(self, peer: str) -> bool:
        if not self._networks:
            return False
        try:
            address = ip_address(peer)
        except ValueError:  # a Unix socket has no address
            return False
        return any(address in network for network in self._networks)

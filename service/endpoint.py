"""Bot addresses as text: the one parser of the URLs that users hand in.

It decides what a URL says, never whether its host may be called: hosts have too many spellings (`127.1`,
`0x7f.1`, full-width digits), so the bot client judges the addresses that a name resolves to.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

import idna

MAX_URL = 2048  # characters
_PORTS = {"http": 80, "https": 443}
_BLANK = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff\\]")
_HOST = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?\Z"
)
_UNRESERVED = "/%:@!$&'()*+,;=~?"  # with letters, digits and -._ what a path or query may hold (RFC 3986)


class BadUrl(ValueError):
    """A URL that no bot can have; `str()` is a sentence that says what is wrong and what is expected."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a bot answers. `host` is ASCII, lower case, without brackets; `target` begins with `/`."""

    scheme: str
    host: str
    port: int
    target: str

    @classmethod
    def parse(cls, url: str) -> Endpoint:
        """Read `url` (RFC 3986; names by IDNA); raises BadUrl."""
        if len(url) > MAX_URL:
            raise BadUrl(f"the URL has {len(url)} characters; at most {MAX_URL} are allowed")
        if found := _BLANK.search(url):
            raise BadUrl(
                f"the URL holds {found.group()!r}; blanks, controls and backslashes must be percent-encoded"
            )
        parts = _split(url)
        host = _host(parts)
        target = quote(parts.path or "/", safe=_UNRESERVED)
        if parts.query:
            target += "?" + quote(parts.query, safe=_UNRESERVED)
        return cls(parts.scheme, host, _port(parts), target)

    @property
    def authority(self) -> str:
        """The Host header: brackets around an IPv6 address, the port unless it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BadUrl(f"the URL cannot be read ({error}); https://host/path is expected") from None
    if parts.scheme not in _PORTS:
        raise BadUrl(f"the URL begins with {url[:20]!r}; http:// or https:// is expected")
    if not url[len(parts.scheme) :].startswith("://"):
        raise BadUrl("the URL has no host; https://host/path is expected")
    if "@" in parts.netloc:
        raise BadUrl("the URL holds a user name or password; bots are told apart by their signing secret")
    if "#" in url:
        raise BadUrl("the URL holds a fragment (#…), which is never sent; leave it out")
    return parts


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError:
        raise BadUrl("the URL's port is not a number from 1 to 65535") from None
    if port == 0:
        raise BadUrl("the URL's port is 0; a number from 1 to 65535 is expected")
    return port or _PORTS[parts.scheme]


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if parts.netloc.startswith("["):
        return _literal(host, parts.netloc.partition("]")[2])
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode()
        except idna.IDNAError as error:
            raise BadUrl(f"the host {host!r} is no domain name: {error}") from None
    if not _HOST.match(host):
        raise BadUrl(f"the host {host!r} is neither a domain name nor an address")
    return host


def _literal(host: str, rest: str) -> str:
    if rest and not rest.startswith(":"):
        raise BadUrl(f"the URL has {rest!r} after its IPv6 address; a port or a path is expected")
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        raise BadUrl(f"[{host}] is no IPv6 address") from None
    if address.scope_id is not None:
        raise BadUrl(f"[{host}] names a zone, which means nothing on another machine")
    return str(address)

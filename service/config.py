"""The settings: defaults, then one TOML file, then ARBITER_* in the environment; each knows its origin.

[file]  lease_ms = 8000             [environment]  ARBITER_LEASE_MS=8000
[file]  bot_networks = ["10.0.0.0/8"]              ARBITER_BOT_NETWORKS=10.0.0.0/8,127.0.0.0/8
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from limits import parse_many

PREFIX = "ARBITER_"
FILE_VARIABLE = "ARBITER_CONFIG"
# Names with the same prefix that the command line, the embedded server or a bot reads.
OTHERS = {
    f"{PREFIX}{name}"
    for name in ("CONFIG", "SERVER", "KEY", "REDIS_SERVER", "BOT_SECRET", "BOT_HOST", "BOT_PORT")
}
HIDDEN = "(hidden)"


class BadSettings(ValueError):
    """Settings that cannot be used; `problems` names each: (setting, what is wrong and what it may be)."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("\n".join(f"{name}: {what}" for name, what in problems))
        self.problems = problems


def _setting(
    default: Any, help: str, check: str = "", low: int = 0, secret: bool = False, high: int = 10**9
) -> Any:
    bounds = {"low": low, "high": high}
    return field(default=default, metadata={"help": help, "check": check, "secret": secret, **bounds})


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator may choose. `origin[name]` says where a value came from."""

    # The store and the broker
    redis_url: str = _setting(
        "redis://127.0.0.1:6379/0", "Where the data is: Redis 7.0 or newer, or Valkey.", "url", secret=True
    )
    broker_url: str = _setting(
        "", "Celery's broker; empty: the same server as redis_url.", "url", secret=True
    )
    # The web server
    host: str = _setting("127.0.0.1", "Address that the API listens on.")
    port: int = _setting(8000, "Port that the API listens on.", low=1, high=65535)
    public_url: str = _setting("", "The address users reach the API at; empty: http://host:port.", "url")
    max_streams: int = _setting(200, "Event streams (SSE) held open at once; more are answered 503.")
    max_polls: int = _setting(200, "Long polls held open at once; more are answered 503.")
    api_threads: int = _setting(32, "Threads of the API beside those for streams and polls.", low=1)
    trusted_proxies: tuple[str, ...] = _setting(
        (), "Networks of the proxies whose X-Forwarded-* headers are believed.", "networks"
    )
    cors_origins: tuple[str, ...] = _setting((), "Origins whose pages may call the API from a browser.")
    metrics_token: str = _setting(
        "", "Bearer token that /metrics asks for; empty: loopback only.", secret=True
    )
    # Who may come
    signup: Literal["open", "invite", "closed"] = _setting(
        "open", "Who may sign up: anyone, whoever has an invitation, nobody (an admin adds owners)."
    )
    # Bots' addresses
    bot_networks: tuple[str, ...] = _setting(
        (), "Networks that bots may live in although they are not public, such as 127.0.0.0/8.", "networks"
    )
    bot_ports: tuple[str, ...] = _setting(
        ("80", "443", "1024-65535"), "Ports that bots may listen on: numbers and ranges.", "ports"
    )
    bot_proxy: str = _setting("", "An egress proxy that all calls to bots go through.", "url", secret=True)
    canary_url: str = _setting(
        "",
        "An endpoint of yours outside that answers POST with 200: while it does not, no bot is blamed"
        " for silence; empty: one in the worker itself.",
        "url",
    )
    # Play
    lease_ms: int = _setting(8000, "How long a worker keeps a match without renewing its lease.", low=500)
    threads: int = _setting(50, "Matches that one worker process plays at once.", low=1)
    allowance_ms: int = _setting(100, "What every turn may take over its clock, for the network.")
    # How long things are kept
    records_days: int = _setting(0, "Days that the records of matches are kept; 0: for ever.")
    matches_days: int = _setting(0, "Days that matches are kept, with their records; 0: for ever.")
    # Quotas and limits
    bots_per_owner: int = _setting(50, "Bots an owner may have, retired ones aside.")
    keys_per_owner: int = _setting(20, "API keys an owner may have, revoked ones aside.")
    webhooks_per_owner: int = _setting(5, "Webhooks an owner may have.")
    open_matches_per_owner: int = _setting(1000, "Matches an owner may have asked for that are not over.")
    open_tournaments_per_player: int = _setting(3, "Tournaments of a player that are not over.")
    open_tournaments_per_organiser: int = _setting(100, "Tournaments of an organiser that are not over.")
    entrants_per_player: int = _setting(64, "Entrants of a tournament that a player made.", low=2)
    entrants_per_organiser: int = _setting(1000, "Entrants of a tournament that an organiser made.", low=2)
    games_per_tournament: int = _setting(
        500_000, "Games that a tournament's schedule may come to; more are refused.", low=1
    )
    checks_per_owner_day: int = _setting(100, "Checks by the doctor that an owner may ask for a day (UTC).")
    checks_per_host_day: int = _setting(
        500, "Checks of all bots on one host that the doctor makes a day (UTC)."
    )
    rated_per_pair_day: int = _setting(
        100, "Rated games that two bots may play against each other a day (UTC); further ones are unrated."
    )
    rate_reads: str = _setting("1200 per minute", "Reading requests of one key or address.", "rate")
    rate_writes: str = _setting("300 per minute", "Writing requests of one key or address.", "rate")
    rate_turns: str = _setting("30000 per minute", "Polls for turns and replies to them, of one key.", "rate")
    rate_signups: str = _setting("20 per hour", "Sign-ups from one address.", "rate")
    rate_bad_keys: str = _setting("30 per minute", "Requests with a wrong key from one address.", "rate")
    # Logs
    log_level: Literal["debug", "info", "warning", "error"] = _setting(
        "info", "The least level that is logged."
    )
    log_format: Literal["json", "text"] = _setting("json", "Lines for programs or for people.")

    origin: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def celery_url(self) -> str:
        """The broker's URL, the store's unless one is set."""
        return self.broker_url or self.redis_url

    @property
    def base_url(self) -> str:
        """Where users reach the API, without a slash at the end."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def server_threads(self) -> int:
        """Threads of the web server: an open stream or poll holds one, and the rest must not starve."""
        return self.max_streams + self.max_polls + self.api_threads

    @classmethod
    def load(cls, environ: Mapping[str, str], file: Path | None = None) -> Settings:
        """The settings in force. `file` (or ARBITER_CONFIG) is a TOML file; raises BadSettings."""
        problems: list[tuple[str, str]] = []
        path = file or (Path(environ[FILE_VARIABLE]) if environ.get(FILE_VARIABLE) else None)
        given = _from_file(path, problems) if path else {}
        given |= _from_environment(environ, problems)
        values = {}
        for name, (value, source) in given.items():
            try:
                values[name] = _read(name, value)
            except ValueError as error:
                problems.append((source, str(error)))
        if problems:
            raise BadSettings(problems)
        origin = {name: given[name][1] if name in given else "default" for name in NAMES}
        return cls(**values, origin=origin)

    def listing(self) -> list[tuple[str, str, str, str]]:
        """Every setting as (name, value, origin, help); secrets hidden."""
        rows = []
        for name, spec in SPECS.items():
            value = getattr(self, name)
            shown = ", ".join(value) if isinstance(value, tuple) else str(value)
            if spec.metadata["secret"] and shown:
                shown = _without_password(shown)
            rows.append((name, shown, self.origin.get(name, "default"), spec.metadata["help"]))
        return rows


SPECS: Mapping[str, Field[Any]] = {spec.name: spec for spec in fields(Settings) if spec.name != "origin"}
NAMES = tuple(SPECS)
_HINTS = get_type_hints(Settings)


def _from_file(path: Path, problems: list[tuple[str, str]]) -> dict[str, tuple[Any, str]]:
    try:
        data = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append((str(path), f"cannot be read: {error}"))
        return {}
    for name in data.keys() - SPECS.keys():
        problems.append((f"{path}: {name}", f"is no setting; there are: {', '.join(NAMES)}"))
    return {name: (value, f"{path}: {name}") for name, value in data.items() if name in SPECS}


def _from_environment(
    environ: Mapping[str, str], problems: list[tuple[str, str]]
) -> dict[str, tuple[Any, str]]:
    given: dict[str, tuple[Any, str]] = {}
    for variable, text in environ.items():
        if not variable.startswith(PREFIX) or variable in OTHERS:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name in SPECS:
            given[name] = (text, variable)
        else:
            problems.append((variable, f"is no setting; there are: {', '.join(NAMES)}"))
    return given


def _read(name: str, value: object) -> Any:
    """`value` (a text, or TOML's value) as the setting's type; raises ValueError."""
    kind, meta = _HINTS[name], SPECS[name].metadata
    if kind is int:
        return _read_int(value, meta["low"], meta["high"])
    if get_origin(kind) is tuple:
        return _read_list(value, meta["check"])
    if not isinstance(value, str):
        raise ValueError(f"must be a text, not {value!r}")
    if get_origin(kind) is Literal and value not in get_args(kind):
        raise ValueError(f"must be one of {', '.join(get_args(kind))}, not {value!r}")
    _CHECKS[meta["check"]](value)
    return value


def _read_int(value: object, low: int, high: int) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"must be a whole number from {low} to {high}, not {value!r}")
    return value


def _read_list(value: object, check: str) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        raise ValueError(f"must be a list, not {value!r}")
    items = tuple(str(item) for item in value)
    for item in items:
        _CHECKS[check](item)
    return items


def _check_url(text: str) -> None:
    if text and not (urlsplit(text).scheme and urlsplit(text).netloc):
        raise ValueError("must be a URL such as redis://127.0.0.1:6379/0 or https://example.org")


def _check_network(text: str) -> None:
    ip_network(text)


def _check_ports(text: str) -> None:
    parts = text.split("-")
    good = len(parts) <= 2 and all(part.isdecimal() and 1 <= int(part) <= 65535 for part in parts)
    if not good or int(parts[0]) > int(parts[-1]):
        raise ValueError(f"must be ports or ranges such as 8000 or 8000-8999, not {text!r}")


def _check_rate(text: str) -> None:
    parse_many(text)


_CHECKS = {
    "": lambda text: None,
    "url": _check_url,
    "networks": _check_network,
    "ports": _check_ports,
    "rate": _check_rate,
}


def port_ranges(texts: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """`bot_ports` as inclusive ranges."""
    return tuple((int(text.split("-")[0]), int(text.split("-")[-1])) for text in texts)


def _without_password(text: str) -> str:
    """A URL with its password hidden; any other secret is hidden whole."""
    parts = urlsplit(text)
    if not parts.netloc:
        return HIDDEN
    return text if parts.password is None else text.replace(f":{parts.password}@", f":{HIDDEN}@")

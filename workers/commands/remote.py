"""What the client commands share: which server and key, how a refusal and a list are shown."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import requests

from service.ids import is_id
from workers.client import ApiError, Client
from workers.tables import console_for_tables, list_table, printable

DEFAULT_SERVER = "http://127.0.0.1:8000"
FILE = Path("~/.config/arbiter.toml")
TEXTS = ("name", "version", "description")  # members that are text, also where it looks like a number
Row = Mapping[str, Any]


class Remote:
    """A client and the way its answers are shown."""

    def __init__(self, client: Client, as_json: bool) -> None:
        self.client = client
        self.as_json = as_json
        self.console = console_for_tables()

    def show(self, thing: Row) -> None:
        """One object: a member a line, or JSON."""
        if self.as_json:
            click.echo(json.dumps(thing, indent=1, ensure_ascii=False))
            return
        width = max(map(len, thing), default=0)
        for name, value in thing.items():
            click.echo(f"{name:<{width}}  {_text(value)}")

    def table(self, rows: Iterable[Row], columns: Sequence[str], title: str | None = None) -> None:
        """Many objects: a row each with these columns (dotted: of a member), or JSON Lines."""
        if self.as_json:
            for row in rows:
                click.echo(json.dumps(row, ensure_ascii=False))
            return
        shown = [{name: _text(_member(row, name)) for name in columns} for row in rows]
        self.console.print(list_table(self.console, title, columns, shown))

    def bot(self, named: str) -> str:
        """A bot's id, from that or its name, whatever the case; your own bots go before others'."""
        if is_id("b", named):
            return named
        found = self._called(named, owner="me") or self._called(named)
        if len(found) == 1:
            return found[0]
        if found:
            raise click.ClickException(
                f"{len(found)} bots are called {named}; give an id: {', '.join(found)}"
            )
        raise click.ClickException(f"no bot called {named}; `arbiter bot list` shows ids")

    def _called(self, name: str, **filters: str) -> list[str]:
        """Ids of the bots with that name that are not retired."""
        try:
            seen = list(self.client.pages("/v1/bots", limit=200, **filters))
        except ApiError as error:
            if error.status != 401 or not filters:
                raise
            return []  # without a key there are no bots of one's own
        name = name.casefold()
        return [b["id"] for b in seen if b["name"].casefold() == name and b["state"] != "retired"]

    def say(self, text: str) -> None:
        """A sentence for a person; nothing where JSON is wanted."""
        if not self.as_json:
            click.echo(text)


def _member(row: Row, name: str) -> Any:
    value: Any = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _text(value: Any) -> str:
    if value in (None, [], {}):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(member)}" for name, member in value.items())
    return f"{value:g}" if isinstance(value, float) else printable(str(value))


def remote(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --server, --key and --json, and a Remote as its first argument."""

    @click.option("--server", envvar="ARBITER_SERVER", help=f"Default: {DEFAULT_SERVER} (or in {FILE}).")
    @click.option("--key", envvar="ARBITER_KEY", help=f"Your API key, arb_…; or `key` in {FILE}.")
    @click.option("--json", "as_json", is_flag=True, help="For programs.")
    @functools.wraps(command)
    def run(server: str | None, key: str | None, as_json: bool, **options: Any) -> Any:
        saved = _saved()
        client = Client(_address(server or saved.get("server", DEFAULT_SERVER)), key or saved.get("key"))
        try:
            return command(Remote(client, as_json), **options)
        except ApiError as error:
            raise click.ClickException(_advice(error)) from None
        except requests.RequestException as error:
            what = f"{client.server} cannot be reached ({type(error).__name__})"
            raise click.ClickException(f"{what}; --server or ARBITER_SERVER names another") from None

    return run


def _saved() -> Mapping[str, str]:
    path = FILE.expanduser()
    if not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise click.ClickException(f"{path} is not TOML: {error}") from None


def keep(server: str, key: str) -> str:
    """Write server and key into FILE, if there is none; in words, where the key is now."""
    path = FILE.expanduser()
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.touch(0o600, exist_ok=False)
    except FileExistsError:
        return f"keep the key, it is not shown again: {key}"
    path.write_text(f"server = {json.dumps(server)}\nkey = {json.dumps(key)}\n")
    return f"your key is in {path}"


def _address(server: str) -> str:
    if not server.startswith(("http://", "https://")):
        raise click.ClickException(f"http:// is missing before {server!r}: --server http://{server}")
    return server


def _advice(error: ApiError) -> str:
    first, *fields = str(error).splitlines()
    new = [line for line in fields if not line.endswith(first)]
    if error.status == 401:
        new.append("A key comes from `arbiter owner sign-up NAME`; give it by --key or ARBITER_KEY.")
    return "\n".join([first, *new])


def pairs(values: Sequence[str]) -> dict[str, Any]:
    """`name=value` words as a JSON object; a value is JSON where it is that, else text. TEXTS are text."""
    out: dict[str, Any] = {}
    for word in values:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.BadParameter(f"{word!r} is not name=value")
        if name in TEXTS:
            out[name] = value
            continue
        try:
            out[name] = json.loads(value)
        except ValueError:
            out[name] = value
    return out


def clock(text: str | None) -> Any:
    """A preset's name, or a control as JSON."""
    if text is None or not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"the clock is not JSON: {error}") from None


def given(**members: Any) -> dict[str, Any]:
    """The members that are not None."""
    return {name: value for name, value in members.items() if value is not None}

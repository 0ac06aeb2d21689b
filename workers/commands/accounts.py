"""owner, key, ratings, games and limits: accounts, standings and what is bounded, over the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from workers.commands.remote import FILE, Remote, given, keep, remote


@click.group()
def owner() -> None:
    """Sign up, and look at yourself."""


@owner.command("sign-up")
@click.argument("name")
@click.option("--invitation", help="A code, where the server asks for one.")
@click.option("--save", is_flag=True, help=f"Keep the key in {FILE}, where these commands find it.")
@remote
def sign_up(to: Remote, name: str, invitation: str | None, save: bool) -> None:
    """Become an owner called NAME; shows your key, this once."""
    made = to.client.post("/v1/owners", given(name=name, invitation=invitation))
    key = made["key"]["key"]
    to.show({"owner": made["owner"]["id"], "name": made["owner"]["name"], "key": key})
    to.say(
        keep(to.client.server, key) if save else "Keep the key: it is not shown again. export ARBITER_KEY=…"
    )


@owner.command()
@remote
def me(to: Remote) -> None:
    """Show yourself, your key's scopes and your quotas."""
    found = to.client.get("/v1/owners/me")
    if to.as_json:
        to.show(found)
        return
    quotas = found.pop("quotas")
    to.show(found)
    to.table([{"quota": name, **counts} for name, counts in quotas.items()], ("quota", "used", "limit"))


@owner.command()
@click.argument("owner_id")
@remote
def show(to: Remote, owner_id: str) -> None:
    """Show an owner."""
    to.show(to.client.get(f"/v1/owners/{owner_id}"))


@click.group()
def key() -> None:
    """List, make and revoke your API keys."""


@key.command("list")
@remote
def list_keys(to: Remote) -> None:
    """List your keys; the keys themselves are never shown again."""
    to.table(
        to.client.pages("/v1/keys"), ("id", "name", "scopes", "created_at", "last_used_at", "revoked_at")
    )


@key.command("new")
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, help="May be repeated; default: all that you have.")
@remote
def new_key(to: Remote, name: str, scopes: tuple[str, ...]) -> None:
    """Make a key called NAME and show it, this once."""
    to.show(to.client.post("/v1/keys", given(name=name, scopes=list(scopes) or None)))


@key.command("revoke")
@click.argument("key_id")
@remote
def revoke_key(to: Remote, key_id: str) -> None:
    """Make a key useless at once."""
    to.client.delete(f"/v1/keys/{key_id}")
    to.say(f"{key_id} is revoked")


@click.command()
@click.argument("ladder", required=False)
@click.argument("bot", required=False)
@click.option("--top", type=click.IntRange(1), default=50, show_default=True, help="How many rows.")
@click.option("--against", help="Another bot's id or name: which of the two is stronger?")
@click.option("--fit", is_flag=True, help="How the ladder was fitted.")
@remote
def ratings(
    to: Remote, ladder: str | None, bot: str | None, top: int, against: str | None, fit: bool
) -> None:
    """Show the ladders, a LADDER's table, or one BOT's rating and history; BOT is an id or a name."""
    if against is not None and bot is None:
        raise click.UsageError("--against needs a BOT to compare: arbiter ratings LADDER BOT --against OTHER")
    if ladder is None:
        to.table(to.client.get("/v1/ratings")["items"], ("ladder", "title"))
    elif fit:
        to.show(to.client.get(f"/v1/ratings/{ladder}/fit"))
    elif bot is None:
        rows = to.client.get(f"/v1/ratings/{ladder}", limit=min(top, 200))["items"]
        names = ("rank", "name", "rating", "fit", "interval", "games", "opponents")
        to.table(rows, (*names, "wins", "draws", "losses", "provisional", "bot"))
    elif against is not None:
        pair = {"bot": to.bot(bot), "other": to.bot(against)}
        to.show(to.client.get(f"/v1/ratings/{ladder}/superiority", **pair))
    else:
        _rated(to, ladder, to.bot(bot), top)


def _rated(to: Remote, ladder: str, bot: str, top: int) -> None:
    to.show(to.client.get(f"/v1/ratings/{ladder}/{bot}"))
    history = to.client.get(f"/v1/ratings/{ladder}/{bot}/history", limit=min(top, 200))["items"]
    to.table(history, ("at", "match", "place", "before", "after"))


@click.command()
@click.argument("name", required=False)
@remote
def games(to: Remote, name: str | None) -> None:
    """List the games, or show one with its options."""
    if name is None:
        to.table(to.client.get("/v1/games")["items"], ("name", "title", "seats", "teams", "version"))
        return
    found = to.client.get(f"/v1/games/{name}")
    if to.as_json:
        to.show(found)
        return
    options = found.pop("options")
    to.show(found)
    to.table(options, ("name", "default", "low", "high", "choices", "help", "rule"))


@click.command()
@remote
def limits(to: Remote) -> None:
    """Show every limit of the service: rates, quotas, sizes, clocks."""
    found = to.client.get("/v1/limits")
    if to.as_json:
        to.show(found)
        return
    for kind, members in found.items():
        to.table(_limit_rows(members), ("limit", "value"), title=kind)


def _limit_rows(members: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A row for each limit; what has parts gets one for each of them."""
    for name, value in members.items():
        for part, figure in value.items() if isinstance(value, Mapping) else [("", value)]:
            yield {"limit": f"{name} {part}".strip(), "value": figure}


COMMANDS = (owner, key, ratings, games, limits)

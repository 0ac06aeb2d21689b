"""owner, key, ratings and admin: accounts, standings, and what an administrator does, over the API."""

from __future__ import annotations

import click

from workers.commands.remote import Remote, given, remote


@click.group()
def owner() -> None:
    """Sign up, and look at yourself."""


@owner.command("sign-up")
@click.argument("name")
@click.option("--invitation", help="A code, where the server asks for one.")
@remote
def sign_up(to: Remote, name: str, invitation: str | None) -> None:
    """Become an owner called NAME; shows your key, this once."""
    made = to.client.post("/v1/owners", given(name=name, invitation=invitation))
    to.show({"owner": made["owner"]["id"], "name": made["owner"]["name"], "key": made["key"]["key"]})
    to.say("Keep the key: it is not shown again. export ARBITER_KEY=…")


@owner.command()
@remote
def me(to: Remote) -> None:
    """Show yourself, your key's scopes and your quotas."""
    to.show(to.client.get("/v1/owners/me"))


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
@click.argument("ladder")
@click.argument("bot", required=False)
@click.option("--top", type=click.IntRange(1), default=50, show_default=True, help="How many rows.")
@remote
def ratings(to: Remote, ladder: str, bot: str | None, top: int) -> None:
    """Show a LADDER's table, or one BOT's rating and history; BOT is an id or a name."""
    if bot is None:
        rows = to.client.get(f"/v1/ratings/{ladder}", limit=min(top, 200))["items"]
        names = ("rank", "name", "rating", "fit", "interval", "games", "opponents")
        to.table(rows, (*names, "wins", "draws", "losses", "provisional", "bot"))
        return
    bot = to.bot(bot)
    to.show(to.client.get(f"/v1/ratings/{ladder}/{bot}"))
    history = to.client.get(f"/v1/ratings/{ladder}/{bot}/history", limit=min(top, 200))["items"]
    to.table(history, ("at", "match", "place", "before", "after"))


@click.group()
def admin() -> None:
    """Void, hold, ban, pause: for administrators."""


@admin.command()
@click.argument("match_id")
@click.option("--reason", required=True, help="Shown to everybody.")
@remote
def void(to: Remote, match_id: str, reason: str) -> None:
    """Annul a match; ratings and standings follow."""
    to.show(to.client.post(f"/v1/admin/matches/{match_id}/void", {"reason": reason}))


@admin.command()
@remote
def held(to: Remote) -> None:
    """List matches that keep failing for the service's own reasons."""
    to.table(to.client.pages("/v1/admin/held"), ("id", "game", "state_reason", "created_at"))


@admin.command()
@click.argument("match_id")
@remote
def resume(to: Remote, match_id: str) -> None:
    """Let a held match be played on."""
    to.show(to.client.post(f"/v1/admin/matches/{match_id}/resume", {}))


@admin.command()
@click.argument("owner_id")
@click.option("--reason", required=True)
@remote
def ban(to: Remote, owner_id: str, reason: str) -> None:
    """Shut an owner out."""
    to.client.post(f"/v1/admin/owners/{owner_id}/ban", {"reason": reason})
    to.say(f"{owner_id} is banned")


@admin.command()
@click.argument("state", type=click.Choice(["pause", "go-on"]))
@click.option("--reason", help="Shown to everybody.")
@remote
def matchmaking(to: Remote, state: str, reason: str | None) -> None:
    """Begin no more matches at all, or go on; what runs is played to its end."""
    body = {"paused": state == "pause", **given(reason=reason)}
    to.show(to.client.put("/v1/admin/matchmaking", body))


COMMANDS = (owner, key, ratings, admin)

"""admin: what an administrator does, over the API."""

from __future__ import annotations

import click

from service.models import Role
from workers.commands.remote import Remote, given, remote

WORKERS = ("name", "queue", "places", "running", "drained", "silent_ms")


@click.group()
def admin() -> None:
    """Void, hold, ban, pause, drain: for administrators."""


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
@click.argument("state", type=click.Choice(["pause", "go-on"]), required=False)
@click.option("--reason", help="Shown to everybody.")
@remote
def matchmaking(to: Remote, state: str | None, reason: str | None) -> None:
    """Begin no more matches at all, or go on; what runs is played to its end. Without a word: how it is."""
    if state is None:
        to.show(to.client.get("/v1/admin/matchmaking"))
        return
    body = {"paused": state == "pause", **given(reason=reason)}
    to.show(to.client.put("/v1/admin/matchmaking", body))


@admin.command()
@remote
def owners(to: Remote) -> None:
    """List owners, the newest first."""
    to.table(to.client.pages("/v1/admin/owners"), ("id", "name", "role", "banned", "created_at"))


@admin.command()
@click.argument("name")
@click.option("--role", type=click.Choice([str(role) for role in Role]), help="Default: player.")
@remote
def add(to: Remote, name: str, role: str | None) -> None:
    """Add an owner called NAME; shows the key, this once."""
    made = to.client.post("/v1/admin/owners", given(name=name, role=role))
    to.show({"owner": made["owner"]["id"], "name": made["owner"]["name"], "key": made["key"]["key"]})


@admin.command()
@click.argument("owner_id")
@click.argument("role", type=click.Choice([str(role) for role in Role]))
@remote
def role(to: Remote, owner_id: str, role: str) -> None:
    """Change an owner's role."""
    to.show(to.client.patch(f"/v1/admin/owners/{owner_id}", {"role": role}))


@admin.command()
@click.argument("owner_id")
@click.option("--reason", required=True, help="The owner will read it.")
@remote
def ban(to: Remote, owner_id: str, reason: str) -> None:
    """Shut an owner out."""
    to.client.post(f"/v1/admin/owners/{owner_id}/ban", {"reason": reason})
    to.say(f"{owner_id} is banned")


@admin.command()
@click.argument("owner_id")
@remote
def unban(to: Remote, owner_id: str) -> None:
    """Let a banned owner in again."""
    to.client.post(f"/v1/admin/owners/{owner_id}/unban", {})
    to.say(f"{owner_id} is let in again")


@admin.command("recover-key")
@click.argument("owner_id")
@remote
def recover_key(to: Remote, owner_id: str) -> None:
    """Make a key for an owner who has lost the last one; shows it, this once."""
    to.show(to.client.post(f"/v1/admin/owners/{owner_id}/keys", {}))


@admin.command()
@remote
def workers(to: Remote) -> None:
    """List the workers of the last hour."""
    to.table(to.client.get("/v1/admin/workers")["items"], WORKERS)


@admin.command()
@click.argument("worker")
@remote
def drain(to: Remote, worker: str) -> None:
    """Let a worker finish what it plays and take nothing new; then it can be stopped."""
    to.table(to.client.post(f"/v1/admin/workers/{worker}/drain", {})["items"], WORKERS)


@admin.command()
@click.argument("worker")
@remote
def undrain(to: Remote, worker: str) -> None:
    """Let a drained worker play again."""
    to.table(to.client.post(f"/v1/admin/workers/{worker}/undrain", {})["items"], WORKERS)


COMMANDS = (admin,)

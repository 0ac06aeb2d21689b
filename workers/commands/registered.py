"""bot register, list, show, set, verify, health, secret, retire: bots that the service knows, by the API."""

from __future__ import annotations

import time
from typing import Any

import click

from engines.registry import GAMES
from workers.commands.bots import bot
from workers.commands.remote import Remote, given, pairs, remote

VERIFY_S = 30.0
COLUMNS = ("id", "name", "state", "games", "version", "transport", "owner")


@bot.command()
@click.argument("name")
@click.option("--game", "games", type=click.Choice(list(GAMES)), multiple=True, required=True)
@click.option("--url", help="Where it answers; without one it fetches its turns.")
@click.option("--version")
@click.option("--concurrency", type=click.IntRange(1), help="Matches it plays at once.")
@click.option("--private", is_flag=True, help="Only you see it.")
@remote
def register(
    to: Remote, name: str, games: tuple[str, ...], url: str | None, private: bool, **more: Any
) -> None:
    """Register a bot; shows its signing secret, this once. Start it with that, then `bot verify`."""
    body = {"name": name, "games": list(games), **given(url=url, **more)}
    body |= {} if url else {"transport": "poll"}
    body |= {"private": True} if private else {}
    to.show(to.client.post("/v1/bots", body))


@bot.command("list")
@click.option("--game", type=click.Choice(list(GAMES)))
@click.option("--owner", help="An owner's id, or `me`.")
@click.option("--state")
@remote
def list_bots(to: Remote, **filters: Any) -> None:
    """List bots, the newest first."""
    to.table(to.client.pages("/v1/bots", **given(**filters)), COLUMNS)


@bot.command()
@click.argument("named", metavar="BOT")
@remote
def show(to: Remote, named: str) -> None:
    """Show a bot."""
    to.show(to.client.get(f"/v1/bots/{to.bot(named)}"))


@bot.command("set")
@click.argument("named", metavar="BOT")
@click.argument("changes", nargs=-1, required=True)
@remote
def change(to: Remote, named: str, changes: tuple[str, ...]) -> None:
    """Change a bot; CHANGES are name=value: url=…, version=2, concurrency=4, away=true, …"""
    to.show(to.client.patch(f"/v1/bots/{to.bot(named)}", pairs(changes)))


@bot.command()
@click.argument("named", metavar="BOT")
@remote
def verify(to: Remote, named: str) -> None:
    """Have the service ask the bot to prove that its address is yours; waits for the outcome."""
    bot_id = to.bot(named)
    to.client.post(f"/v1/bots/{bot_id}/verify", {})
    deadline = time.monotonic() + VERIFY_S
    while time.monotonic() < deadline:
        seen = to.client.get(f"/v1/bots/{bot_id}/verification")
        if seen["state"] in ("passed", "failed"):
            to.show(seen)
            raise SystemExit(0 if seen["state"] == "passed" else 1)
        time.sleep(0.2)
    raise click.ClickException(f"nothing came of it within {VERIFY_S:.0f} s; is a control worker running?")


@bot.command()
@click.argument("named", metavar="BOT")
@remote
def health(to: Remote, named: str) -> None:
    """Show how your bot does: times by percentile, faults by reason."""
    to.show(to.client.get(f"/v1/bots/{to.bot(named)}/health"))


@bot.command()
@click.argument("named", metavar="BOT")
@remote
def secret(to: Remote, named: str) -> None:
    """Replace the bot's signing secret; shows the new one, this once. For a day both are used."""
    to.show(to.client.post(f"/v1/bots/{to.bot(named)}/secret", {}))


@bot.command()
@click.argument("named", metavar="BOT")
@remote
def retire(to: Remote, named: str) -> None:
    """Take a bot out of play for good."""
    bot_id = to.bot(named)
    to.client.delete(f"/v1/bots/{bot_id}")
    to.say(f"{named} is retired")


COMMANDS = (bot,)

"""arbiter bot run: a program of this machine enters a server and plays there, from behind any router."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import click

from bots.sdk.api import Api, ApiAway
from bots.sdk.api import ApiError as Refusal
from bots.sdk.poll import Poller, register
from engines.registry import GAMES
from service.endpoint import BadUrl
from service.models import Bot
from workers.client import ApiError, Client
from workers.commands.matches import follow
from workers.commands.remote import FILE, Remote, keep, remote
from workers.local_bots import BotError, LocalBots, new_secret
from workers.local_play import open_network
from workers.relay import Relay
from workers.tables import printable

POLL_S = 10.0
LOOK_S = 0.2
FIRST_GAME = "quixo"


@click.command("run")
@click.argument("program")
@click.option(
    "--game",
    "games",
    type=click.Choice(list(GAMES)),
    multiple=True,
    help="May be repeated.  [default: what it is registered for, else quixo]",
)
@click.option("--name", help="What it is called there.  [default: the file's name, with -]")
@click.option("--as", "owner", metavar="NAME", help=f"Sign up, if you have no key yet; it is kept in {FILE}.")
@click.option("--against", "rival", metavar="BOT", help="Ask for a rated match with this bot, and show it.")
@click.option("--once", is_flag=True, help="End when that match is over.")
@remote
def run_command(
    to: Remote,
    program: str,
    games: tuple[str, ...],
    name: str | None,
    owner: str | None,
    rival: str | None,
    once: bool,
) -> None:
    """Start PROGRAM (./my_bot.py, ./my_bot.mjs, a sample) as a bot of yours on the server, until Ctrl-C.

    It needs no address: its turns are fetched for it. It is registered when it comes for the first time.
    """
    client = _known(to, owner)
    opponent = to.bot(rival) if rival else None
    secret = new_secret()
    try:
        with LocalBots(secret) as found:
            bot = found.bot(program)
            called = name or bot.name.replace("_", "-")
            games = _games(client, called, games)
            relay = Relay(called, games, bot.url or "", secret, open_network())
            with _entered(relay, client) as (bot_id, over):
                to.say(f"{relay.name} plays at {client.server}/bots/{bot_id}")
                if opponent:
                    _play(to, client, games[0], [bot_id, opponent])
                if not (once and opponent):
                    to.say("It goes on until Ctrl-C, for whoever challenges it.")
                    _stay(found, bot, over)
    except (BotError, BadUrl, Refusal, ApiAway) as error:
        raise click.ClickException(str(error)) from error


def _known(to: Remote, owner: str | None) -> Client:
    """A client with a key, which is made and kept if there is none."""
    if to.client.key:
        return to.client
    if owner is None:
        raise click.UsageError("you have no key on this server: add --as and your name to sign up")
    made = to.client.post("/v1/owners", {"name": owner})
    to.say(f"signed up as {owner}; {keep(to.client.server, made['key']['key'])}")
    to.client = Client(to.client.server, made["key"]["key"])
    return to.client


def _games(client: Client, name: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """What the bot is to play; refuses what its owner has registered it without."""
    own = client.pages("/v1/bots", owner="me", limit=200)
    known = next((bot for bot in own if bot["name"] == name and bot["state"] != "retired"), None)
    if known is None:
        return wanted or (FIRST_GAME,)
    missing = [game for game in wanted if game not in known["games"]]
    if missing:
        both = json.dumps([*known["games"], *missing], separators=(",", ":"))
        raise click.ClickException(
            f"{name} is registered for {', '.join(known['games'])}, not for {', '.join(missing)};"
            f" `arbiter bot set {known['id']} 'games={both}'` adds that, --name enters another bot"
        )
    return wanted or tuple(known["games"])


@contextmanager
def _entered(relay: Relay, client: Client) -> Iterator[tuple[str, threading.Event]]:
    """The bot's id while it fetches its turns; the event is set when the server will have it no more."""
    api, over = Api(client.server, client.key or ""), threading.Event()
    bot_id = register(relay, api)
    poller = Poller(relay, Api(client.server, client.key or ""), over.set)
    try:
        yield bot_id, over
    finally:
        poller.stop()


def _play(to: Remote, client: Client, game: str, bots: list[str]) -> None:
    """A rated match, the program in the first seat, shown to its end; what it did to the rating."""
    seated = bots * 2 if GAMES[game].teams else bots
    made = _asked(client, {"game": game, "bots": seated})
    to.say(f"match {client.server}/matches/{made['id']}")
    follow(to, made["id"])
    if made["rated"]:
        rating = client.get(f"/v1/ratings/{game}/{bots[0]}")
        games = f"{rating['games']} rated game{'s' if rating['games'] > 1 else ''}"
        to.say(f"rated {rating['rating']:.0f}, after {games}")
    else:
        to.say(f"not rated: {made['unrated_reason']}")


def _asked(client: Client, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The match, asked for as soon as the server has seen the first poll."""
    deadline = time.monotonic() + POLL_S
    while True:
        try:
            made: Mapping[str, Any] = client.post("/v1/matches", wanted)["items"][0]
            return made
        except ApiError as error:
            if not str(error.problem.get("type")).endswith("/bot-away") or time.monotonic() > deadline:
                raise
        time.sleep(LOOK_S)


def _stay(found: LocalBots, bot: Bot, over: threading.Event) -> None:
    """Show what the program prints until Ctrl-C, or until it or the server ends it."""
    with suppress(KeyboardInterrupt), found.output(bot.id).open(errors="replace") as printed:
        while not over.wait(LOOK_S):
            for line in printed:
                click.echo(printable(line.rstrip()), err=True)
            if why := found.programs[bot.id]():
                raise click.ClickException(why)

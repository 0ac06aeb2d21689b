"""arbiter bot new, and the group that the other commands about bots belong to."""

from __future__ import annotations

import re
from pathlib import Path

import click

import bots.starters
from engines.registry import GAMES
from workers.commands.checks import check_command
from workers.commands.running import run_command

STARTERS = {"python": "sdk_bot.py", "bare-python": "bare_bot.py", "javascript": "bot.mjs"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@click.command("new")
@click.argument("name")
@click.option("--game", type=click.Choice(list(GAMES)), default="quixo", show_default=True)
@click.option("--language", type=click.Choice(list(STARTERS)), default="python", show_default=True)
def new_command(name: str, game: str, language: str) -> None:
    """Write a bot called NAME that plays GAME as it is; the rest is yours."""
    if not _NAME.fullmatch(name):
        raise click.BadParameter("letters, digits, - and _ make a name, 40 at most", param_hint="NAME")
    starter = Path(next(iter(bots.starters.__path__))) / STARTERS[language]
    file = f"{name.replace('-', '_')}{starter.suffix}"
    text = starter.read_text()
    for placeholder, value in {"my-bot": name, "my_bot": Path(file).stem, "quixo": game}.items():
        text = text.replace(placeholder, value)
    try:
        with Path(file).open("x") as out:
            out.write(text)
    except FileExistsError:
        raise click.ClickException(f"{file} exists already; choose another name") from None
    click.echo(f"wrote {file}. Try it:   arbiter play {game} ./{file} random")
    click.echo(f"and on a server:{' ' * len(file)}  arbiter bot run ./{file} --game {game}")


@click.group("bot")
def bot() -> None:
    """Write, check and register bots."""


bot.add_command(new_command)
bot.add_command(check_command)
bot.add_command(run_command)
COMMANDS = (bot,)

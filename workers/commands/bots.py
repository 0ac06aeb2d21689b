"""arbiter bot new and bot check: what a bot's author does before the service knows the bot."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

import bots.starters
from engines.errors import GameError
from engines.registry import GAMES
from service.endpoint import BadUrl, Endpoint
from workers.bot_client import OurFault
from workers.commands.play import control_of
from workers.doctor import Finding, Level, Patient, examine, failed
from workers.local_play import open_network

STARTERS = {"python": "sdk_bot.py", "bare-python": "bare_bot.py", "javascript": "bot.mjs"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_STYLES = {Level.OK: "green", Level.NOTE: "dim", Level.ADVICE: "yellow", Level.ERROR: "bold red"}


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


@click.command("check")
@click.argument("url")
@click.option(
    "--game", "games", type=click.Choice(list(GAMES)), multiple=True, required=True, help="May be repeated."
)
@click.option("--secret", envvar="ARBITER_BOT_SECRET", help="The bot's signing secret, whsec_…")
@click.option(
    "--clock", default='{"control": "per_move", "base_ms": 1000}', show_default=True, help="As for play."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 16), default=2, show_default=True, help="Matches at once."
)
@click.option("--json", "as_json", is_flag=True, help="One finding a line.")
def check_command(
    url: str, games: tuple[str, ...], secret: str | None, clock: str, concurrency: int, as_json: bool
) -> None:
    """Examine the bot at URL as the service would use it; exit code 1 if something must be mended."""
    console = Console(highlight=False)
    findings: list[Finding] = []
    try:
        for game in games:
            patient = Patient(
                Endpoint.parse(url),
                open_network(),
                GAMES[game],
                secret or None,
                control_of(clock),
                concurrency,
            )
            for finding in examine(patient):
                findings.append(finding)
                if as_json:
                    click.echo(json.dumps({"game": game, **finding.to_json()}, ensure_ascii=False))
                else:
                    _show(console, game, finding)
    except (BadUrl, GameError, ValueError, OurFault) as error:
        raise click.ClickException(str(error)) from error
    sys.exit(1 if failed(findings) else 0)


def _show(console: Console, game: str, finding: Finding) -> None:
    level = f"[{_STYLES[finding.level]}]{finding.level:>7}[/]"
    console.print(f"{level} {game}, {finding.check}: {escape(finding.summary)}", soft_wrap=True)
    for name in ("sent", "came", "expected", "mend"):
        if text := getattr(finding, name):
            console.print(f"        {name + ':':10}{escape(text)}", soft_wrap=True)


@click.group("bot")
def bot() -> None:
    """Write, check and register bots."""


bot.add_command(new_command)
bot.add_command(check_command)
COMMANDS = (bot,)

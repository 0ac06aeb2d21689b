"""arbiter bot check: the doctor looks at whatever answers at a URL, or by the service at a registered bot."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from engines.clock import Control
from engines.errors import GameError
from engines.registry import GAMES
from service.endpoint import BadUrl, Endpoint
from workers.bot_client import OurFault
from workers.commands.play import control_of
from workers.commands.remote import Remote, given, remote
from workers.commands.remote import clock as clock_given
from workers.doctor import Finding, Level, Patient, by_http, examine
from workers.local_play import open_network

ONE_SECOND = Control("per_move", base_ms=1000)
LOOK_S = 0.5
_STYLES = {Level.OK: "green", Level.NOTE: "dim", Level.ADVICE: "yellow", Level.ERROR: "bold red"}
_TEXTS = ("sent", "came", "expected", "mend")

Show = Callable[[str, Finding], None]


@click.command("check")
@click.argument("target", metavar="URL|BOT")
@click.option(
    "--game",
    "games",
    type=click.Choice(list(GAMES)),
    multiple=True,
    help="May be repeated; needed for a URL.",
)
@click.option("--secret", envvar="ARBITER_BOT_SECRET", help="For a URL: its signing secret, whsec_…")
@click.option("--clock", help="Of the doctor's matches, as for play.  [default: a second a move]")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 16),
    default=2,
    show_default=True,
    help="For a URL: matches at once.",
)
@remote
def check_command(
    to: Remote, target: str, games: tuple[str, ...], secret: str | None, clock: str | None, concurrency: int
) -> None:
    """Examine a bot as matches would use it; exit code 1 if something must be mended.

    At a URL it is examined from here. A registered BOT (its id or name) is examined by the service, which
    also tells how the bot has done in its matches; a name that holds : or / is taken for a URL.
    """
    show = _show_json if to.as_json else _show
    if ":" in target or "/" in target:
        if not games:
            raise click.UsageError("name the game that it plays, such as --game quixo")
        found = _examined(target, games, secret, clock, concurrency)
    else:
        found = _asked(to, target, given(games=list(games) or None, clock=clock_given(clock)))
    failed = False
    for game, finding in found:
        show(game, finding)
        failed |= finding.level is Level.ERROR
    raise SystemExit(1 if failed else 0)


def _examined(
    url: str, games: tuple[str, ...], secret: str | None, clock: str | None, concurrency: int
) -> Iterator[tuple[str, Finding]]:
    """Findings about whatever answers there, as they are made."""
    try:
        route = by_http(Endpoint.parse(url), open_network())
        control = control_of(clock) if clock else ONE_SECOND
        for game in games:
            patient = Patient(route, GAMES[game], [secret] if secret else [], control, concurrency)
            for finding in examine(patient):
                yield game, finding
    except (BadUrl, GameError, ValueError, OurFault) as error:
        raise click.ClickException(str(error)) from error


def _asked(to: Remote, named: str, wanted: Mapping[str, Any]) -> Iterator[tuple[str, Finding]]:
    """Findings of the service, as they are made, and then how the bot has done."""
    bot = to.bot(named)
    seen = to.client.post(f"/v1/bots/{bot}/checks", wanted)
    shown = 0
    with Console(stderr=True).status("") as status:
        while True:
            for found in seen["findings"][shown:]:
                yield found["game"], _finding(found)
            shown = len(seen["findings"])
            if seen["state"] in ("done", "failed"):
                break
            status.update(_where(seen))
            time.sleep(LOOK_S)
            seen = to.client.get(f"/v1/bots/{bot}/checks/{seen['id']}")
    if to.as_json:
        click.echo(json.dumps({name: seen[name] for name in seen if name != "findings"}, ensure_ascii=False))
    else:
        _show_view(seen["service"])
    if seen["state"] == "failed":
        raise click.ClickException(f"the check could not be finished: {seen['detail']}")


def _where(seen: Mapping[str, Any]) -> str:
    """What is going on, for a person who waits."""
    if seen["state"] == "waiting":
        return escape(seen["detail"] or "waiting for a worker")
    return f"{seen['progress']['game'] or 'beginning'}: {seen['progress']['requests']} messages sent"


def _finding(found: Mapping[str, Any]) -> Finding:
    texts = {name: found[name] for name in ("check", "summary", *_TEXTS, "reason")}
    return Finding(level=Level(found["level"]), **texts)


def _show_json(game: str, finding: Finding) -> None:
    click.echo(json.dumps({"game": game, **finding.to_json()}, ensure_ascii=False))


def _show(game: str, finding: Finding) -> None:
    console = Console(highlight=False)
    level = f"[{_STYLES[finding.level]}]{finding.level:>7}[/]"
    where = ", ".join(filter(None, (game, finding.check)))
    console.print(f"{level} {where}: {escape(finding.summary)}", soft_wrap=True)
    for name in _TEXTS:
        if text := getattr(finding, name):
            console.print(f"        {name + ':':10}{escape(text)}", soft_wrap=True)


def _show_view(view: Mapping[str, Any]) -> None:
    """How the bot has done in its matches."""
    health, charged = view["health"], view["health"]["charged"]
    lines = [f"the service's view: {health['state']}" + (f" ({r})" if (r := health["state_reason"]) else "")]
    passed = f"last passed on {health['verified_at']}" if health["verified_at"] else "never passed yet"
    lines.append(f"verification {view['verification']['state']}, {passed}")
    if charged:
        times = ", ".join(f"{name[:-3]} {ms:g} ms" for name, ms in charged.items())
        lines.append(f"charged in its last {health['turns']} turns: {times}")
    faults = ", ".join(f"{reason} ×{count}" for reason, count in health["faults"].items())
    lines.append(f"faults: {faults or 'none'}; last match {health['last_seen_at'] or '–'}")
    click.echo("\n".join(lines))

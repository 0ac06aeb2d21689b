"""tournament: make and run tournaments, enter bots, follow them to their end, over the API."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import requests
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

from engines.registry import GAMES
from workers.commands.remote import Remote, clock, given, pairs, remote
from workers.tables import printable, standings_table

WAIT_S = 25
PAUSE_S = 0.5  # between two looks, however much happens
OVER = ("finished", "cancelled")
STDOUT = Path("-")
_FILE = click.Path(dir_okay=False, path_type=Path)
COLUMNS = ("id", "name", "game", "format", "state", "entrants_count", "games_done", "games_total")


@click.group()
def tournament() -> None:
    """Make tournaments, enter bots, follow them to their tables."""


@tournament.command()
@click.argument("name")
@click.argument("game", type=click.Choice(list(GAMES)))
@click.option("--format", "kind", help="round-robin (the default) or gauntlet.")
@click.option("--clock", "control", help='A preset (bullet, blitz, …) or JSON: {"control": "fischer", …}.')
@click.option("--cycles", type=click.IntRange(1), help="How often the whole schedule is played.")
@click.option("--option", "options", multiple=True, help="name=value, of the game; may be repeated.")
@click.option("--set", "changes", multiple=True, help="name=value: duplicate=true, start_at=…, entry=…")
@remote
def new(
    to: Remote,
    name: str,
    game: str,
    kind: str | None,
    control: str | None,
    options: tuple[str, ...],
    changes: tuple[str, ...],
    **members: Any,
) -> None:
    """Make a tournament called NAME; it is a draft until you `open` or `start` it."""
    body = {"name": name, "game": game, **given(format=kind, clock=clock(control), **members)}
    body |= {"options": pairs(options)} if options else {}
    to.show(to.client.post("/v1/tournaments", body | pairs(changes)))


@tournament.command("list")
@click.option("--game", type=click.Choice(list(GAMES)))
@click.option("--owner", help="An owner's id, or `me`.")
@click.option("--state")
@remote
def list_tournaments(to: Remote, **filters: Any) -> None:
    """List tournaments, the newest first."""
    to.table(to.client.pages("/v1/tournaments", **given(**filters)), COLUMNS)


@tournament.command()
@click.argument("tournament_id")
@remote
def show(to: Remote, tournament_id: str) -> None:
    """Show a tournament."""
    to.show(to.client.get(f"/v1/tournaments/{tournament_id}"))


@tournament.command("set")
@click.argument("tournament_id")
@click.argument("changes", nargs=-1, required=True)
@remote
def change(to: Remote, tournament_id: str, changes: tuple[str, ...]) -> None:
    """Change a tournament that has not begun; CHANGES are name=value."""
    to.show(to.client.patch(f"/v1/tournaments/{tournament_id}", pairs(changes)))


def _action(name: str, what: str) -> click.Command:
    @tournament.command(name, help=what)
    @click.argument("tournament_id")
    @remote
    def act(to: Remote, tournament_id: str) -> None:
        moved = to.client.post(f"/v1/tournaments/{tournament_id}/{name}", {})
        to.show(moved) if to.as_json else to.say(f"{tournament_id} is {moved['state']}")

    return act


_action("open", "Let owners enter their bots.")
_action("start", "Begin: from now on nobody enters.")
_action("pause", "Begin no more games; what is being played goes on.")
_action("resume", "Go on after a pause.")


@tournament.command()
@click.argument("tournament_id")
@click.option("--reason", help="For the entrants to read.")
@remote
def cancel(to: Remote, tournament_id: str, reason: str | None) -> None:
    """Cancel a tournament; its results so far stay."""
    to.client.post(f"/v1/tournaments/{tournament_id}/cancel", given(reason=reason))
    to.say(f"{tournament_id} is cancelled")


@tournament.command()
@click.argument("tournament_id")
@click.argument("bots", nargs=-1, required=True)
@remote
def enter(to: Remote, tournament_id: str, bots: tuple[str, ...]) -> None:
    """Enter BOTS, by id or name; of fixed teams with two bots, each as BOT+PARTNER."""
    for bot in bots:
        first, _, partner = bot.partition("+")
        entrant = to.client.post(
            f"/v1/tournaments/{tournament_id}/entrants",
            given(bot=to.bot(first), partner=to.bot(partner) if partner else None),
        )
        to.show(entrant) if to.as_json else to.say(f"{printable(entrant['name'])} has entered")


@tournament.command()
@click.argument("tournament_id")
@click.argument("bot")
@remote
def withdraw(to: Remote, tournament_id: str, bot: str) -> None:
    """Take BOT out: before the start as if it had never entered, later by the rules for withdrawals."""
    to.client.delete(f"/v1/tournaments/{tournament_id}/entrants/{to.bot(bot)}")
    to.say(f"{bot} has left {tournament_id}")


@tournament.command()
@click.argument("tournament_id")
@remote
def standings(to: Remote, tournament_id: str) -> None:
    """Show the standings, and what decided between those who are level on points."""
    _standings(to, to.client.get(f"/v1/tournaments/{tournament_id}"))


def _standings(to: Remote, seen: Mapping[str, Any]) -> None:
    found = to.client.get(f"/v1/tournaments/{seen['id']}/standings")
    if to.as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    title = printable(seen["name"]) + (" (partial)" if found["partial"] else "")
    ratings = {row["bot"]: row["rating"] for row in found["rows"] if row["rating"] is not None}
    to.console.print(standings_table(title, found["rows"], ratings))
    for row in found["rows"]:
        if row["explanation"] and row["decided_by"] != "points":
            to.say(printable(f"{row['rank']}. {row['name']}: {row['explanation']}"))
    for note in found["notes"]:
        to.say(f"Note: {note}.")


@tournament.command()
@click.argument("tournament_id")
@remote
def watch(to: Remote, tournament_id: str) -> None:
    """Follow a tournament in a bar with an estimate of the rest, to its standings."""
    seen: Mapping[str, Any] = {}
    if to.as_json:
        for seen in _looks(to, tournament_id):
            click.echo(json.dumps({"state": seen["state"], **(seen["progress"] or {})}))
    else:
        with _bar(to) as bar:
            task = bar.add_task(tournament_id, total=None, left="")
            for seen in _looks(to, tournament_id):
                _move(bar, task, seen)
    _standings(to, seen)


def _looks(to: Remote, tournament_id: str) -> Iterator[Mapping[str, Any]]:
    """The tournament whenever something has happened in it, until it is over."""
    path, after = f"/v1/tournaments/{tournament_id}", "0"
    while True:
        seen = to.client.get(path)
        yield seen
        if seen["state"] in OVER:
            return
        news = to.client.get(f"{path}/events", after=after, wait=WAIT_S, limit=1000)
        after = news["next"] or after
        time.sleep(PAUSE_S)


@tournament.command()
@click.argument("tournament_id")
@click.option("-o", "--output", type=_FILE, help="Default: TOURNAMENT_ID.jsonl; - is standard output.")
@remote
def export(to: Remote, tournament_id: str, output: Path | None) -> None:
    """Take all records of a tournament as JSON Lines; `arbiter verify` checks them.

    With your key they have your own bots' receipts. Games that are not over have none.
    """
    seen = to.client.get(f"/v1/tournaments/{tournament_id}")
    lines = to.client.lines(f"/v1/tournaments/{tournament_id}/records")
    path = output or Path(f"{tournament_id}.jsonl")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), disable=to.as_json) as bar:
        shown = bar.track(lines, total=seen["games_total"] or 0, description=printable(seen["name"]))
        count = _save(shown, path)
    if path != STDOUT:
        to.say(f"records in {path}: {count}")
    if (without := (seen["games_total"] or 0) - count) > 0:
        click.echo(f"games without a record that you may read, or without one yet: {without}", err=True)


def _save(lines: Iterable[bytes], path: Path) -> int:
    """Write the lines and count them; the file is there once it is complete."""
    part = path.with_name(f"{path.name}.part")
    count = 0
    try:
        with nullcontext(sys.stdout.buffer) if path == STDOUT else part.open("wb") as file:
            for line in lines:
                file.write(line + b"\n")
                count += 1
        if path != STDOUT:
            part.replace(path)
    except requests.exceptions.ChunkedEncodingError:
        raise click.ClickException(f"the answer was cut short (records so far: {count}); try again") from None
    finally:
        part.unlink(missing_ok=True)
    return count


class _Left(ProgressColumn):
    """The service's estimate of the rest."""

    def render(self, task: Any) -> Text:
        return Text(str(task.fields["left"]))


def _bar(to: Remote) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Left())
    return Progress(*columns, console=to.console)


def _move(bar: Progress, task: Any, seen: Mapping[str, Any]) -> None:
    progress = seen["progress"] or {}
    done = progress.get("games_done", 0) + progress.get("games_settled", 0)
    name = f"{printable(seen['name'])}: {seen['state']}"
    bar.update(
        task, description=name, completed=done, total=progress.get("games_total"), left=_left(progress)
    )


def _left(progress: Mapping[str, Any]) -> str:
    if not progress:
        return "has not begun"
    running = f"{progress['running']} running"
    estimate = progress["estimate_ms"]
    return running if estimate is None else f"{running}, {duration(estimate)} left"


def duration(ms: int) -> str:
    """Milliseconds for people: "45 s", "3 min", "2 h 05 min", "3 d 4 h"."""
    minutes = round(ms / 60_000)
    if ms < 60_000:
        return f"{round(ms / 1000)} s"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60:02} min"
    return f"{minutes // 1440} d {minutes % 1440 // 60} h"


COMMANDS = (tournament,)

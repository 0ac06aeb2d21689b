"""match: ask for matches, look at them, take their records, over the API."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from engines.registry import GAMES
from workers.commands.remote import Remote, clock, given, pairs, remote
from workers.tables import places, printable

WAIT_S = 25
QUIET_S = 5
_FILE = click.Path(dir_okay=False, path_type=Path)
COLUMNS = ("id", "game", "state", "players", "result", "rated", "created_at")


@click.group()
def match() -> None:
    """Ask for matches, watch them, take their records."""


@match.command()
@click.argument("game", type=click.Choice(list(GAMES)))
@click.argument("bots", nargs=-1, required=True)
@click.option("--clock", "control", help='A preset (bullet, blitz, …) or JSON: {"control": "fischer", …}.')
@click.option("--option", "options", multiple=True, help="name=value, of the game; may be repeated.")
@click.option("--opening", type=click.IntRange(0), help="Seeded random plies before the bots begin.")
@click.option("--attempts", type=click.IntRange(1), help="Answers a turn may take while they are illegal.")
@click.option("--unrated", is_flag=True)
@click.option("--count", type=click.IntRange(1, 200), help="So many games, the seats moved on each time.")
@click.option("--watch", is_flag=True, help="Show the moves until the (first) match is over.")
@remote
def request(
    to: Remote,
    game: str,
    bots: tuple[str, ...],
    control: str | None,
    options: tuple[str, ...],
    unrated: bool,
    watch: bool,
    **members: Any,
) -> None:
    """Ask for a match of GAME; BOTS are ids or names, by seat."""
    body = {"game": game, "bots": [to.bot(named) for named in bots], **given(clock=clock(control), **members)}
    if options:
        body["options"] = pairs(options)
    if unrated:
        body["rated"] = False
    made = to.client.post("/v1/matches", body)["items"]
    if watch:
        follow(to, made[0]["id"])
    else:
        to.table(map(_row, made), COLUMNS)


@match.command("list")
@click.option("--game", type=click.Choice(list(GAMES)))
@click.option("--bot")
@click.option("--owner", help="An owner's id, or `me`.")
@click.option("--state")
@click.option("--tournament")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@remote
def list_matches(to: Remote, **filters: Any) -> None:
    """List matches, the newest first."""
    to.table(map(_row, to.client.get("/v1/matches", **given(**filters))["items"]), COLUMNS)


@match.command()
@click.argument("match_id")
@remote
def show(to: Remote, match_id: str) -> None:
    """Show a match."""
    to.show(to.client.get(f"/v1/matches/{match_id}"))


@match.command()
@click.argument("match_id")
@remote
def cancel(to: Remote, match_id: str) -> None:
    """Cancel a match that has not begun."""
    to.show(to.client.post(f"/v1/matches/{match_id}/cancel", {}))


@match.command()
@click.argument("match_id")
@click.option("-o", "--output", type=_FILE, help="Default: standard output.")
@remote
def record(to: Remote, match_id: str, output: Path | None) -> None:
    """Take a match's record; `arbiter verify` checks it. With your key it has your own bots' receipts."""
    text = json.dumps(to.client.get(f"/v1/matches/{match_id}/record"), ensure_ascii=False)
    if output is None:
        click.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
        to.say(f"wrote {output}")


@match.command()
@click.argument("match_id")
@remote
def watch(to: Remote, match_id: str) -> None:
    """Show a match's moves as they are made, until it is over."""
    follow(to, match_id)


def follow(to: Remote, match_id: str) -> None:
    """Show a match's moves as they are made, until it is over."""
    players = {p["seat"]: p["name"] for p in to.client.get(f"/v1/matches/{match_id}")["players"]}
    for event in events(to, match_id):
        click.echo(json.dumps(event, ensure_ascii=False) if to.as_json else _line(event, players))
        sys.stdout.flush()


def events(to: Remote, match_id: str) -> Iterator[dict[str, Any]]:
    """A match's events as they come, to its end; says once that nothing comes, and the match's state."""
    after, over, wait = 0, False, QUIET_S
    while not over:
        page = to.client.get(f"/v1/matches/{match_id}/events", after=after, wait=wait)
        if wait == QUIET_S and not page["items"] and not page["over"]:
            wait = WAIT_S
            to.say(f"waiting: the match is {to.client.get(f'/v1/matches/{match_id}')['state']}")
        yield from page["items"]
        over, after = page["over"] and not page["items"], page["next"] or after


def _line(event: dict[str, Any], players: dict[int, str]) -> str:
    """An event for a terminal."""
    if event["type"] == "started":
        return "begun"
    if event["type"] == "finished":
        result = event["result"]
        names = [players[seat] for seat in sorted(players)]
        return printable(f"over: {result['reason']}; {places(names, result['placing'])}")
    return printable(f"{event['turn']:>4}  {players[event['seat']]:<20} {_happened(event)}")


def _happened(event: dict[str, Any]) -> str:
    if event["type"] == "fault":
        return f"{event['reason']}: {event['detail']}"
    if event["type"] == "forced":
        return f"{event['move']:<14} ({event['by']})"
    comment = f"   “{event['comment']}”" if event.get("comment") else ""
    return f"{event['move']:<14} {event['charged_us'] / 1000:8.1f} ms{comment}"


def _row(found: dict[str, Any]) -> dict[str, Any]:
    result = found["result"]
    places = result and ", ".join(map(str, result["placing"]))
    shown = result and f"{places} ({result['reason']})"
    return {**found, "players": [p["name"] for p in found["players"]], "result": shown}


COMMANDS = (match,)

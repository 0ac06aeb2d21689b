"""tournament entrants, crosstable, pairings and breakdown: a tournament's tables, over the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from workers.commands.remote import Remote, given, remote
from workers.commands.tournaments import tournament
from workers.tables import cross_table

_CSV = click.option("--csv", "as_csv", is_flag=True, help="As a file for spreadsheets.")


@tournament.command()
@click.argument("tournament_id")
@remote
def entrants(to: Remote, tournament_id: str) -> None:
    """List who has entered, in that order."""
    rows = to.client.get(f"/v1/tournaments/{tournament_id}/entrants")["items"]
    to.table(rows, ("name", "version", "bot", "partner_name", "entered_at", "withdrawn_at"))


@tournament.command()
@click.argument("tournament_id")
@click.option("--bot", help="This bot's row only; an id or a name.")
@_CSV
@remote
def crosstable(to: Remote, tournament_id: str, bot: str | None, as_csv: bool) -> None:
    """Show the points of everybody against everybody."""
    path, query = f"/v1/tournaments/{tournament_id}/crosstable", given(bot=to.bot(bot) if bot else None)
    if as_csv:
        click.echo(to.client.text(path, format="csv", **query), nl=False)
        return
    found = to.client.get(path, **query)
    to.show(found) if to.as_json else to.console.print(cross_table(found))


@tournament.command()
@click.argument("tournament_id")
@click.option("--round", type=click.IntRange(1), help="Of this round only.")
@click.option("--bot", help="Of this bot only; an id or a name.")
@_CSV
@remote
def pairings(to: Remote, tournament_id: str, bot: str | None, as_csv: bool, **filters: int | None) -> None:
    """List who plays whom, round by round."""
    query = given(bot=to.bot(bot) if bot else None, **filters)
    path = f"/v1/tournaments/{tournament_id}/pairings"
    if as_csv:
        click.echo(to.client.text(path, format="csv", **query), nl=False)
        return
    names = {e["bot"]: e["name"] for e in to.client.get(f"/v1/tournaments/{tournament_id}/entrants")["items"]}
    found = to.client.pages(path, limit=200, **query)
    rows = found if to.as_json else (_named(row, names) for row in found)
    to.table(rows, ("round", "table", "bots", "placing", "match"))


def _named(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {**row, "bots": [names.get(bot, bot) for bot in row["bots"]]}


@tournament.command()
@click.argument("tournament_id")
@_CSV
@remote
def breakdown(to: Remote, tournament_id: str, as_csv: bool) -> None:
    """Show everybody's results by seat, and faults by reason."""
    path = f"/v1/tournaments/{tournament_id}/breakdown"
    if as_csv:
        click.echo(to.client.text(path, format="csv"), nl=False)
        return
    found = to.client.get(path)
    if to.as_json:
        to.show(found)
        return
    rows = [
        {"name": row["name"], "faults": row["faults"] or None, **seat}
        for row in found["rows"]
        for seat in row["seats"]
    ]
    to.table(rows, ("name", "seat", "won", "drawn", "lost", "faults"))


COMMANDS = (tournament,)

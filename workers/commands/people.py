"""owner roster, and invitation: a class in one go, for organisers, over the API."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import requests

from service.spreadsheets import csv_text
from workers.client import ApiError
from workers.commands.accounts import owner
from workers.commands.remote import Remote, given, remote
from workers.tables import printable

HEADINGS = ("name", "owner", "student", "full name")
SHORTEST, LONGEST = 2, 40  # of a name
OWNER_ONLY = 0o600
Row = dict[str, str]
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_OUT = click.Path(dir_okay=False, path_type=Path)


@owner.command()
@click.argument("file", type=_FILE)
@click.option("--column", help="The heading of the column with the names; default: name, or the first one.")
@click.option("-o", "--output", type=_OUT, help="Where the keys go, for you alone; default: FILE-keys.csv.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, or refused; do nothing.")
@remote
def roster(to: Remote, file: Path, column: str | None, output: Path | None, dry_run: bool) -> None:
    """Add a class: an owner with a key for each row of a CSV FILE.

    The keys are written to a file that only you can read (mode 600), beside the columns of FILE, and nowhere
    else. A name that is taken is reported and changes nothing.
    """
    rows, named = read_rows(file, column)
    check_names([row[named] for row in rows])
    where = output or file.with_name(f"{file.stem}-keys.csv")
    if dry_run:
        to.client.get("/v1/invitations")  # for the same people as the roster: refused here as there
        if where.exists():
            raise _exists(where)
        to.say(f"would add {len(rows)} owners and write their keys to {where}:")
        to.table(rows, list(rows[0]))
        return
    _add(to, rows, named, where)


def read_rows(file: Path, column: str | None) -> tuple[list[Row], str]:
    """A CSV file's rows by heading, and which heading the names are under; raises ClickException."""
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    delimiter = max(",;\t", key=lines[0].count) if lines else ","
    table = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter) if any(row)]
    headings = [cell.casefold() for cell in table[0]] if table else []
    wanted = (column.casefold(),) if column else HEADINGS
    found = next((name for name in wanted if name in headings), None)
    if found is None and column:
        raise click.ClickException(f"{file} has no column {column!r}; it has: {', '.join(table[0])}")
    if found is None:
        table.insert(0, ["name", *(f"column {n}" for n in range(2, len(table[0]) + 1))] if table else [])
        found, headings = "name", [cell.casefold() for cell in table[0]]
    if len(table) < 2:
        raise click.ClickException(f"{file} has no rows")
    return [dict(zip(headings, row, strict=False)) for row in table[1:]], found


def check_names(names: Sequence[str]) -> None:
    """Raise ClickException that names every row whose name cannot be one."""
    problems, seen = [], dict[str, int]()
    for row, name in enumerate(names, start=1):
        if not SHORTEST <= len(name) <= LONGEST:
            problems.append(f"row {row}: {name!r} is not of {SHORTEST} to {LONGEST} characters")
        elif seen.setdefault(name.casefold(), row) != row:
            problems.append(f"row {row}: {name!r} stands in row {seen[name.casefold()]} already")
    if problems:
        raise click.ClickException("nothing was done:\n  " + "\n  ".join(problems))


def _add(to: Remote, rows: Sequence[Row], named: str, where: Path) -> None:
    """Add all, as many at a time as the service takes; what is made is in the file before the next ones."""
    most = to.client.get("/v1/limits")["requests"]["roster_names"]
    try:
        descriptor = os.open(where, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY)
    except FileExistsError:
        raise _exists(where) from None
    made: list[Mapping[str, Any]] = []
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as out:
        try:
            for start in range(0, len(rows), most):
                part = rows[start : start + most]
                made += to.client.post("/v1/roster", {"names": [row[named] for row in part]})["items"]
                lines = csv_text(_lines(part, made[start:])).splitlines(keepends=True)
                out.writelines(lines if start == 0 else lines[1:])
                out.flush()
        except (ApiError, requests.RequestException):
            _give_up(to, made, where)
            raise
    _tell(to, made, where)


def _exists(where: Path) -> click.ClickException:
    return click.ClickException(f"{where} exists already; --output names another file")


def _give_up(to: Remote, made: Sequence[Mapping[str, Any]], where: Path) -> None:
    """Keep the file only if there is something in it."""
    if made:
        _tell(to, made, where)
    else:
        where.unlink()


def _lines(rows: Sequence[Row], items: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    for row, item in zip(rows, items, strict=True):
        added = {"owner id": item["owner"]["id"] if item["owner"] else ""}
        yield (
            row | added | {"key": item["key"]["key"] if item["key"] else "", "problem": item["problem"] or ""}
        )


def _tell(to: Remote, items: Sequence[Mapping[str, Any]], where: Path) -> None:
    """What was done, without the keys."""
    if to.as_json:
        shown = [{"name": i["name"], "owner": i["owner"], "problem": i["problem"]} for i in items]
        to.table(shown, ())
        return
    for item in items:
        if item["problem"]:
            to.say(f"{printable(item['name'])}: {printable(item['problem'])}")
    added = sum(item["key"] is not None for item in items)
    to.say(f"added {added} of {len(items)}; their keys are in {where}, for you alone to read")


@click.group()
def invitation() -> None:
    """Let people sign up where that is by invitation: for organisers."""


@invitation.command("new")
@click.option("--uses", type=click.IntRange(1, 1000), help="How many may sign up with it; default: 1.")
@click.option("--days", type=click.IntRange(1, 365), help="For how long; default: 30.")
@remote
def new_invitation(to: Remote, **members: int | None) -> None:
    """Make an invitation; shows its code, this once."""
    to.show(to.client.post("/v1/invitations", given(**members)))


@invitation.command("list")
@remote
def list_invitations(to: Remote) -> None:
    """List your invitations that can still be used."""
    to.table(to.client.get("/v1/invitations")["items"], ("id", "uses", "created_at", "expires_at"))


@invitation.command("revoke")
@click.argument("invitation_id")
@remote
def revoke_invitation(to: Remote, invitation_id: str) -> None:
    """Let nobody sign up with it any more."""
    to.client.delete(f"/v1/invitations/{invitation_id}")
    to.say(f"{invitation_id} is revoked")


COMMANDS = (invitation,)

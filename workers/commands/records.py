"""verify: whether records hold, without any server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from engines.record import verify
from workers.tables import places, printable

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
LINES = (".jsonl", ".ndjson")


@click.command("verify")
@click.argument("files", type=_FILE, nargs=-1, required=True)
@click.option("-q", "--quiet", is_flag=True, help="Print only what does not hold, and the count.")
def verify_command(files: tuple[Path, ...], quiet: bool) -> None:
    """Replay records: rules, deck, clocks, result and hash chain. FILES hold one record, or one per line.

    Needs no server. Exit code 1 if a record does not hold, or if there is none.
    """
    good = bad = 0
    for where, text in (found for path in files for found in _texts(path)):
        record, problems = _checked(text)
        bad, good = bad + bool(problems), good + (not problems)
        if problems or not quiet:
            click.echo(f"{where}: {'does not hold' if problems else printable(_summary(record))}")
        for problem in problems:
            click.echo(printable(f"  {problem}"))
    if good + bad != 1:
        click.echo(f"{good + bad} records: {good} hold, {bad} do not")
    sys.exit(0 if good and not bad else 1)


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Each record's text with its place; a file of lines is never held whole."""
    with path.open(encoding="utf-8", errors="replace") as file:
        if path.suffix not in LINES:
            whole = file.read()
            if _is_json(whole):
                yield str(path), whole
                return
            file.seek(0)
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"{path}:{number}", line


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _checked(text: str) -> tuple[Any, list[str]]:
    """A record and what is wrong with it."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        return None, [f"not JSON: {error}"]
    return record, verify(record)


def _summary(record: dict[str, Any]) -> str:
    header, result = record["header"], record["result"]
    order = places([player["name"] for player in header["players"]], result["placing"])
    return f"holds ({header['game']}, {len(record['events'])} events, {result['reason']}: {order})"


COMMANDS = (verify_command,)

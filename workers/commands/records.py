"""verify: whether a record holds, without any server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from engines.record import verify

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("verify")
@click.argument(
    "files", type=click.Path(exists=True, dir_okay=False, path_type=Path), nargs=-1, required=True
)
@click.option("-q", "--quiet", is_flag=True, help="Print only what does not hold.")
def verify_command(files: tuple[Path, ...], quiet: bool) -> None:
    """Replay records: rules, deck, clocks, result and hash chain. FILES hold one record, or one per line.

    Needs no server. Exit code 1 if a record does not hold.
    """
    bad = 0
    for path in files:
        for where, record in _records(path):
            problems = [record] if isinstance(record, str) else verify(record)
            bad += bool(problems)
            if problems or not quiet:
                click.echo(f"{where}: {'does not hold' if problems else _summary(record)}")
            for problem in problems:
                click.echo(f"  {problem}")
    sys.exit(1 if bad else 0)


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    """Each record with its place, or what is wrong with its JSON."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        yield str(path), json.loads(text)
        return
    except ValueError:
        lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield f"{path}:{number}", json.loads(line)
            except ValueError as error:
                yield f"{path}:{number}", f"not JSON: {error}"


def _summary(record: dict[str, Any]) -> str:
    header, result = record["header"], record["result"]
    places = ", ".join(
        f"{player['name']} {place}."
        for player, place in zip(header["players"], result["placing"], strict=True)
    )
    return f"holds ({header['game']}, {len(record['events'])} events, {result['reason']}: {places})"


COMMANDS = (verify_command,)

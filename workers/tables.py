"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

Row = Mapping[str, Any]


def standings_table(title: str, rows: Sequence[Row], ratings: Mapping[str, float]) -> Table:
    """Rank, bot, played, won, drawn, lost, points and rating; `ratings` by bot id, in points."""
    table = Table(title=title, box=SIMPLE_HEAD, title_style="bold", title_justify="left")
    for name in ("rank", "bot", "played", "won", "drawn", "lost", "points", "rating"):
        table.add_column(name, justify="left" if name == "bot" else "right")
    for row in rows:
        cells = [row[name] for name in ("rank", "name", "played", "won", "drawn", "lost", "points")]
        rating = ratings.get(row["bot"])
        table.add_row(*map(_number, cells), "" if rating is None else f"{rating:.0f}")
    return table


def cross_table(cross: Mapping[str, Any]) -> Table:
    """Points of the row's bot against the column's; bots in the order of the standings."""
    names = {bot["bot"]: bot["name"] for bot in cross["bots"]}
    table = Table(title="points against each other", box=SIMPLE_HEAD, title_justify="left")
    table.add_column("bot")
    for number in range(1, len(cross["rows"]) + 1):
        table.add_column(str(number), justify="right")
    for number, row in enumerate(cross["rows"], start=1):
        cells = ["·" if cell is None else _number(cell["points"]) for cell in row["cells"]]
        table.add_row(f"{number} {printable(names[row['bot']])}", *cells)
    return table


def printable(text: str) -> str:
    """`text` without anything that could steer a terminal: bots choose their names and comments."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _number(value: Any) -> str:
    """A number without a needless fraction; anything else as it is."""
    return f"{value:g}" if isinstance(value, float) else printable(str(value))

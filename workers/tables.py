"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

Row = Mapping[str, Any]
PIPED_WIDTH = 200  # nobody looks at it who has less room
_WHOLE = frozenset({"id", "bot", "owner", "match"})  # ids, to be copied
_PLACES = ("first", "second", "third", "fourth")
_FIRST_LEFT_OUT = ("transport", "version", "rated", "provisional", "format", "created_at", "owner")


def console_for_tables() -> Console:
    """Standard output; wide where it is no terminal. What bots call themselves is no markup."""
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    return console


def list_table(console: Console, title: str | None, columns: Sequence[str], rows: Sequence[Row]) -> Table:
    """Rows of texts by column. Ids are never broken: for want of room columns are left out, names folded."""
    room = console.options.update_width(10 * PIPED_WIDTH)
    table, left_out = _list_table(title, columns, rows), []
    for name in filter(columns.__contains__, _FIRST_LEFT_OUT):
        if Measurement.get(console, room, table).maximum <= console.width:
            break
        left_out.append(name)
        table = _list_table(title, [c for c in columns if c not in left_out], rows)
    if left_out:
        table.caption = f"left out for want of room: {', '.join(map(_heading, left_out))}"
    return table


def _list_table(title: str | None, columns: Sequence[str], rows: Sequence[Row]) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", caption_justify="left")
    for name in columns:
        table.add_column(_heading(name), overflow="fold", no_wrap=name in _WHOLE)
    for row in rows:
        table.add_row(*(row[name] for name in columns))
    return table


def _heading(name: str) -> str:
    return name.replace("_", " ").replace(".", " ")


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


def places(names: Sequence[str], placing: Sequence[int]) -> str:
    """Who came where, the best before the others: `Ada first, Bo second`; both go by seat."""
    if len(set(placing)) == 1:
        return "all level"
    best_first = sorted(zip(placing, names, strict=True), key=lambda seat: seat[0])
    return ", ".join(f"{name} {_PLACES[place - 1]}" for place, name in best_first)


def printable(text: str) -> str:
    """`text` without anything that could steer a terminal: bots choose their names and comments."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _number(value: Any) -> str:
    """A number without a needless fraction; anything else as it is."""
    return f"{value:g}" if isinstance(value, float) else printable(str(value))

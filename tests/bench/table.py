"""What a bench prints where something is required: test, reached, required."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

Row = tuple[str, float, str, float]  # what, reached, comparison, required (0: nothing)
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
}


def show(rows: Sequence[Row]) -> int:
    """Print the rows; 1 if anything required was missed."""
    table = Table("test", "reached", "required", "")
    missed = 0
    for what, reached, comparison, required in rows:
        met = COMPARISONS[comparison](reached, required)
        missed += bool(required) and not met
        demanded = (f"{comparison} {required:g}", "met" if met else "MISSED") if required else ("", "")
        table.add_row(what, f"{reached:.4g}", *demanded)
    Console().print(table)
    return 1 if missed else 0

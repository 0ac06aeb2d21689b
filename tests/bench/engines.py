"""`./run bench engines [quixo] [sorry]`: the speed and size of the engines, with what is required of them.

Speeds are ratios to a plain Quixo engine's moves a second, both measured in turn in one run; medians count.
Sorry!'s are also put on the scale of a machine where the plain engine makes 118 000 moves a second.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from tests.bench import engines_quixo, engines_sorry

PARTS = {"quixo": engines_quixo.rows, "sorry": engines_sorry.rows}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
}


def main(argv: Sequence[str]) -> int:
    """Print the table; 1 if anything required was missed, 2 for a part that there is not."""
    unknown = set(argv) - set(PARTS)
    if unknown:
        print(f"no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")
        return 2
    rows = [row for part in argv or PARTS for row in PARTS[part]()]
    table = Table("test", "reached", "required", "")
    missed = 0
    for what, reached, comparison, required in rows:
        met = COMPARISONS[comparison](reached, required)
        missed += not met
        demanded = (f"{comparison} {required:g}", "met" if met else "MISSED") if required else ("", "")
        table.add_row(what, f"{reached:.4g}", *demanded)
    Console().print(table)
    return 1 if missed else 0

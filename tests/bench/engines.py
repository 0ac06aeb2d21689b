"""`./run bench engines [quixo] [sorry]`: the speed and size of the engines, with what is required of them.

Speeds are ratios to a plain Quixo engine's moves a second, both measured in turn in one run; medians count.
Sorry!'s are also put on the scale of a machine where the plain engine makes 118 000 moves a second.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.bench import engines_quixo, engines_sorry
from tests.bench.table import show

PARTS = {"quixo": engines_quixo.rows, "sorry": engines_sorry.rows}


def main(argv: Sequence[str]) -> int:
    """Print the table; 1 if anything required was missed, 2 for a part that there is not."""
    unknown = set(argv) - set(PARTS)
    if unknown:
        print(f"no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")
        return 2
    return show([row for part in argv or PARTS for row in PARTS[part]()])

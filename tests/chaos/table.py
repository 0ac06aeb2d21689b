"""What a chaos run prints: test, reached, required."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Row:
    """One figure; `ok` says whether it is what is required."""

    test: str
    reached: str
    required: str
    ok: bool

    def of(self, server: str) -> Row:
        """The same, with the server's name before it."""
        return replace(self, test=f"{server}: {self.test}")


def show(rows: list[Row]) -> int:
    """Print the table; the exit code: 0 if every row is as required."""
    cells = [("test", "reached", "required", "")]
    cells += [(row.test, row.reached, row.required, "ok" if row.ok else "MISSED") for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    for row in cells:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    return 0 if all(row.ok for row in rows) else 1


def read(text: str) -> list[Row]:
    """The rows of a table that `show` has printed among other things."""
    cells = (re.split(r" {2,}", line) for line in text.splitlines())
    return [Row(*found[:3], found[3] == "ok") for found in cells if found[3:] in (["ok"], ["MISSED"])]


def percentile(values: list[float], share: float) -> float:
    """The value that `share` of all values (0 to 1) do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

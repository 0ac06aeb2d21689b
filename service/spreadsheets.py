"""Tables as text for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as RFC 4180, the first row's members as the columns; an empty file if there is no row."""
    listed = list(rows)
    out = io.StringIO()
    writer = csv.writer(out)
    columns = list(listed[0]) if listed else []
    writer.writerow(map(_cell, columns))
    writer.writerows([_cell(row[name]) for name in columns] for row in listed)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A cell that a spreadsheet would take for a formula gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value

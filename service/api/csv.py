"""Tables as CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response

from service.spreadsheets import csv_text


def as_csv(rows: Iterable[Mapping[str, Any]]) -> Response:
    """The rows as a file."""
    return Response(csv_text(rows), mimetype="text/csv")

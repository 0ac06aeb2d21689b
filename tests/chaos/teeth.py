"""Take safeguards out one by one, on both servers: each is missed by the test that is there for it (row 20).

python -m tests.chaos teeth
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.chaos.table import Row, show
from tests.servers import kinds

HERE = Path(__file__).parents[1]
PARTS = {
    "the store: fence, finished-check, ...": HERE / "service/store/test_teeth.py",
    "the bot client: pinning, size bound, deadline, ...": HERE / "workers/bot_client/test_teeth.py",
}
MARKS = "long or redis_server or not long"  # all of them


@dataclass
class Verdicts:
    """A pytest plugin that counts."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            (self.passed if report.passed else self.failed).append(report.nodeid)


def bite(path: Path) -> Verdicts:
    """Run a file of teeth; a test that passes has seen another one fail without its safeguard."""
    found, said = Verdicts(), io.StringIO()
    with contextlib.redirect_stdout(said):
        pytest.main(["-q", "-p", "no:cacheprovider", "-m", MARKS, str(path)], plugins=[found])
    for name in found.failed:
        print(f"not missed: {name}")
    return found


def main(argv: Sequence[str]) -> int:
    kinds()  # says so if a server is missing
    rows = []
    for name, path in PARTS.items():
        found = bite(path)
        count, missed = len(found.passed) + len(found.failed), len(found.passed)
        rows.append(Row(f"{name}: missed once taken out", str(missed), str(count), 0 < missed == count))
    return show(rows)

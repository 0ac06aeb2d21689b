"""The table of the chaos proofs: what one prints the whole run reads back, and what has none is missed."""

import subprocess
import sys

from tests.chaos.__main__ import names, run_all
from tests.chaos.table import Row, read, show

ROWS = [
    Row("25 kills: matches finished", "200", "200", True),
    Row("embedded: paused for 30 s: well again after", "12.4 s", "≤ 10 s", False),
    Row("answers but 200", "[500, 503]", "0", False),
]


def test_a_table_is_read_as_it_was_shown(capsys):
    assert show(ROWS) == 1
    printed = "workers:\nsomething else  that is\n" + capsys.readouterr().out + "workers took 3 s\n"
    assert read(printed) == ROWS
    assert show(ROWS[:1]) == 0
    assert read("Traceback (most recent call last):\n  File 'x', line 1\n") == []


def test_a_proof_that_ends_without_a_table_is_missed(capsys):
    assert run_all(["no_such_proof"]) == 1
    [row] = read(capsys.readouterr().out)
    assert (row.reached, row.ok) == ("ended with 2", False)


def test_help_lists_every_proof():
    command = [sys.executable, "-m", "tests.chaos", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert {"workers", "redis_away", "coordinator", "replays", "store_aof", "teeth", "soak"} <= set(names())
    for name in names():
        assert f"\n  {name} " in shown

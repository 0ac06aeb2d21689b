"""Every game and number of seats has a golden playthrough, and still plays it."""

from itertools import zip_longest

import pytest

from tests.engines.golden import FOLDER, lines, path, playthroughs


@pytest.mark.parametrize(("name", "seats"), playthroughs())
def test_the_golden_playthrough(name, seats):
    golden = path(name, seats)
    assert golden.exists(), f"{golden.name} is missing: run python -m tests.engines.golden"
    for number, (now, then) in enumerate(zip_longest(lines(name, seats), golden.read_text().splitlines()), 1):
        assert now == then, f"{golden.name}, line {number}"


def test_no_playthrough_is_left_over():
    assert {file.name for file in FOLDER.glob("*.txt")} == {path(*game).name for game in playthroughs()}

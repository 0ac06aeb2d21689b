"""Every row of the rule table, and the lines and options that are not rows."""

import pytest

from engines.errors import BadOption, BadSeats
from engines.quixo.game import Quixo, QuixoTeams
from tests.engines.quixo.rule_table import ROWS

GAMES = {2: Quixo(), 4: QuixoTeams()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.rule}-{type(row).__name__}-{ROWS.index(row)}")
def test_rule(row):
    row.check(GAMES)


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("mark", "XO")
def test_every_line_and_no_other_set_of_cells_wins(size, mark):
    """Q12: with one cube missing there is no line."""
    span = range(size)
    lines = [[(i, j) for j in span] for i in span] + [[(j, i) for j in span] for i in span]
    lines += [[(i, i) for i in span], [(i, size - 1 - i) for i in span]]
    for line in lines:
        assert winner(line, size, mark) == "XO".index(mark)
        assert all(winner([c for c in line if c != gap], size, mark) is None for gap in line)


def winner(cells, size, mark):
    rows = ["".join(mark if (r, c) in cells else "." for c in range(size)) for r in range(size)]
    options = GAMES[2].full_options({"size": size})
    state = GAMES[2].position("/".join(rows) + " 0 40", 2, options, bytes(32))
    return state.outcome and state.outcome.placing.index(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 6}, "size: must be from 3 to 5, not 6 (Q1)"),
        ({"size": "5"}, "size: must be an integer, not '5' (Q1)"),
        ({"ply_limit": 0}, "ply_limit: must be from 1 to 1000, not 0 (Q15)"),
        ({"repetition": 0}, "repetition: must be true or false, not 0 (Q15)"),
        ({"bonus": 1}, "bonus: quixo has no such option; it has: ply_limit, repetition, size"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(BadOption) as refused:
        GAMES[2].full_options(options)
    assert str(refused.value) == message


def test_the_defaults_are_those_of_a_match():
    assert GAMES[4].full_options({}) == {"size": 5, "repetition": True, "ply_limit": 200}


@pytest.mark.parametrize("seats", [1, 3, 4])
def test_quixo_is_for_two_and_its_teams_for_four(seats):
    with pytest.raises(BadSeats):
        GAMES[2].start(seats, GAMES[2].full_options({}), bytes(32))
    with pytest.raises(BadSeats):
        GAMES[4].start(seats % 4, GAMES[4].full_options({}), bytes(32))

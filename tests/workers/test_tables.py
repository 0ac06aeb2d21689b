"""Tables for a terminal: ids can be copied, whatever the width."""

import io

import pytest
from rich.console import Console

from workers.commands import matches, registered
from workers.tables import PIPED_WIDTH, console_for_tables, list_table, places

BOT, OWNER, MATCH = "b_06gq1s2m3n4p5q6r", "o_06gq1s2m3n4p5q6r", "m_sorry-teams_06gq1s2m3n4p5q6r"
CELLS = {"id": MATCH, "owner": OWNER, "bot": BOT, "created_at": "2026-01-02T03:04:05Z"}


def printed(width, columns, **cells):
    row = dict.fromkeys(columns, "some words of text") | CELLS | cells
    console = Console(file=io.StringIO(), width=width)
    console.print(list_table(console, None, columns, [row]))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("columns", [matches.COLUMNS, registered.COLUMNS, ("rank", "name", "rating", "bot")])
def test_ids_are_never_broken(width, columns):
    text = printed(width, columns)
    assert all(CELLS[name] in text for name in ("id", "bot") if name in columns)
    assert max(map(len, text.splitlines())) <= width


def test_what_is_left_out_is_named_and_names_are_whole():
    text = printed(50, ("id", "name", "version", "transport"), name="x" * 90)
    assert "left out for want of room: transport, version" in text
    assert text.count("x") == 90
    assert "left out" not in printed(200, registered.COLUMNS)


def test_a_file_has_room(capsys):
    assert console_for_tables().width == PIPED_WIDTH


@pytest.mark.parametrize(
    ("placing", "said"),
    [
        ([2, 1], "Bo first, Ada second"),
        ([1, 1], "all level"),
        ([3, 1, 3, 1], "Bo first, Di first, Ada third, Cy third"),
    ],
)
def test_places_are_said_best_first(placing, said):
    assert places(["Ada", "Bo", "Cy", "Di"][: len(placing)], placing) == said

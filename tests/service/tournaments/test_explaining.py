"""Each line says what put it where it is."""

import pytest

from service.tournaments.explaining import explanations
from service.tournaments.pairing import Options
from service.tournaments.results import Results
from service.tournaments.standings import standings
from service.tournaments.tally import tally
from tests.service.tournaments.playing import game, table

NAMES = ("Ada", "Bo", "Cy", "Di")


def said(results, entrants=3, tie_breaks=("direct-encounter", "wins", "sonneborn-berger")):
    found = table(results, entrants, Options(), tie_breaks=tie_breaks)
    return [
        (NAMES[row.entrant], text) for row, text in zip(found.rows, explanations(found, NAMES), strict=True)
    ]


def test_points():
    assert said([game(0, 0, "1", 1), game(1, 0, "1", 2), game(2, 1, "=", 2)])[0] == (
        "Ada",
        "ahead of Bo on points, 2 to 0.5",
    )


def test_direct_encounter():
    assert said([game(0, 0, "1", 1), game(1, 1, "1", 2), game(2, 2, "=", 0), game(3, 1, "=", 2)])[1:] == [
        (
            "Bo",
            "level with Ada on points, behind on direct-encounter (the share of the points in the games "
            "among those who are level): 0 to 1",
        ),
        ("Cy", "behind Bo on points, 1 to 1.5"),
    ]


@pytest.mark.parametrize("name", ["wins", "won"])
def test_a_tie_break_and_its_values(name):
    results = [game(0, 0, "1", 1), game(1, 2, "1", 0), game(2, 1, "=", 3), game(3, 1, "=", 3)]
    sentence = dict(said(results, 4, (name,)))["Bo"]
    assert sentence.startswith("level with Cy on points, behind on " + name)
    assert sentence.endswith(": 0 to 1")


def test_shared_and_alone():
    assert said([game(0, 0, "=", 1)], 2)[1] == (
        "Bo",
        "shares the place with Ada, level on points and on every tie-break",
    )
    assert said([], 1) == [("Ada", "")]


def test_annulled():
    found = standings(tally(Results.of([], 2), 2, Options()), (), 1, annulled={1})
    assert list(explanations(found, NAMES))[1].startswith("withdrew before half of its games")

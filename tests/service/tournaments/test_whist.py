"""Rotating partners: whist designs, and their doubles where none exists."""

from collections import Counter
from itertools import product

import pytest

from engines.errors import BadOption
from service.tournaments.whist import whist
from tests.service.tournaments.counting import seat_spread, tables_of


def partners_and_opponents(tables):
    partners, opponents = Counter(), Counter()
    for a, b, c, d in tables:
        partners.update([frozenset((a, c)), frozenset((b, d))])
        opponents.update(frozenset(pair) for pair in product((a, c), (b, d)))
    return partners, opponents


@pytest.mark.parametrize("entrants", range(4, 17))
def test_partners_and_opponents_are_balanced(entrants):
    tables = tables_of(whist(entrants))
    once = 1 if entrants % 4 < 2 else 2  # a whist design needs 0 or 1 modulo 4
    pairs = entrants * (entrants - 1) // 2
    partners, opponents = partners_and_opponents(tables)
    assert len(tables) == pairs * once // 2
    assert (len(partners), set(partners.values())) == (pairs, {once})
    assert (len(opponents), set(opponents.values())) == (pairs, {2 * once})
    assert seat_spread(tables) <= (2 if entrants == 4 else 1)


@pytest.mark.parametrize(
    ("entrants", "rounds", "at_once"),
    [(4, 3, 1), (5, 5, 1), (8, 7, 2), (9, 9, 2), (12, 11, 3), (13, 13, 3), (16, 15, 4)],
)
def test_whist_comes_in_full_rounds(entrants, rounds, at_once):
    cycle = whist(entrants)
    sizes = {cycle.start(index + 1) - cycle.start(index) for index in range(cycle.rounds)}
    assert (cycle.rounds, sizes) == (rounds, {at_once})


def test_with_four_nobody_can_balance_the_seats():
    """Of the eight choices which team of each game sits at seats 0 and 2, each keeps somebody to one side."""
    games = [((3, 0), (1, 2)), ((3, 1), (2, 0)), ((3, 2), (0, 1))]
    for chosen in product((0, 1), repeat=3):
        times = Counter(p for game, side in zip(games, chosen, strict=True) for p in game[side])
        assert any(times[player] in (0, 3) for player in range(4))


def test_the_note_says_how_often():
    assert "partners once and opponents twice" in whist(8).notes[0]
    assert "partners twice and opponents four times" in whist(7).notes[0]
    assert "keeps to one side" in whist(4).notes[1]


@pytest.mark.parametrize("entrants", [2, 3, 17, 40])
def test_other_numbers_are_refused_with_a_way_out(entrants):
    with pytest.raises(BadOption, match="enter fixed teams instead"):
        whist(entrants)

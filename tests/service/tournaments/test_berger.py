"""The Berger tables (FIDE Handbook C.05, annex 1)."""

from collections import Counter
from itertools import pairwise

import pytest

from service.tournaments.berger import Berger
from service.tournaments.formats import FORMATS
from service.tournaments.pairing import Options
from tests.service.tournaments.counting import games_of, longest_run, meetings, tables_of

TABLES = {
    6: "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
    8: "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | "
    "8-6 7-5 1-4 2-3 | 3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1",
}


def rounds_of(cycle):
    bounds = [cycle.start(index) for index in range(cycle.rounds + 1)]
    return [[cycle.seats(i) for i in range(*pair)] for pair in pairwise(bounds)]


@pytest.mark.parametrize("players", TABLES)
def test_the_printed_tables(players):
    text = " | ".join(
        " ".join(f"{first + 1}-{second + 1}" for first, second in tables)
        for tables in rounds_of(Berger(players))
    )
    assert text == TABLES[players]


@pytest.mark.parametrize("players", range(2, 65))
def test_every_pair_once_and_everybody_once_a_round(players):
    cycle = Berger(players)
    tables = tables_of(cycle)
    assert len(tables) == players * (players - 1) // 2
    assert set(meetings(tables).values()) == {1}
    assert cycle.rounds == (players - 1 if players % 2 == 0 else players)
    byes = Counter()
    for pairs in rounds_of(cycle):
        seated = [player for pair in pairs for player in pair]
        assert len(set(seated)) == len(seated) == players - players % 2
        byes.update(set(range(players)) - set(seated))
    assert all(byes[player] == players % 2 for player in range(players))


@pytest.mark.parametrize("players", range(2, 65))
def test_seats_balance_and_runs(players):
    tables = tables_of(Berger(players))
    first = Counter(table[0] for table in tables)
    second = Counter(table[1] for table in tables)
    differences = {abs(first[player] - second[player]) for player in range(players)}
    assert differences == ({1} if players % 2 == 0 else {0})
    assert max(longest_run(tables, player) for player in range(players)) <= 2


@pytest.mark.parametrize("players", range(2, 33))
@pytest.mark.parametrize("cycles", [2, 3, 4])
def test_swapping_the_last_rounds_keeps_runs_at_two(players, cycles):
    schedule = FORMATS["round-robin"].schedule(players, Options(cycles=cycles), None, {})
    tables = [game.seats for game in games_of(schedule)]
    longest = max(longest_run(tables, player) for player in range(players))
    assert longest <= (3 if players == 4 and cycles > 2 else 2)


@pytest.mark.parametrize("players", range(6, 13, 2))
def test_without_the_swap_the_longest_run_is_three(players):
    tables = tables_of(Berger(players))
    tables += [pair[::-1] for pair in tables]
    assert max(longest_run(tables, player) for player in range(players)) == 3


def test_only_the_last_two_rounds_of_the_first_cycle_are_swapped():
    schedule = FORMATS["round-robin"].schedule(6, Options(cycles=2), None, {})
    once = rounds_of(Berger(6))
    expected = [*once[:3], once[4], once[3], *([pair[::-1] for pair in pairs] for pairs in once)]
    played = [[schedule.game(i).seats for i in schedule.games_in(number)] for number in range(1, 11)]
    assert played == expected


@pytest.mark.parametrize("players", [2, 3, 7, 8, 31, 64])
def test_the_tables_of_a_player(players):
    cycle = Berger(players)
    tables = tables_of(cycle)
    for player in range(players):
        assert list(cycle.tables_of(player)) == [i for i, table in enumerate(tables) if player in table]

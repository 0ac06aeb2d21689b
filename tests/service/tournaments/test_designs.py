"""Tables of 3 and 4: the known designs, seats within ±1, and near-balanced tables beyond them."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.tournaments.designs import LISTED_UP_TO, tables
from service.tournaments.seats import balanced
from tests.service.tournaments.counting import meetings, seat_spread, tables_of

KNOWN = {  # (entrants, seats): (tables, meetings of every pair)
    (5, 3): (10, 3), (6, 3): (10, 2), (7, 3): (7, 1), (8, 3): (56, 6), (9, 3): (12, 1), (10, 3): (30, 2),
    (13, 3): (26, 1), (15, 3): (35, 1),
    (5, 4): (5, 3), (6, 4): (15, 6), (7, 4): (7, 2), (8, 4): (14, 3), (9, 4): (18, 3), (10, 4): (15, 2),
    (13, 4): (13, 1), (16, 4): (20, 1),
    # the smallest that divisibility allows
    (3, 3): (1, 1), (4, 3): (4, 2), (11, 3): (55, 3), (12, 3): (44, 2), (14, 3): (182, 6), (16, 3): (80, 2),
    (4, 4): (1, 1), (11, 4): (55, 6), (12, 4): (33, 3), (14, 4): (91, 6), (15, 4): (105, 6),
}  # fmt: skip


@pytest.mark.parametrize(("entrants", "seats"), KNOWN)
def test_every_pair_meets_equally_often(entrants, seats):
    listed = tables_of(tables(entrants, seats))
    counts = meetings(listed)
    wanted = len(listed), *set(counts.values())
    assert wanted == KNOWN[entrants, seats]
    assert len(counts) == entrants * (entrants - 1) // 2


def test_every_number_up_to_the_limit_has_a_known_design():
    wanted = {(entrants, seats) for seats in (3, 4) for entrants in range(seats, LISTED_UP_TO + 1)}
    assert set(KNOWN) == wanted


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("entrants", range(3, 65))
def test_seats_are_within_one_of_balance(entrants, seats):
    if entrants >= seats:
        assert seat_spread(tables_of(tables(entrants, seats))) <= 1


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("entrants", range(3, 17))
def test_nobody_sits_twice_in_a_round(entrants, seats):
    if entrants < seats:
        return
    cycle = tables(entrants, seats)
    for index in range(cycle.rounds):
        seated = [p for i in range(cycle.start(index), cycle.start(index + 1)) for p in cycle.seats(i)]
        assert len(seated) == len(set(seated))


@pytest.mark.parametrize(
    ("entrants", "seats", "rounds", "at_once"),
    [
        (9, 3, 4, 3),
        (16, 4, 5, 4),
        (15, 3, 7, 5),
        (8, 4, 7, 2),
        (12, 3, 11, 4),
        (12, 4, 11, 3),
        (16, 3, 16, 5),
    ],
)
def test_resolvable_designs_come_in_full_rounds(entrants, seats, rounds, at_once):
    cycle = tables(entrants, seats)
    sizes = {cycle.start(index + 1) - cycle.start(index) for index in range(cycle.rounds)}
    assert (cycle.rounds, sizes) == (rounds, {at_once})


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("entrants", [*range(17, 65, 5), 100, 333])
def test_beyond_the_designs_the_stated_imbalance_is_the_true_one(entrants, seats):
    cycle = tables(entrants, seats)
    counts = meetings(tables_of(cycle))
    least, most = min(counts.values()), max(counts.values())
    assert len(counts) == entrants * (entrants - 1) // 2
    assert (least, most) in {(1, 1), (1, 2), (1, 3)}
    stated = f"every two entrants meet {least} to {most} times in a cycle"
    assert stated in cycle.notes


@pytest.mark.parametrize("entrants", [17, 20, 33])
def test_a_round_beyond_the_designs_seats_everybody_once_in_each_seat(entrants):
    cycle = tables(entrants, 4)
    for index in range(cycle.rounds):
        listed = [cycle.seats(i) for i in range(cycle.start(index), cycle.start(index + 1))]
        assert all({table[seat] for table in listed} == set(range(entrants)) for seat in range(4))


@pytest.mark.parametrize(("entrants", "seats"), [(7, 3), (10, 4), (14, 3), (17, 4), (40, 3)])
def test_the_tables_of_a_player(entrants, seats):
    cycle = tables(entrants, seats)
    listed = tables_of(cycle)
    for player in range(entrants):
        assert list(cycle.tables_of(player)) == [i for i, table in enumerate(listed) if player in table]


@pytest.mark.parametrize(("entrants", "seats"), [(6, 3), (8, 3), (6, 4), (7, 4), (10, 4), (9, 2)])
def test_all_combinations_can_be_seated_within_one(entrants, seats):
    listed = list(combinations(range(entrants), seats))
    assert seat_spread(listed) > 1
    reseated = balanced(listed)
    assert [sorted(table) for table in reseated] == [list(table) for table in listed]
    assert seat_spread(reseated) <= 1


@given(
    st.integers(2, 5).flatmap(
        lambda k: st.lists(st.permutations(range(9)).map(lambda p: tuple(p[:k])), min_size=1)
    )
)
def test_any_tables_can_be_seated_within_one(listed):
    reseated = balanced(listed)
    assert [sorted(table) for table in reseated] == [sorted(table) for table in listed]
    assert seat_spread(reseated) <= 1

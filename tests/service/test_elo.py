"""Online Elo: the known expectations, the sums that are kept, and the rounding that a port must repeat."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service import elo

K = st.sampled_from([10, 20, 32, 40])
GAMES = st.integers(0, 60)
RATING = st.integers(-2_000_000, 5_000_000)


@pytest.mark.parametrize(
    ("points", "wanted"), [(0, 0.5), (100, 0.6401), (200, 0.7597), (400, 0.9091), (-100, 0.3599)]
)
def test_known_expectations(points, wanted):
    assert elo.expected(points * 1000) / 1e6 == pytest.approx(wanted, abs=5e-5)


def test_interpolation_is_within_two_millionths_of_the_logistic():
    for diff in range(-1_000_000, 1_000_001, 377):
        assert abs(elo.expected(diff) - 1e6 / (1 + 10 ** (-diff / 400_000))) < 2


def test_the_table_is_the_same_on_every_machine():
    assert len(elo.TABLE) == 1001
    digest = hashlib.sha256(",".join(map(str, elo.TABLE)).encode()).hexdigest()
    assert digest == "d0e5ccea3ebfd5a2e43d91f7a602af984e9fde371d2c80ac315f85ebbeac31dd"


@given(st.integers(-3_000_000, 3_000_000))
def test_expectations_of_the_two_sides_make_one(diff):
    assert elo.expected(diff) + elo.expected(-diff) == 1_000_000


def test_beyond_a_thousand_points_the_expectation_stands_still():
    assert elo.expected(1_000_000) == elo.expected(1_000_001) == elo.expected(9_000_000) == 996_848


@pytest.mark.parametrize(("games", "k"), [(0, 40), (29, 40), (30, 20), (10_000, 20)])
def test_k_after_so_many_games(games, k):
    assert elo.k_factor(games) == k


@pytest.mark.parametrize(
    ("ratings", "ks", "placing", "teams", "wanted"),
    [
        # multielo's example: [1208.346, 910.434, 981.220]
        ([1_200_000, 900_000, 1_000_000], [32] * 3, [1, 2, 3], None, (8_346, 10_434, -18_780)),
        ([1_500_000, 1_500_000], [20, 20], [1, 2], None, (10_000, -10_000)),
        ([1_500_000, 1_500_000], [40, 20], [1, 2], None, (20_000, -10_000)),
        ([1_600_000, 1_500_000], [20, 20], [1, 1], None, (-2_801, 2_801)),
        # Sorry! with four: the three behind the winner tie
        ([1_500_000] * 4, [20] * 4, [1, 2, 2, 2], None, (15_000, -5_000, -5_000, -5_000)),
        # teams 0+2 and 1+3: means 1600 and 1500
        ([1_700_000, 1_500_000, 1_500_000, 1_500_000], [20] * 4, [1, 2, 1, 2], [0, 1, 0, 1],
         (7_199, -7_199, 7_199, -7_199)),
    ],
)  # fmt: skip
def test_changes(ratings, ks, placing, teams, wanted):
    assert elo.changes_by_k(ratings, ks, placing, teams) == wanted


def test_changes_takes_k_from_the_games():
    assert elo.changes([1_500_000] * 2, [29, 30], [1, 2]) == (20_000, -10_000)


@given(
    st.lists(st.tuples(RATING, st.integers(1, 6)), min_size=2, max_size=6), st.sampled_from([10, 20, 32, 40])
)
def test_with_one_k_the_changes_sum_to_zero(seats, k):
    ratings, placing = zip(*seats, strict=True)
    assert sum(elo.changes_by_k(ratings, [k] * len(seats), placing)) == 0


@given(st.lists(RATING, min_size=4, max_size=4), st.sampled_from([(1, 2), (1, 1), (2, 1)]))
def test_team_changes_sum_to_zero_and_are_equal_within_a_team(ratings, places):
    changes = elo.changes_by_k(ratings, [20] * 4, places * 2, [0, 1, 0, 1])
    assert sum(changes) == 0
    assert changes[0] == changes[2]
    assert changes[1] == changes[3]


@given(st.lists(st.tuples(RATING, GAMES, st.integers(1, 4)), min_size=2, max_size=4), st.randoms())
def test_the_order_of_the_seats_does_not_matter(seats, random):
    shuffled = random.sample(range(len(seats)), len(seats))
    plain = elo.changes(*zip(*seats, strict=True))
    moved = elo.changes(*zip(*[seats[i] for i in shuffled], strict=True))
    assert [moved[shuffled.index(i)] for i in range(len(seats))] == list(plain)


@given(st.lists(st.tuples(RATING, st.integers(1, 4)), min_size=2, max_size=4))
def test_the_winner_never_loses_and_the_last_never_gains(seats):
    ratings, placing = zip(*seats, strict=True)
    if len(set(placing)) == len(placing):
        changes = elo.changes_by_k(ratings, [20] * len(seats), placing)
        assert changes[placing.index(min(placing))] >= 0
        assert changes[placing.index(max(placing))] <= 0


@pytest.mark.parametrize(
    ("ratings", "games", "placing", "teams"),
    [
        ([1, 2], [0], [1, 2], None),
        ([1, 2], [0, 0], [1, 2], [0]),
        ([1], [0], [1], None),
        ([1, 2], [0, 0], [1, 1], [0, 0]),
        ([1, 2, 3, 4], [0] * 4, [1, 2, 2, 2], [0, 1, 0, 1]),
    ],
)
def test_what_is_no_game_is_refused(ratings, games, placing, teams):
    with pytest.raises(ValueError):
        elo.changes(ratings, games, placing, teams)

"""The fit: known figures, an independent fit, any order, pools, ties, teams, degenerate results."""

import itertools
import math

import numpy as np
import pytest

from service.ratings.fit import POINTS, superiority
from service.ratings.fit import fit as fit_together
from service.ratings.games import Games
from service.ratings.models import Davidson, Luce
from service.ratings.newton import gradient, information
from tests.service.ratings.simulated import davidson_games, luce_games
from tests.service.ratings.simulated import fit_one as fit

WIN, DRAW, LOSS = (1, 2), (1, 1), (2, 1)


def games(*lines, clusters=None):
    """Games from (seats, placing) lines."""
    return Games.of([seats for seats, _ in lines], [placing for _, placing in lines], clusters=clusters)


def even(count):
    """Two players, half of the games won by each, from both seats."""
    return games(*([((0, 1), WIN), ((1, 0), WIN), ((0, 1), LOSS), ((1, 0), LOSS)] * (count // 4)))


@pytest.mark.parametrize(("count", "half_width"), [(100, 68), (300, 39), (1000, 21.5), (3000, 12.4)])
def test_the_known_half_widths_without_draws(count, half_width):
    (pool,) = fit(even(count), 2)
    gap = pool.difference(0, 1)
    assert gap.points == pytest.approx(0, abs=1e-9)
    assert gap.half_width == pytest.approx(half_width, rel=0.01)
    assert pool.superiority(0, 1) == pytest.approx(0.5)


def test_the_likelihood_of_superiority():
    assert superiority(60, 40) == pytest.approx(0.9772, abs=1e-4)
    assert superiority(40, 60) == pytest.approx(0.0228, abs=1e-4)
    assert superiority(0, 0) == 0.5


def test_two_players_by_hand():
    """75 : 25 from each seat is odds of 3."""
    lines = [((0, 1), WIN), ((0, 1), WIN), ((0, 1), WIN), ((0, 1), LOSS)]
    lines += [((1, 0), LOSS), ((1, 0), LOSS), ((1, 0), LOSS), ((1, 0), WIN)]
    (pool,) = fit(games(*lines * 10), 2)
    assert pool.difference(0, 1).points == pytest.approx(400 * math.log10(3))
    assert pool.rating(0).points + pool.rating(1).points == pytest.approx(3000)
    assert pool.first_seat.points == pytest.approx(0, abs=1e-6)
    assert pool.games.tolist() == [80, 80]
    assert pool.opponents.tolist() == [1, 1]
    assert pool.finite


def test_the_first_seat_by_hand():
    """The first seat wins 4 of 5 whoever sits there."""
    lines = [((0, 1), WIN)] * 4 + [((0, 1), LOSS)] + [((1, 0), WIN)] * 4 + [((1, 0), LOSS)]
    (pool,) = fit(games(*lines), 2)
    assert pool.first_seat.points == pytest.approx(400 * math.log10(4))
    assert pool.difference(0, 1).points == pytest.approx(0, abs=1e-6)


def test_davidsons_draw_term_by_hand():
    """Between equals the odds of a draw to a win are ν."""
    lines = (
        [((0, 1), WIN), ((0, 1), LOSS), ((1, 0), WIN), ((1, 0), LOSS)]
        + [((0, 1), DRAW)] * 3
        + [((1, 0), DRAW)] * 3
    )
    (pool,) = fit(games(*lines), 2)
    assert pool.draw == pytest.approx(3)
    assert fit(even(8), 2)[0].draw is None


@pytest.mark.parametrize("seed", range(5))
def test_against_evalica(seed):
    """An independent Bradley–Terry (no draws, no seat term) agrees to 1e-6."""
    evalica = pytest.importorskip("evalica")
    rng = np.random.default_rng(seed)
    results = davidson_games(rng, rng.normal(0, 0.7, 30), 100, seat=0.0)
    (pool,) = fit(results, 30, seat_term=False)
    winners = [
        evalica.Winner.X if first < second else evalica.Winner.Y for first, second in results.placing.tolist()
    ]
    names = [str(player) for player in range(30)]
    xs, ys = ([names[player] for player in column] for column in results.seats.T)
    found = evalica.bradley_terry(xs, ys, winners, tolerance=1e-14, limit=100_000)
    theirs = np.log([found.scores[name] for name in names])
    assert pool.finite
    assert pool.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-6)


@pytest.mark.parametrize("kind", ["bradley-terry", "davidson", "luce"])
def test_the_derivatives_are_those_of_the_likelihood(kind):
    rng = np.random.default_rng(3)
    strengths = rng.normal(0, 0.7, 8)
    if kind == "luce":
        model = Luce.of(luce_games(rng, strengths, 60), 8)
    else:
        played = davidson_games(rng, strengths, 60, nu=0.8 if kind == "davidson" else 0.0)
        model = Davidson.of(played, 8, draws=kind == "davidson", seat_term=True)
    at = rng.normal(0, 0.3, model.size)
    terms = model.terms(at)
    for number, step in enumerate(np.eye(model.size) * 1e-5):
        up, down = model.terms(at + step), model.terms(at - step)
        slope = (up.likelihood - down.likelihood) / 2e-5
        assert gradient(model, terms)[number] == pytest.approx(slope, abs=1e-4)
        bend = (gradient(model, up) - gradient(model, down)) / -2e-5
        assert information(model, terms)[number] == pytest.approx(bend, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_the_results_changes_the_fit(seed):
    rng = np.random.default_rng(seed)
    played = davidson_games(rng, rng.normal(0, 0.7, 12), 60, nu=0.8)
    four = luce_games(rng, rng.normal(0, 0.7, 12), 60)
    for results in (played, four):
        order = rng.permutation(len(results.seats))
        (one,), (other,) = fit(results, 12), fit(results.chosen(order), 12)
        assert one.strengths.tobytes() == other.strengths.tobytes()
        assert one.covariance.tobytes() == other.covariance.tobytes()


def test_relabelled_players_keep_their_ratings():
    rng = np.random.default_rng(5)
    results = davidson_games(rng, rng.normal(0, 0.7, 12), 60, nu=0.8)
    new = rng.permutation(12)
    (one,), (other,) = fit(results, 12), fit(Games.of(new[results.seats], results.placing), 12)
    for player in range(12):
        assert other.rating(new[player]).points == pytest.approx(one.rating(player).points, abs=1e-6)
        assert other.rating(new[player]).half_width == pytest.approx(one.rating(player).half_width, rel=1e-6)


def test_luce_with_two_seats_is_bradley_terry():
    rng = np.random.default_rng(6)
    results = davidson_games(rng, rng.normal(0, 0.7, 6), 60, seat=0.0)
    (pool,) = fit(results, 6, seat_term=False)
    luce = Luce.of(results, 6)
    assert gradient(luce, luce.terms(pool.strengths)) == pytest.approx(0, abs=1e-6)


def test_luce_by_hand():
    """One of three wins half of the games, the others a quarter each: odds of 2."""
    wins = [(1, 2, 2), (1, 2, 2), (2, 1, 2), (2, 2, 1)]
    (pool,) = fit(games(*(((0, 1, 2), placing) for placing in wins * 20)), 3)
    assert pool.difference(0, 1).points == pytest.approx(400 * math.log10(2))
    assert pool.difference(1, 2).points == pytest.approx(0, abs=1e-6)
    assert pool.first_seat is pool.draw is None


def test_a_shared_first_place_is_shared_out():
    """Two who share every first place are worth the same as two who take turns at it."""
    shared = games(*([((0, 1, 2), (1, 1, 3)), ((0, 1, 2), (2, 2, 1))] * 10))
    taken = games(
        *(
            [((0, 1, 2), (1, 2, 2)), ((0, 1, 2), (2, 1, 2)), ((0, 1, 2), (2, 2, 1)), ((0, 1, 2), (2, 2, 1))]
            * 5
        )
    )
    assert fit(shared, 3)[0].strengths == pytest.approx(fit(taken, 3)[0].strengths)


def test_the_places_behind_the_winner_say_nothing():
    rng = np.random.default_rng(8)
    tied = luce_games(rng, rng.normal(0, 0.5, 8), 80)
    ranked = Games.of(tied.seats, np.where(tied.placing == 1, 1, rng.integers(2, 5, tied.placing.shape)))
    assert fit(tied, 8)[0].strengths == pytest.approx(fit(ranked, 8)[0].strengths)


def test_disconnected_pools_are_reported_not_joined():
    four = [
        ((0, 1), WIN),
        ((1, 0), WIN),
        ((2, 3), WIN),
        ((3, 2), WIN),
        ((2, 3), LOSS),
        ((3, 5), WIN),
        ((5, 3), WIN),
    ]
    large, small = fit(games(*four), 7)
    assert (large.players, small.players) == ((2, 3, 5), (0, 1))  # 4 and 6 have not played
    with pytest.raises(KeyError, match="player 2 is not in this pool"):
        small.difference(0, 2)


def test_a_table_of_four_connects_all_who_sit_at_it():
    lines = [((0, 1, 2, 3), (1, 2, 2, 2)), ((3, 4, 5, 6), (1, 2, 2, 2))]
    assert [pool.players for pool in fit(games(*lines), 8)] == [tuple(range(7))]


def test_no_results_make_no_pools():
    assert fit(Games.of(np.zeros((0, 2)), np.zeros((0, 2))), 5) == ()


@pytest.mark.parametrize(
    "lines",
    [
        [((0, 1), WIN)],
        [((0, 1), WIN), ((1, 0), LOSS)] * 50,  # everything won
        [((0, 1), WIN), ((0, 1), LOSS)] * 5,  # always in the same seats
        [((0, 1), DRAW)] * 5,
        [((0, 1), WIN), ((1, 0), WIN)] * 5,  # the first seat wins everything
        [((0, 1), WIN), ((1, 0), WIN), ((2, 3), LOSS), ((3, 2), LOSS), ((0, 2), WIN), ((3, 1), LOSS)],
        [((0, 1, 2, 3), (1, 2, 2, 2))],
        [((0, 1, 2), (1, 1, 1))] * 3 + [((0, 1, 3), (1, 1, 2))],
    ],
)
def test_results_without_a_finite_maximum_are_marked_and_kept_finite(lines):
    (pool,) = fit(games(*lines), 4)
    assert not pool.finite
    for player in pool.players:
        assert math.isfinite(pool.rating(player).points)
        assert 100 < pool.rating(player).half_width < 1000


def test_who_won_everything_is_likely_superior():
    (pool,) = fit(games(*([((0, 1), WIN), ((1, 0), LOSS)] * 10)), 2)
    assert pool.difference(0, 1).low > 0
    assert pool.superiority(0, 1) > 0.99


def team_games(rng, strengths, count):
    tables = rng.random((count, len(strengths))).argsort(axis=1)[:, :4]
    d = strengths[tables] @ np.array([0.5, -0.5, 0.5, -0.5])
    won = rng.random(count) < 1 / (1 + np.exp(-d))
    return Games.of(tables, np.where(won[:, None], (1, 2, 1, 2), (2, 1, 2, 1)), teams=True)


def test_a_team_is_worth_the_mean_of_its_seats():
    rng = np.random.default_rng(11)
    strengths = rng.normal(0, 1, 10)
    (pool,) = fit(team_games(rng, strengths, 20_000), 10)
    assert pool.strengths == pytest.approx(strengths - strengths.mean(), abs=0.15)
    assert pool.opponents.tolist() == [9] * 10


def test_one_bot_in_both_seats_of_a_team_plays_as_itself():
    rng = np.random.default_rng(12)
    results = davidson_games(rng, rng.normal(0, 0.7, 6), 60, nu=0.5)
    doubled = Games.of(np.tile(results.seats, 2), np.tile(results.placing, 2), teams=True)
    (one,), (other,) = fit(results, 6), fit(doubled, 6)
    assert other.strengths == pytest.approx(one.strengths)
    assert other.covariance == pytest.approx(one.covariance)
    assert other.games.tolist() == one.games.tolist()


def test_each_game_its_own_cluster_agrees_with_the_information():
    rng = np.random.default_rng(13)
    results = davidson_games(rng, rng.normal(0, 0.7, 8), 2000, nu=0.8)
    alone = Games.of(results.seats, results.placing, clusters=np.arange(len(results.seats)))
    (plain,), (robust,) = fit(results, 8), fit(alone, 8)
    for player in range(8):
        assert robust.rating(player).half_width == pytest.approx(plain.rating(player).half_width, rel=0.1)


@pytest.mark.parametrize("seats", [2, 4])
def test_repeated_games_do_not_narrow_a_clustered_interval(seats):
    """Every game copied four times under one cluster: the plain interval halves, the robust one stays."""
    rng = np.random.default_rng(14)
    strengths = rng.normal(0, 0.5, 8)
    once = davidson_games(rng, strengths, 500) if seats == 2 else luce_games(rng, strengths, 500)
    number = np.arange(len(once.seats))
    copied = Games.of(np.tile(once.seats, (4, 1)), np.tile(once.placing, (4, 1)), clusters=np.tile(number, 4))
    single = Games.of(once.seats, once.placing, clusters=number)
    (plain,) = fit(Games.of(copied.seats, copied.placing), 8)
    (robust,), (wanted,) = fit(copied, 8), fit(single, 8)
    assert robust.covariance == pytest.approx(wanted.covariance, rel=1e-6, abs=1e-12)
    assert plain.rating(0).half_width < 0.6 * robust.rating(0).half_width


def test_the_sandwich_against_sums_by_hand():
    rng = np.random.default_rng(15)
    results = luce_games(rng, rng.normal(0, 0.5, 9), 80)
    clusters = rng.integers(0, 40, len(results.seats))  # of uneven size, over many tables
    (plain,) = fit(results, 9)
    (robust,) = fit(Games.of(results.seats, results.placing, clusters=clusters), 9)
    model = Luce.of(results, 9, combined=False)
    each = np.zeros((len(results.seats), 9))
    np.add.at(each, (np.arange(len(each)), model.parameters), model.terms(plain.strengths).score)
    sums = [each[clusters == number].sum(axis=0) for number in np.unique(clusters)]
    meat = sum(np.outer(total, total) for total in sums)
    wanted = plain.covariance @ meat @ plain.covariance * len(sums) / (len(sums) - 1)
    assert robust.covariance == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_superiority_is_complementary_and_ordered():
    rng = np.random.default_rng(16)
    (pool,) = fit(davidson_games(rng, np.linspace(-1, 1, 6), 100, nu=0.5), 6)
    for one, other in itertools.combinations(range(6), 2):
        assert pool.superiority(one, other) + pool.superiority(other, one) == pytest.approx(1)
    assert pool.superiority(5, 0) > 0.999
    assert pool.difference(5, 0).points == pytest.approx(
        2 * POINTS, abs=pool.difference(5, 0).half_width * 1.5
    )


@pytest.mark.parametrize(
    ("seats", "placing", "teams", "clusters", "match"),
    [
        ([[0, 1]], [[1, 2, 3]], False, None, "must both be games × seats"),
        ([0, 1], [1, 2], False, None, "must both be games × seats"),
        ([[0, 1]], [[1, 2]], True, None, "teams of two need four seats, not 2"),
        ([[0, 1]], [[1, 2]], False, [1, 2], "one cluster for each of 1 games"),
    ],
)
def test_columns_that_do_not_fit_are_refused(seats, placing, teams, clusters, match):
    with pytest.raises(ValueError, match=match):
        Games.of(seats, placing, teams, clusters)


def test_games_of_two_and_of_more_seats_are_fitted_together():
    """Both kinds tell of the same strengths: the interval is narrower than that of either alone."""
    rng = np.random.default_rng(5)
    strengths = np.linspace(-1, 1, 12)
    two, four = davidson_games(rng, strengths, 400, nu=0.3), luce_games(rng, strengths, 400)
    (both,) = fit_together([two, four], 12)
    widths = {}
    for name, pools in (("two", fit(two, 12)), ("four", fit(four, 12)), ("both", (both,))):
        (pool,) = pools
        widths[name] = pool.rating(3).half_width
        low, high = pool.rating(11).low, pool.rating(11).high
        assert low - 60 < 1500 + POINTS * strengths[11] < high + 60
    assert widths["both"] < min(widths["two"], widths["four"])
    information = [1 / widths[name] ** 2 for name in ("two", "four", "both")]
    assert information[2] == pytest.approx(information[0] + information[1], rel=0.15)
    assert both.games.sum() == 2 * len(two.seats) + 4 * len(four.seats)
    assert both.first_seat is not None
    assert both.draw is not None


def test_kinds_connect_pools():
    two = games(*([((0, 1), WIN), ((1, 0), WIN)] * 3))
    three = Games.of(
        [(2, 3, 4), (1, 2, 3), (4, 2, 1), (3, 1, 2)], [(1, 2, 2), (2, 1, 3), (1, 2, 3), (1, 2, 3)]
    )
    assert [pool.players for pool in fit_together([two, three], 5)] == [(0, 1, 2, 3, 4)]
    assert [pool.players for pool in fit(two, 5)] == [(0, 1)]


def test_clusters_of_both_kinds_count_once():
    rng = np.random.default_rng(6)
    strengths = np.zeros(6)
    kinds = [davidson_games(rng, strengths, 200), luce_games(rng, strengths, 200)]
    alone = [Games.of(k.seats, k.placing, clusters=np.arange(len(k.seats))) for k in kinds]
    doubled = [
        Games.of(
            np.repeat(k.seats, 2, axis=0),
            np.repeat(k.placing, 2, axis=0),
            clusters=np.repeat(np.arange(len(k.seats)), 2),
        )
        for k in kinds
    ]
    (one,), (two,) = fit_together(alone, 6), fit_together(doubled, 6)
    assert two.rating(0).half_width == pytest.approx(one.rating(0).half_width, rel=1e-6)

"""The sequential test over pairs of games."""

import math
import random

import pytest

from service.ratings.sprt import Sprt, Verdict, expected_score, lead

TEST = Sprt(0, 20)


def test_the_known_bounds():
    assert TEST.upper == pytest.approx(2.944, abs=5e-4)
    assert TEST.lower == pytest.approx(-2.944, abs=5e-4)


def test_nothing_played_says_nothing():
    assert (TEST.llr, TEST.verdict) == (0, Verdict.RUNNING)
    assert TEST.superiority == 0.5
    assert TEST.elo.points == 0


@pytest.mark.parametrize(("lead_points", "score"), [(0, 0.5), (100, 0.6401), (200, 0.7597), (400, 0.9091)])
def test_scores_and_leads(lead_points, score):
    assert expected_score(lead_points) == pytest.approx(score, abs=5e-5)
    assert lead(expected_score(lead_points)) == pytest.approx(lead_points)


def likelihood(shares, counts):
    return sum(n * math.log(p) for n, p in zip(counts, shares, strict=True))


def best_by_search(counts, mean):
    """The largest likelihood of the pairs with that mean score, by search along three free shares."""

    def value(free):
        # the counts tilted freely, then by the one factor that makes the mean right
        raw = [n * math.exp(t) for n, t in zip(counts, [0, *free, 0], strict=True)]
        low, high = -60.0, 60.0
        for _ in range(200):
            tilt = (low + high) / 2
            weights = [r * math.exp(tilt * i / 4) for i, r in enumerate(raw)]
            at = sum(w * i / 4 for i, w in enumerate(weights)) / sum(weights)
            low, high = (tilt, high) if at < mean else (low, tilt)
        return likelihood([w / sum(weights) for w in weights], counts)

    best, width = [0.0, 0.0, 0.0], 1.0
    while width > 1e-7:
        moves = [[*best[:i], best[i] + sign * width, *best[i + 1 :]] for i in range(3) for sign in (-1, 1)]
        top = max(moves, key=value)
        if value(top) > value(best):
            best = top
        else:
            width /= 2
    return value(best)


@pytest.mark.parametrize("pairs", [(10, 20, 40, 25, 12), (3, 5, 80, 9, 4), (50, 10, 20, 10, 60)])
def test_the_figure_against_a_search_for_both_maxima(pairs):
    test = Sprt(0, 20, pairs=pairs)
    wanted = best_by_search(pairs, expected_score(20)) - best_by_search(pairs, expected_score(0))
    assert test.llr == pytest.approx(wanted, abs=1e-5)


def test_the_figure_is_antisymmetric():
    counts = (7, 21, 44, 30, 16)
    assert Sprt(-5, 10, pairs=counts).llr == pytest.approx(-Sprt(-10, 5, pairs=counts[::-1]).llr)


def test_wins_lead_to_h1_and_losses_to_h0():
    for halves, verdict in ((3, Verdict.H1), (1, Verdict.H0)):
        test = TEST
        while test.verdict is Verdict.RUNNING:
            test = test.after(halves).after(2)
        assert test.verdict is verdict


def test_the_lead_so_far():
    test = Sprt(0, 20, pairs=(10, 20, 40, 30, 20))
    assert test.elo.points == pytest.approx(lead(270 / 480))
    assert test.elo.low < test.elo.points < test.elo.high
    assert 0.5 < test.superiority < 1
    assert Sprt(0, 20, pairs=(0, 0, 0, 0, 3)).elo is None


def decided(rng, elo, drawishness=0.5):
    """The verdict of a test of a player who truly leads by `elo`."""
    score = expected_score(elo)
    win = score - drawishness / 2
    test = Sprt(0, 40)
    while test.verdict is Verdict.RUNNING:
        halves = sum(rng.choices([2, 1, 0], [win, drawishness, 1 - win - drawishness])[0] for _ in range(2))
        test = test.after(halves)
    return test.verdict


@pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.H1), (40, Verdict.H0)])
def test_error_rates(elo, wrong):
    rng = random.Random(elo)
    verdicts = [decided(rng, elo) for _ in range(60)]
    assert verdicts.count(wrong) <= 8  # 3 are to be expected; 9 or more come once in 300 times


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.H1), (40, Verdict.H0)])
def test_error_rates_at_length(elo, wrong):
    rng = random.Random(100 + elo)
    verdicts = [decided(rng, elo) for _ in range(1000)]
    assert verdicts.count(wrong) <= 70


@pytest.mark.parametrize(
    "options",
    [
        {"elo0": 20, "elo1": 0},
        {"elo0": 5, "elo1": 5},
        {"elo0": 0, "elo1": 5000},
        {"elo0": 0, "elo1": 20, "alpha": 0.6},
        {"elo0": 0, "elo1": 20, "beta": 0},
        {"elo0": 0, "elo1": 20, "pairs": (1, 2, 3)},
        {"elo0": 0, "elo1": 20, "pairs": (1, 2, 3, -1, 0)},
    ],
)
def test_what_is_no_test_is_refused(options):
    with pytest.raises(ValueError):
        Sprt(**options)
    with pytest.raises(ValueError, match="0 to 4 half-points, not 5"):
        TEST.after(5)

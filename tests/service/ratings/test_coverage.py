"""The 95 % intervals hold the true ratings 93 to 97 times in a hundred."""

import numpy as np
import pytest

from service.ratings.fit import MEAN, POINTS
from service.ratings.games import Games
from tests.service.ratings.simulated import davidson_games, draw_term, drawn, fit_one, luce_games

PLAYERS = 20


def coverage(make, repetitions, seed=1):
    """How often the truth lies in the interval, over all players and repetitions; `make` draws the games."""
    inside = []
    for repetition in range(repetitions):
        rng = np.random.default_rng([seed, repetition])
        strengths = rng.normal(0, 0.6, PLAYERS)
        truth = MEAN + POINTS * (strengths - strengths.mean())
        (pool,) = fit_one(make(rng, strengths), PLAYERS)
        ratings = [pool.rating(player) for player in range(PLAYERS)]
        inside += [rating.low <= true <= rating.high for rating, true in zip(ratings, truth, strict=True)]
    return np.mean(inside)


def davidson(games_each, share):
    def make(rng, strengths):
        nu = draw_term(rng, strengths, share) if share else 0.0
        return davidson_games(rng, strengths, games_each, nu=nu)

    return make


def luce(games_each):
    return lambda rng, strengths: luce_games(rng, strengths, games_each)


def duplicate(games_each, clustered=True):
    """Sets of four games from one deck; in half of the sets the deck alone decides who wins, in all four."""

    def make(rng, strengths):
        tables = luce_games(rng, strengths, games_each // 4).seats
        seats = np.concatenate([np.roll(tables, turn, axis=1) for turn in range(4)])
        weights = np.exp(strengths[seats])
        winner = seats[np.arange(len(seats)), drawn(rng, weights / weights.sum(axis=1, keepdims=True))]
        by_deck = np.tile(rng.random(len(tables)) < 0.5, 4)
        winner = np.where(by_deck, np.tile(winner[: len(tables)], 4), winner)
        placing = np.where(seats == winner[:, None], 1, 2)
        return Games.of(seats, placing, clusters=np.tile(np.arange(len(tables)), 4) if clustered else None)

    return make


CASES = {
    "davidson-40": davidson(40, 0),
    "davidson-400": davidson(400, 0),
    "davidson-40-drawn": davidson(40, 0.3),
    "davidson-400-drawn": davidson(400, 0.3),
    "luce-40": luce(40),
    "luce-400": luce(400),
    "duplicate-400": duplicate(400),
}


@pytest.mark.parametrize("case", CASES)
def test_coverage(case):
    assert 0.93 <= coverage(CASES[case], 200) <= 0.97


def test_games_of_one_deck_taken_for_independent_miss_too_often():
    assert coverage(duplicate(400, clustered=False), 100) < 0.85


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("case", CASES)
def test_coverage_at_length(case):
    assert 0.93 <= coverage(CASES[case], 5000, seed=2) <= 0.97

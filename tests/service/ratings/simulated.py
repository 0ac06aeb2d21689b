"""Results drawn from known strengths."""

import numpy as np

from service.ratings.fit import fit
from service.ratings.games import Games


def fit_one(games, players, seat_term=True):
    """The fit of games of one kind."""
    return fit([games], players, seat_term)


def round_robin_pairs(rng, players, games_each):
    """Pairs of a random schedule in which everybody plays about `games_each` games."""
    first = rng.integers(0, players, players * games_each // 2)
    second = (first + rng.integers(1, players, len(first))) % players
    return np.stack([first, second], axis=1)


def davidson_chances(strengths, pairs, seat, nu):
    """The chances of win, draw and loss of the first-named."""
    d = strengths[pairs[:, 0]] - strengths[pairs[:, 1]] + seat
    weights = np.stack([np.exp(d / 2), np.full(len(d), nu), np.exp(-d / 2)], axis=1)
    return weights / weights.sum(axis=1, keepdims=True)


def drawn(rng, chances):
    """One outcome of each row."""
    return (rng.random((len(chances), 1)) > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)


def davidson_games(rng, strengths, games_each, seat=0.2, nu=0.0):
    pairs = round_robin_pairs(rng, len(strengths), games_each)
    outcomes = drawn(rng, davidson_chances(strengths, pairs, seat, nu))
    return Games.of(pairs, np.array([[1, 2], [1, 1], [2, 1]])[outcomes])


def luce_games(rng, strengths, games_each, seats=4):
    count = len(strengths) * games_each // seats
    tables = rng.random((count, len(strengths))).argsort(axis=1)[:, :seats]
    weights = np.exp(strengths[tables])
    winner = drawn(rng, weights / weights.sum(axis=1, keepdims=True))
    return Games.of(tables, np.where(np.arange(seats) == winner[:, None], 1, 2))


def draw_term(rng, strengths, share, seat=0.2):
    """The ν at which about that share of all games is drawn."""
    pairs = round_robin_pairs(rng, len(strengths), 400)
    low, high = 0.0, 50.0
    for _ in range(40):
        nu = (low + high) / 2
        fewer = davidson_chances(strengths, pairs, seat, nu)[:, 1].mean() < share
        low, high = (nu, high) if fewer else (low, nu)
    return low

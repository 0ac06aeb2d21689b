"""Random games are as long, as unlucky and as profitable as the rule page's table says, to 3 standard errors.

Play is uniform over legal moves: over distinct positions with the pass that S18 allows, in the points game
over pairs of card value and position or pass. A redraw is the same turn; "no move" is the share of the cards
(of the plays, with hands) that allowed none.
"""

import math
import random
from dataclasses import dataclass
from statistics import fmean, stdev

import pytest

from engines.registry import GAMES

TABLE = [
    # game, seats, options, {what: (mean, standard error)}
    ("sorry", 2, {}, {"turns": (168.0, 0.4), "no move": (20.4, 0.1)}),
    ("sorry", 3, {}, {"turns": (263.1, 0.5), "no move": (20.2, 0.1)}),
    ("sorry", 4, {}, {"turns": (357.2, 0.7), "no move": (21.5, 0.1)}),
    ("sorry-teams", 4, {}, {"turns": (336.1, 0.9), "no move": (12.1, 0.1)}),
    (
        "sorry-points",
        2,
        {},
        {"turns": (132.9, 0.4), "no move": (5.3, 0.1), "winner": (59.4, 0.3), "others": (9.64, 0.05)},
    ),
    (
        "sorry-points",
        3,
        {},
        {"turns": (204.8, 0.7), "no move": (5.8, 0.1), "winner": (64.6, 0.3), "others": (8.37, 0.04)},
    ),
    (
        "sorry-points",
        4,
        {},
        {"turns": (282.8, 1.4), "no move": (6.7, 0.1), "winner": (75.1, 0.4), "others": (7.69, 0.05)},
    ),
    ("sorry-points", 2, {"bonus": "all"}, {"winner": (72.0, 0.6)}),
    ("sorry-points", 3, {"bonus": "all"}, {"winner": (71.4, 0.5)}),
    ("sorry-points", 4, {"bonus": "all"}, {"winner": (79.7, 0.6)}),
]


@dataclass
class Game:
    """What one random game came to."""

    turns: int
    plays: int
    lost: int
    points: tuple[int, ...]


def random_game(name, seats, options, number):
    game = GAMES[name]
    chosen = random.Random(number)
    state = game.start(seats, game.full_options(options), number.to_bytes(32, "big"))
    lost = 0
    while state.outcome is None:
        moves = state.legal_moves()
        lost += all(move.text.endswith("--") for move in moves)
        state = state.apply(chosen.choice(moves))
    points = state.outcome.points or (1, 0)
    return Game(state.turn, state.ply, lost, tuple(sorted(points, reverse=True)))


def measured(games):
    """What the games came to: mean and standard error."""
    turns = [game.turns for game in games]
    share = sum(game.lost for game in games) / sum(game.plays for game in games)
    plays = fmean(game.plays for game in games)
    spread = [100 * (game.lost - share * game.plays) / plays for game in games]
    winners = [game.points[0] for game in games]
    others = [fmean(game.points[1:]) for game in games]
    return {
        "turns": (fmean(turns), error(turns)),
        "no move": (100 * share, error(spread)),
        "winner": (fmean(winners), error(winners)),
        "others": (fmean(others), error(others)),
    }


def error(values):
    return stdev(values) / math.sqrt(len(values))


def compare(name, seats, options, table, count):
    found = measured([random_game(name, seats, options, number) for number in range(1_000, 1_000 + count)])
    for what, (mean, known_error) in table.items():
        value, sample_error = found[what]
        off = abs(value - mean) / math.hypot(known_error, sample_error)
        assert off <= 3, f"{what}: {value:.2f} ± {sample_error:.2f} against {mean} ± {known_error}"


@pytest.mark.parametrize(("name", "seats", "options", "table"), TABLE)
def test_a_few_games(name, seats, options, table):
    compare(name, seats, options, table, 80)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "seats", "options", "table"), TABLE)
def test_thousands_of_games(name, seats, options, table):
    compare(name, seats, options, table, 4_000)

"""Uniformly random games: lengths and endings within three standard errors of known figures."""

import json
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev

import pytest

from engines.quixo.game import Quixo, QuixoTeams
from engines.quixo.moves import PASS
from tests.engines.quixo.counting import kind

REFERENCE = json.loads((Path(__file__).parents[2] / "cases" / "quixo-reference.json").read_text())
GAMES = {2: Quixo(), 4: QuixoTeams()}
PLAYED = 10_000


@pytest.mark.parametrize("seats", [2, 4])
def test_random_games_are_as_long_and_end_as_is_known(seats):
    known = REFERENCE["uniformly_random_5x5_games"][f"{seats} players"]
    random = Random(seats)
    games = [play(seats, random) for _ in range(PLAYED)]
    lengths = [state.ply for state, _ in games]
    assert fmean(lengths) == pytest.approx(known["mean_plies"], abs=3 * stdev(lengths) / sqrt(PLAYED))
    kinds = [kind(state) for state, _ in games]
    rates = {
        "own_line": kinds.count("own_line"),
        "opponent_line_only": kinds.count("opponent_line"),
        "both": kinds.count("both_lines"),
        "first_side_wins": sum(state.outcome.placing[0] == 1 for state, _ in games),
        "games_with_a_forced_pass": sum(passed for _, passed in games),
    }
    for name in rates.keys() & known.keys():
        assert rates[name] / PLAYED == pytest.approx(known[name], abs=3 * error(known[name])), name


def error(rate):
    return sqrt(rate * (1 - rate) / PLAYED)


def play(seats, random):
    """The end of a random game, and whether there was a forced pass (Q11)."""
    options = GAMES[seats].full_options({"repetition": False, "ply_limit": 1000})
    state, passed = GAMES[seats].start(seats, options, bytes(32)), False
    while not state.outcome:
        move = random.choice(state.legal_moves())
        passed |= move == PASS
        state = state.apply(move)
    return state, passed

"""Bots to play against and to learn from, each in one file. All take `--seed`, those that think `--level`."""

from collections.abc import Mapping

SAMPLES: Mapping[str, str] = {
    "random": "random_bot",
    "greedy": "greedy_bot",
    "monte-carlo": "monte_carlo_bot",
    "alphabeta": "alphabeta_bot",
    "mcts": "mcts_bot",
    "expectimax": "expectimax_bot",
    "course": "course_bot",
}
"""The modules of this package by the bots' names."""

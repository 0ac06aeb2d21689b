"""Quixo with one place of its source changed: what a test is worth shows on it."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

import engines.quixo.game  # noqa: F401  (so that there is something to put back)
from tests.engines.mutation import mutated

PACKAGE = "engines.quixo"

# Places in engines.quixo.state where several mutations strike.
OPPONENT_LINE = "if low[mine & mask] & high[mine >> half]:"
OWN_LINE = "low[theirs & mask] & high[theirs >> half]"


@contextmanager
def mutant(module: str, old: str, new: str) -> Iterator[dict]:
    """The games by their seats, from a second copy of the package in which `old` reads `new`.

    `old` must stand in the module exactly once.
    """
    with mutated(f"{PACKAGE}.{module}", old, new, PACKAGE):
        game = importlib.import_module(f"{PACKAGE}.game")
        yield {2: game.Quixo(), 4: game.QuixoTeams()}

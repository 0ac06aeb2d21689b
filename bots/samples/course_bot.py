"""Lets a player class from a course play: one with `make_move(game)` for Quixo, on numpy boards.

`game.get_board()` is an array [row, column], the top row first, of -1 (blank), 0 (X) and 1 (O), and
`game.get_current_player()` is 0 or 1. `make_move` returns ((column, row), side) with a side called TOP,
BOTTOM, LEFT or RIGHT (an enum's member, or a number in that order): where the cube goes back in. As in such
courses, it is asked again until its move is legal, here as long as its clock allows.

    python -m bots.samples.course_bot --player my_players:MyPlayer --port 9006 --secret whsec_…
"""

import importlib
import random
import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from bots.sdk import Bot, Turn, command_line

MARKS = {".": -1, "X": 0, "O": 1}
ENDS = {"TOP": "N", "BOTTOM": "S", "LEFT": "W", "RIGHT": "E"}
SPARE_S = 0.1  # of the clock, for the last answer's way


class Move(Enum):
    """The sides as courses name and number them."""

    TOP = 0
    BOTTOM = 1
    LEFT = 2
    RIGHT = 3


@dataclass(frozen=True)
class CourseGame:
    """A position as a course's players see it."""

    turn: Turn

    def get_board(self) -> npt.NDArray[np.int8]:
        rows = self.turn.view["cells"]
        return np.array([[MARKS[cube] for cube in row] for row in rows], dtype=np.int8)

    def get_current_player(self) -> int:
        return self.turn.seat


class RandomPlayer:
    """What such a class looks like."""

    def __init__(self, seed: int | None = None) -> None:
        self.chance = random.Random(seed)

    def make_move(self, game: CourseGame) -> tuple[tuple[int, int], Move]:
        column, row = self.chance.randrange(5), self.chance.randrange(5)
        return (column, row), self.chance.choice(list(Move))


def in_our_notation(move: Any, size: int) -> str:
    """`c1N` for ((2, 4), Move.TOP)."""
    (column, row), side = move
    name = side.name if isinstance(side, Enum) else Move(int(side)).name
    return f"{'abcde'[int(column)]}{size - int(row)}{ENDS[name]}"


def make(player: Any) -> Bot:
    """A bot that asks `player`, an object with `make_move`."""
    bot = Bot(type(player).__name__)

    @bot.move("quixo")
    def move(turn: Turn) -> str:
        stop_at = time.perf_counter() + turn.clock.limit_ms / 1000 - SPARE_S
        game = CourseGame(turn)
        while True:
            choice = in_our_notation(player.make_move(game), turn.view["size"])
            if choice in turn.legal_moves or time.perf_counter() > stop_at:
                return choice

    return bot


def class_named(name: str) -> Callable[[], Any]:
    """The class at `module:Class`; raises ArgumentTypeError if there is none."""
    module, _, member = name.partition(":")
    try:
        found: Callable[[], Any] = getattr(importlib.import_module(module), member)
    except (ImportError, AttributeError, ValueError) as error:
        raise ArgumentTypeError(f"{name}: {error}; write it as module:Class") from error
    return found


if __name__ == "__main__":
    parser = command_line("course")
    parser.add_argument("--player", type=class_named, help="module:Class, made without arguments")
    parser.add_argument("--seed", type=int, help="for the random player that plays without --player")
    options = parser.parse_args()
    make(options.player() if options.player else RandomPlayer(options.seed)).run(options)

"""Quixo's part of `./run bench engines`: the engine beside a plain one, in one run, medians.

The plain engine is what one writes in an evening: a list of rows, moves by popping and inserting, all
lines looked at after every move. It has two players and no repetition; the engine plays by all its rules.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from random import Random
from statistics import median

from engines.game import Game
from engines.quixo.game import Quixo, QuixoTeams
from engines.quixo.search import search
from tests.bench.table import Row

GAMES = 200
ROUNDS = 7
SPAN = range(5)


def landing(row: int, column: int, end: str) -> tuple[int, int]:
    return {"N": (0, column), "S": (4, column), "W": (row, 0), "E": (row, 4)}[end]


PLAIN_MOVES = [
    (row, column, end)
    for row in SPAN
    for column in SPAN
    for end in "NSWE"
    if (row in (0, 4) or column in (0, 4)) and landing(row, column, end) != (row, column)
]


def plain_legal(board: list[list[int]], side: int) -> list[tuple[int, int, str]]:
    return [move for move in PLAIN_MOVES if board[move[0]][move[1]] in (0, side)]


def plain_apply(board: list[list[int]], move: tuple[int, int, str], side: int) -> list[list[int]]:
    row, column, end = move
    after = [cubes[:] for cubes in board]
    if end in "WE":
        cubes = after[row]
        cubes.pop(column)
        cubes.insert(0 if end == "W" else 4, side)
        return after
    cubes = [after[i][column] for i in SPAN]
    cubes.pop(row)
    cubes.insert(0 if end == "N" else 4, side)
    for i in SPAN:
        after[i][column] = cubes[i]
    return after


def plain_winner(board: list[list[int]], side: int) -> int:
    lines = board + [list(column) for column in zip(*board, strict=True)]
    lines += [[board[i][i] for i in SPAN], [board[i][4 - i] for i in SPAN]]
    lined = {line[0] for line in lines if line[0] and line.count(line[0]) == 5}
    if 3 - side in lined:
        return 3 - side
    return side if side in lined else 0


def plain_playouts(games: int, seed: int) -> int:
    """Moves made in random games."""
    random, moves = Random(seed), 0
    for _ in range(games):
        board, side = [[0] * 5 for _ in SPAN], 1
        while True:
            board = plain_apply(board, random.choice(plain_legal(board, side)), side)
            moves += 1
            if plain_winner(board, side):
                break
            side = 3 - side
    return moves


def playouts(game: Game, games: int, seed: int) -> int:
    """Moves made in random games through the contract."""
    random, moves, options = Random(seed), 0, game.full_options({})
    for _ in range(games):
        state = game.start(game.seats[0], options, bytes(32))
        while state.outcome is None:
            state = state.apply(random.choice(state.legal_moves()))
            moves += 1
    return moves


def searched(positions: int, seed: int) -> int:
    """Positions made by alpha-beta from the first position."""
    game = Quixo()
    return search(game.start(2, game.full_options({}), bytes(32)), positions, seed=seed).nodes


def rate(work: Callable[..., int], *arguments: object) -> float:
    """What is done per second of processor time."""
    started = time.process_time()
    done = work(*arguments)
    return done / (time.process_time() - started)


def bytes_per_state(game: Game) -> float:
    """Memory that a kept game takes, by position."""
    options = game.full_options({})
    random, kept = Random(1), []
    playouts(game, 1, 1)  # the tables, which all states share
    tracemalloc.start()
    for _ in range(20):
        kept.append(game.start(game.seats[0], options, bytes(32)))
        while kept[-1].outcome is None:
            kept.append(kept[-1].apply(random.choice(kept[-1].legal_moves())))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / len(kept)


def rows() -> list[Row]:
    """What was reached and what is required."""
    players, teams = Quixo(), QuixoTeams()
    playouts(players, 1, 0), playouts(teams, 1, 0), searched(1000, 0)
    ratios: list[tuple[float, ...]] = []
    for seed in range(ROUNDS):
        plain = rate(plain_playouts, GAMES // 2, seed)
        rates = (
            rate(playouts, players, GAMES, seed),
            rate(playouts, teams, GAMES, seed),
            rate(searched, 20_000, seed),
        )
        ratios.append(tuple(reached / plain for reached in rates))
    two, four, alpha_beta = (median(column) for column in zip(*ratios, strict=True))
    return [
        ("quixo, random playouts: moves/s by a plain engine's", two, ">=", 2.5),
        ("quixo-teams, the same by the two-player plain engine's", four, ">=", 2.5),
        ("quixo, alpha-beta: positions/s by a plain engine's moves/s", alpha_beta, ">=", 2.0),
        ("quixo, bytes a kept state", bytes_per_state(players), "<", 400),
        ("quixo-teams, bytes a kept state", bytes_per_state(teams), "<", 400),
    ]

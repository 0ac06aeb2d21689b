"""Solve the 4×4 game: `python -m tests.engines.quixo.solve4` compares with the published counts.

All 3**16 boards, seen by the side to move, as cells of its cubes and of its opponents'. Moves and lines come
from the engine. A move never takes a mark away, so boards are solved by how many cubes are marked, full
ones first; within such a layer by the distance to the end. Takes about 45 seconds of one core (CPython 3.11)
and 310 MiB.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from engines.quixo.game import Quixo
from engines.quixo.state import QuixoState

SIZE = 4
CELLS = SIZE * SIZE
SETS = 1 << CELLS  # sets of cells
NEVER = 100  # a distance no game has
CHUNK = 1 << 20

GAME = Quixo()
OPTIONS = GAME.full_options({"size": SIZE, "repetition": False})
START = GAME.start(2, OPTIONS, bytes(32))


@dataclass(frozen=True)
class Step:
    """A move as tables: the board it leads to has number `mine[own cells] + theirs[opponents' cells]`."""

    cell: int
    mine: np.ndarray
    theirs: np.ndarray


def ternary() -> np.ndarray:
    """For a set of cells: the sum of 3**cell. A board's number is the mover's plus twice the opponents'."""
    numbers = np.zeros(1, np.int32)
    for cell in range(CELLS):
        numbers = np.concatenate([numbers, numbers + 3**cell])
    return numbers


def steps(number: np.ndarray) -> list[Step]:
    """Every move, played by the engine on every set of own cells and on every set of opponents' cells."""
    made = []
    for move in START.legal_moves():
        mine, theirs = np.zeros(SETS, np.int32), np.zeros(SETS, np.int32)
        for cells in range(SETS):
            mine[cells] = 2 * number[alone(cells, 0).apply(move).theirs]
            if not cells & move.cell:
                theirs[cells] = number[alone(0, cells).apply(move).mine]
        made.append(Step(move.cell, mine, theirs))
    return made


def alone(mine: int, theirs: int) -> QuixoState:
    return START._replace(mine=mine, theirs=theirs)


def with_line() -> np.ndarray:
    """For a set of cells: whether it holds a line."""
    return np.array([bool(START.rules.board.complete(cells)) for cells in range(SETS)])


def layer(marked: int) -> tuple[np.ndarray, np.ndarray]:
    """All boards with so many marked cubes."""
    cells = np.array([[1 << c for c in chosen] for chosen in combinations(range(CELLS), marked)], np.uint16)
    split = np.arange(1 << marked, dtype=np.uint32)
    whose = (split[None, :] >> np.arange(marked, dtype=np.uint32)[:, None] & 1).astype(np.uint16)
    mine = (cells @ whose).ravel()
    theirs = (cells @ (1 - whose)).ravel()
    return mine, theirs


class Solver:
    """`worth[number]` is d + 1 if the side to move wins in d plies, -(d + 1) if it loses, 0 if neither."""

    def __init__(self) -> None:
        self.number = ternary()
        self.steps = steps(self.number)
        self.line = with_line()
        self.worth = np.zeros(3**CELLS, np.int8)

    def solve(self) -> None:
        for marked in range(CELLS, -1, -1):
            mine, theirs = layer(marked)
            number = self.number[mine] + 2 * self.number[theirs]
            self.worth[number] = np.where(self.line[mine], 1, np.where(self.line[theirs], -1, 0))
            going_on = self.worth[number] == 0
            open_ = Open(self, mine[going_on], theirs[going_on], number[going_on])
            del mine, theirs, number, going_on
            open_.solve()


class Open:
    """The boards of a layer that are not decided yet."""

    def __init__(self, solver: Solver, mine: np.ndarray, theirs: np.ndarray, number: np.ndarray) -> None:
        self.solver, self.mine, self.theirs, self.number = solver, mine, theirs, number
        self.win = np.full(len(mine), NEVER, np.int8)  # by taking a blank cube: the quickest win, in plies
        self.loss = np.zeros(len(mine), np.int8)  # the slowest loss that a blank cube leaves; NEVER: none
        for chunk in self.chunks():
            for step in solver.steps:
                self._take_blank(chunk, step)

    def chunks(self) -> list[slice]:
        return [slice(start, start + CHUNK) for start in range(0, len(self.mine), CHUNK)]

    def _replies(self, chunk: slice, step: Step, takes: np.ndarray) -> np.ndarray:
        mine, theirs = self.mine[chunk][takes], self.theirs[chunk][takes]
        return self.solver.worth[step.mine[mine] + step.theirs[theirs]]

    def _take_blank(self, chunk: slice, step: Step) -> None:
        takes = np.flatnonzero((self.mine[chunk] | self.theirs[chunk]) & step.cell == 0)
        worth = self._replies(chunk, step, takes)
        win, loss = self.win[chunk], self.loss[chunk]
        win[takes] = np.minimum(win[takes], np.where(worth < 0, -worth, NEVER))
        loss[takes] = np.maximum(loss[takes], np.where(worth > 0, worth, NEVER))

    def solve(self) -> None:
        """Decide the boards at distance 1, 2, ... until none can follow."""
        distance, last = 1, True
        while last or self._expected(distance):
            last = self._decide(distance)
            distance += 1

    def _expected(self, distance: int) -> bool:
        """Whether a board could still be decided by a blank cube alone, at this distance or later."""
        return bool(np.any((self.win >= distance) & (self.win < NEVER))) or bool(
            np.any((self.loss >= distance) & (self.loss < NEVER))
        )

    def _decide(self, distance: int) -> bool:
        decided = [self._decide_chunk(chunk, distance) for chunk in self.chunks()]
        result = np.concatenate([np.zeros(0, np.int8), *decided])
        self.solver.worth[self.number] = result
        left = result == 0
        for name in ("mine", "theirs", "number", "win", "loss"):
            setattr(self, name, getattr(self, name)[left])
        return not left.all()

    def _decide_chunk(self, chunk: slice, distance: int) -> np.ndarray:
        """The worth of each board that is decided at exactly this distance, else 0."""
        win = self.win[chunk] == distance
        loss = self.loss[chunk] <= distance
        for step in self.solver.steps:
            takes = np.flatnonzero(self.mine[chunk] & step.cell)
            worth = self._replies(chunk, step, takes)
            win[takes] |= worth == -distance
            loss[takes] &= (worth > 0) & (worth <= distance)
        return np.where(win, distance + 1, np.where(loss, -distance - 1, 0)).astype(np.int8)


def main() -> int:
    solver = Solver()
    solver.solve()
    worth = solver.worth
    found = {
        "states": len(worth),
        "win": int(np.count_nonzero(worth > 0)),
        "loss": int(np.count_nonzero(worth < 0)),
        "draw": int(np.count_nonzero(worth == 0)),
        "empty_board": f"win in {worth[0] - 1} plies" if worth[0] > 0 else "not won",
    }
    cases = Path(__file__).parents[2] / "cases" / "quixo-reference.json"
    known = json.loads(cases.read_text())["solved"][str(SIZE)]
    for name in known:
        print(f"{name:12} {found[name]!s:>16}   known: {known[name]}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.process_time():.0f} s of one core, {peak:.0f} MiB at most")
    return 0 if found == known else 1


if __name__ == "__main__":
    sys.exit(main())

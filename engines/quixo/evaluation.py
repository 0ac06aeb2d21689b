"""How good a position looks to the side to move, from its cubes and how full its lines are.

The unit is about a hundredth of the logarithm of the odds: 100 is odds of e to 1. The weights for 5×5
were fitted to some 30 000 games of depth-2 search and adjusted in matches at depth 3; those of the
smaller boards follow their shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from engines.quixo.board import board_of
from engines.quixo.state import QuixoState

_BITS = 3  # a line's count, at most 5, takes 3 bits; four counts go into one look-up
_CHUNK = 4 * _BITS
_MASK = (1 << _CHUNK) - 1

_CUBE = 60  # what a cube of one's own is worth
_LINE = {3: (0, 12, 50, 0), 4: (0, 12, 20, 60, 0), 5: (0, 12, 17, 28, 65, 0)}  # a line, by own cubes in it


class _Tables(NamedTuple):
    low: Sequence[int]  # by the cells of a half: all its counts, packed
    high: Sequence[int]
    worth: Sequence[int]  # by four packed counts


@cache
def _tables(size: int) -> _Tables:
    board = board_of(size)
    units = [
        sum(1 << _BITS * i for i, line in enumerate(board.lines) if line >> bit & 1)
        for bit in range(size * size)
    ]
    worth_of = (*_LINE[size], *[0] * 8)[: 1 << _BITS]
    worth = [sum(counts) for counts in product(worth_of, repeat=4)]
    return _Tables(_sums(units[: board.half]), _sums(units[board.half :]), worth)


def _sums(units: list[int]) -> Sequence[int]:
    table = [0]
    for unit in units:
        table += [entry + unit for entry in table]
    return table


def evaluate(state: QuixoState) -> int:
    """What the side to move has minus what its opponents have, in a position that is not over."""
    board = state.rules.board
    low, high, worth = _tables(board.size)
    mask, half = board.low_mask, board.half
    mine = low[state.mine & mask] + high[state.mine >> half]
    theirs = low[state.theirs & mask] + high[state.theirs >> half]
    return (
        _CUBE * (state.mine.bit_count() - state.theirs.bit_count())
        + worth[mine & _MASK]
        + worth[mine >> _CHUNK & _MASK]
        + worth[mine >> 2 * _CHUNK]
        - worth[theirs & _MASK]
        - worth[theirs >> _CHUNK & _MASK]
        - worth[theirs >> 2 * _CHUNK]
    )

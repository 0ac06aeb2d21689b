"""Quixo in text: moves and why they are refused, a position's parts, and a board for the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engines.game import Reason
from engines.quixo.board import Board, cell_name
from engines.quixo.moves import PASS, partners

if TYPE_CHECKING:
    from engines.quixo.state import QuixoState

_MOVE = re.compile(r"([a-z])([0-9])([NESW])(?:@([0-9]))?")
_RULE_OF_END = {
    Reason.LINE: "Q12",
    Reason.OPPONENT_LINE: "Q13",
    Reason.REPETITION: "Q15",
    Reason.PLY_LIMIT: "Q15",
    Reason.LAST_STANDING: "Q17",
}


def canonical(text: str) -> str:
    """The text with the case of a move's canonical text and without outer blanks."""
    text = text.strip()
    return text[:1].lower() + text[1:].upper()


def why_illegal(state: QuixoState, text: str) -> tuple[str, str]:
    """Why a canonical text names no legal move, and the rule."""
    if state.outcome is not None:
        return "the game is over", _RULE_OF_END[state.outcome.reason]
    if text == PASS.text:
        return "there is a cube to take, and no turn is skipped", "Q11" if state.rules.seats == 4 else "Q3"
    match = _MOVE.fullmatch(text)
    if not match:
        dot = "@" + str(state.to_move) if state.rules.seats == 4 else ""
        return f"not a move; a move is a cell and the end where its cube goes back, such as c1N{dot}", "Q7"
    column, row, end, dot = match.groups()
    return (
        _why_not_taken(state, column + row)
        or _why_not_put_back(state.rules.board, column + row, end)
        or _why_not_facing(state, text, dot)
    )


def _why_not_taken(state: QuixoState, cell: str) -> tuple[str, str] | None:
    board = state.rules.board
    bit = _bit(cell, board.size)
    if bit is None:
        return f"{cell} is not on the {board.size}×{board.size} board", "Q1"
    if not board.edge >> bit & 1:
        return f"{cell} is not on the edge", "Q4"
    if state.theirs >> bit & 1:
        return f"{cell} shows your opponent's mark", "Q4"
    if not state.mine >> bit & 1:
        return None
    if state.ply < state.rules.seats:
        return f"{cell} is marked, and in the first round only a blank cube may be taken", "Q5"
    partner = (state.to_move + 2) % 4
    if state.rules.seats == 4 and (state.far >> bit & 1) == (partner >= 2):
        return f"{cell} faces your partner, seat {partner}", "Q9"
    return None


def _why_not_put_back(board: Board, cell: str, end: str) -> tuple[str, str] | None:
    bit = _bit(cell, board.size)
    assert bit is not None
    if (bit, end) in board.slides:
        return None
    return f"{cell} is that end of its line, and a cube may not go straight back", "Q7"


def _why_not_facing(state: QuixoState, text: str, dot: str | None) -> tuple[str, str]:
    """What is left once the cube may be taken and put back there."""
    move = text[:3]
    facing = partners(state.to_move, state.rules.seats)
    if not facing:
        return f"there are no dots with two players; write {move}", "Q10"
    wanted = " or ".join(f"{move}@{seat}" for seat in facing)
    if dot is None:
        return f"it does not say whom the dot faces; write {wanted}", "Q10"
    return f"the dot can face only your own team; write {wanted}", "Q10"


def _bit(cell: str, size: int) -> int | None:
    column, row = "abcde".find(cell[0]), int(cell[1]) - 1
    return column * size + row if 0 <= column < size and 0 <= row < size else None


_MARKS = {seats: str.maketrans("01234", marks) for seats, marks in ((2, ".XO  "), (4, ".0123"))}


def rows(state: QuixoState) -> list[str]:
    """The rows from the top: `.`, `X`, `O`, or with 4 players the seat that a cube's dot faces."""
    size = state.rules.size
    odd = state.ply % 2
    # Layers as decimal numbers add up to a digit for each cube: 0 blank, 1 and 2 the sides, 2 more if far.
    first, second = (state.theirs, state.mine) if odd else (state.mine, state.theirs)
    digits = int(f"{first:b}") + 2 * int(f"{second:b}") + 2 * int(f"{state.far:b}")
    cubes = f"{digits:0{size * size}}".translate(_MARKS[state.rules.seats])
    return [cubes[size - 1 - row :: size][::-1] for row in reversed(range(size))]


def place(state: QuixoState) -> str:
    """The position without the ply: what counts for repetition (Q15)."""
    return f"{'/'.join(rows(state))} {state.to_move}"


def lines(state: QuixoState) -> list[str]:
    """The cells of all complete lines, sorted."""
    if state.outcome is None:
        return []
    board = state.rules.board
    full = 0
    for line in board.complete(state.mine) + board.complete(state.theirs):
        full |= line
    return [cell_name(bit, board.size) for bit in range(board.size**2) if full >> bit & 1]


def drawing(state: QuixoState) -> str:
    """The board with its coordinates, and whose turn it is or how the game ended."""
    size = state.rules.size
    marks = {".": ".", "X": "X", "O": "O", "0": "X0", "1": "O1", "2": "X2", "3": "O3"}
    width = 2 if state.rules.seats == 4 else 1
    drawn = [
        f"{size - i} " + " ".join(marks[cube].ljust(width) for cube in row)
        for i, row in enumerate(rows(state))
    ]
    columns = "  " + " ".join(column.ljust(width) for column in "abcde"[:size])
    return "\n".join(line.rstrip() for line in [*drawn, columns, _status(state)])


def _status(state: QuixoState) -> str:
    seat = state.to_move
    if state.outcome is None:
        return f"ply {state.ply}: {'XO'[seat % 2]} to move (seat {seat})"
    if state.outcome.drawn:
        return f"ply {state.ply}: drawn ({state.outcome.reason})"
    return f"ply {state.ply}: {'XO'[state.outcome.placing.index(1)]} wins ({state.outcome.reason})"

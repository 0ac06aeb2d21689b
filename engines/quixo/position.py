"""Positions from their texts."""

from __future__ import annotations

from collections.abc import Iterable

from engines.errors import BadPosition
from engines.quixo import notation
from engines.quixo.state import QuixoState, Rules, judge


def read(text: str, rules: Rules) -> QuixoState:
    """The position that `board seat ply` describes; raises BadPosition."""
    parts = text.split()
    if len(parts) != 3:
        raise BadPosition(f"{text!r}: a position is its rows, the seat to move and the ply, blanks between")
    board, seat, ply = parts[0], _number(parts[1], "the seat to move"), _number(parts[2], "the ply")
    if seat != ply % rules.seats:
        raise BadPosition(f"{text!r}: at ply {ply} seat {ply % rules.seats} is to move, not {seat}")
    state = _stand(board, ply, rules, None)
    _check_turns(state)
    return state._replace(outcome=judge(rules, ply, state.mine, state.theirs, state.far, None))


def recall(state: QuixoState, seen_twice: Iterable[str]) -> QuixoState:
    """`state` with a past in which each of the positions "board seat" stood twice by now (Q15).

    It gives a position that was read from its text what `view()["seen_twice"]` tells, so that play and
    search from it know which positions a third visit would draw. Raises BadPosition.
    """
    rules = state.rules
    before: QuixoState | None = None
    for place in seen_twice if rules.repetition else ():
        board, _, seat = place.rpartition(" ")
        ply = state.ply - (state.to_move - _number(seat, "the seat to move")) % rules.seats
        before = _stand(board, ply, rules, before)
        if notation.place(before) != notation.place(state):  # which stands for the second time now
            before = before._replace(before=before)
    return state._replace(before=before)


def _stand(board: str, ply: int, rules: Rules, before: QuixoState | None) -> QuixoState:
    cubes = _cubes(board, rules.size, ".0123" if rules.seats == 4 else ".XO")
    crosses, noughts, far = (_layer(cubes, marks) for marks in ("X02", "O13", "23"))
    mine, theirs = (noughts, crosses) if ply % 2 else (crosses, noughts)
    return QuixoState(rules, ply, mine, theirs, far, before, None)


def _cubes(text: str, size: int, known: str) -> str:
    """The cubes in the order of the board's bits."""
    rows = text.split("/")
    if len(rows) != size or any(len(row) != size for row in rows):
        raise BadPosition(f"{text!r}: the board must be {size} rows of {size} cubes, / between them")
    if strange := set("".join(rows)) - set(known):
        raise BadPosition(f"{text!r}: {min(strange)!r} is no cube; a cube is one of {known}")
    return "".join(row[column] for column in range(size) for row in reversed(rows))


def _layer(cubes: str, marks: str) -> int:
    return sum(1 << bit for bit, cube in enumerate(cubes) if cube in marks)


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 6):
        raise BadPosition(f"{what} must be a number from 0, not {text!r}")
    return int(text)


def _check_turns(state: QuixoState) -> None:
    """A turn adds at most one cube to its side's (Q4, Q6)."""
    movers = state.ply % 2
    for side, cells, turns in (
        (movers, state.mine, state.ply // 2),
        (1 - movers, state.theirs, (state.ply + 1) // 2),
    ):
        if cells.bit_count() > turns:
            raise BadPosition(f"{cells.bit_count()} cubes show {'XO'[side]}, which has had {turns} turns")

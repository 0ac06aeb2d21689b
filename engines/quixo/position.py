"""Reading the text of a position."""

from __future__ import annotations

from engines.errors import BadPosition
from engines.quixo.state import QuixoState, Rules, judge


def read(text: str, rules: Rules) -> QuixoState:
    """The position that `board seat ply` describes; raises BadPosition."""
    parts = text.split()
    if len(parts) != 3:
        raise BadPosition(f"{text!r}: a position is its rows, the seat to move and the ply, blanks between")
    cubes = _cubes(parts[0], rules.size, ".0123" if rules.seats == 4 else ".XO")
    ply = _number(parts[2], "the ply")
    if _number(parts[1], "the seat to move") != ply % rules.seats:
        raise BadPosition(f"{text!r}: at ply {ply} seat {ply % rules.seats} is to move, not {parts[1]}")
    crosses, noughts, far = (_layer(cubes, marks) for marks in ("X02", "O13", "23"))
    _check_turns("X", crosses, (ply + 1) // 2)
    _check_turns("O", noughts, ply // 2)
    mine, theirs = (noughts, crosses) if ply % 2 else (crosses, noughts)
    outcome = judge(rules, ply, mine, theirs, far, None)
    return QuixoState(rules, ply, mine, theirs, far, None, outcome)


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


def _check_turns(mark: str, cells: int, turns: int) -> None:
    """A turn adds at most one cube to its side's (Q4, Q6)."""
    if cells.bit_count() > turns:
        raise BadPosition(f"{cells.bit_count()} cubes show {mark}, which can have had {turns} turns")

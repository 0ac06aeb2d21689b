"""A 7 shared between pawns (S16, S23): the one card that can lead to thousands of positions."""

from __future__ import annotations

from typing import NamedTuple

from engines.sorry.board import WHERE, Step, bits, bumped, forward, step

WHOLE = 7

_Share = tuple[str, int, int, int, int]  # a step and its count


def _shares(bit: int) -> list[Step | None]:
    """The pawn's steps as parts of a 7, by count; None where one would lead beyond HOME."""
    colour, place = WHERE[bit]
    steps: list[Step | None] = [None]
    for count in range(1, WHOLE + 1):
        to = forward(colour, place, count)
        moved = None if to is None else step(colour, place, to)
        steps.append(moved and moved._replace(text=f" {moved.text}"))
    return steps


def _shares_below(shares: list[Step | None], left: int) -> list[_Share]:
    """The steps that leave something over, each with its count, in text order."""
    return sorted((*moved, count) for count, moved in enumerate(shares[:left]) if moved is not None)


_SHARES = {bit: _shares(bit) for bit in WHERE}
_SHARES_BELOW = {
    bit: [_shares_below(shares, left) for left in range(WHOLE + 1)] for bit, shares in _SHARES.items()
}


def _reach(bit: int) -> int:
    """Where the pawn at a bit may stand, land or slide while a 7 is shared: beyond it no order matters."""
    reach = bit
    for moved in _SHARES[bit]:
        if moved is not None:
            reach |= moved.barred | moved.struck
    return reach


_REACH = {bit: _reach(bit) for bit in WHERE}
_APART = {bit: sum(other for other in WHERE if not _REACH[bit] & _REACH[other]) for bit in WHERE}
"""By bit: the bits from which a pawn's share of a 7 and this one's can be played in either order."""


_Layer = dict[tuple[int, int, int, int], str]
"""Text by board, pawns that have not moved, count left and pawns that are not to go on.

The count is part of it, for with slides one board comes of several counts. A pawn is not to go on if it
could as well have gone before: if it is apart from all that moved since a pawn of later text. Pawns are
numbered in the order of their texts; sets of them are bits by number.
"""
_MEMBERS = [[number for number in range(8) if numbers >> number & 1] for numbers in range(1 << 8)]


class _Sharing(NamedTuple):
    """The pawns that may share a 7 and their steps, by number, and the first text to each position found."""

    pawns: list[int]
    shares: list[list[Step | None]]
    found: dict[int, str]


def share(board: int, pawns: int, parts: int) -> dict[int, str]:
    """Every position that a 7 leads to, with its canonical text.

    `pawns` are the bits of those that may go, `parts` is how many of them may share. The layers of parts
    follow each other, each in the ASCII order of its texts, so that the first text that reaches a position
    is the canonical one.
    """
    sharing = _Sharing(list(bits(pawns)), [_SHARES[pawn] for pawn in bits(pawns)], {})
    everyone = (1 << len(sharing.pawns)) - 1
    _finish(sharing, board, everyone, WHOLE, "7")
    layer: _Layer = {(board, everyone, WHOLE, 0): "7"}
    for parts_left in range(min(parts, len(sharing.pawns)), 1, -1):
        layer = _share(sharing, layer, parts_left == 2)
    return sharing.found


def _numbers(pawns: list[int], some: int) -> int:
    """The set of the pawns that are among some bits of a board."""
    numbers, number = 0, 1
    for pawn in pawns:
        if pawn & some:
            numbers |= number
        number <<= 1
    return numbers


def _finish(sharing: _Sharing, board: int, going: int, left: int, text: str) -> None:
    """Spend all that is left of a 7 on one of the pawns `going`."""
    _, shares, found = sharing
    for number in _MEMBERS[going]:
        last = shares[number][left]
        if last is not None:
            part, change, barred, struck = last
            if not board & barred:
                hit = board & struck
                after = bumped(board + change, hit) if hit else board + change
                if after not in found:
                    found[after] = text + part


def _share(sharing: _Sharing, layer: _Layer, finish: bool) -> _Layer:
    """Play every part that leaves something over, then finish or return the layer made."""
    pawns = sharing.pawns
    below = [_SHARES_BELOW[pawn] for pawn in pawns]
    apart = [_numbers(pawns, _APART[pawn]) for pawn in pawns]
    deeper: _Layer = {}
    for (board, unmoved, left, passed), text in layer.items():
        for number in _MEMBERS[unmoved & ~passed]:
            bit = 1 << number
            passed_by = (passed | bit - 1) & apart[number]
            if not (unmoved ^ bit) & ~passed_by:
                continue
            for part, change, barred, struck, count in below[number][left]:
                if board & barred:
                    continue
                after, others = board + change, unmoved ^ bit
                if hit := board & struck:
                    after, others = bumped(after, hit), others & ~_numbers(pawns, hit)
                if finish:
                    _finish(sharing, after, others & ~passed_by, left - count, text + part)
                else:
                    deeper.setdefault((after, others, left - count, passed_by), text + part)
    for (board, unmoved, left, passed), text in deeper.items():
        _finish(sharing, board, unmoved & ~passed, left, text)
    return deeper

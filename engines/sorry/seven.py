"""A 7 shared between pawns (S16, S23): the one card that can lead to thousands of positions."""

from __future__ import annotations

from typing import NamedTuple

from engines.sorry.board import WHERE, bumped, forward, same, step

WHOLE = 7

_Part = tuple[str, int, int, int, int]
"""One pawn's step: its text, what is added to the board, the bits of pawns struck or barring it, those of the
barring ones alone, and its count."""


def _parts(bit: int) -> list[_Part]:
    """The pawn's steps as parts of a 7, in text order."""
    colour, place = WHERE[bit]
    targets = [(forward(colour, place, count), count) for count in range(1, WHOLE + 1)]
    steps = [(step(colour, place, to), count) for to, count in targets if to is not None]
    return sorted(
        (f" {text}", same(change), same(barred | struck), same(barred), count)
        for (text, change, barred, struck), count in steps
    )


_PARTS = {bit: _parts(bit) for bit in WHERE}
_BELOW = {
    bit: [[part for part in _PARTS[bit] if part[-1] < left] for left in range(WHOLE + 1)] for bit in WHERE
}
"""By pawn and what is left of the 7, the parts that leave something over, in text order."""
_BY_COUNT: dict[int, list[_Part | None]] = {
    bit: [next((part for part in _PARTS[bit] if part[-1] == count), None) for count in range(WHOLE + 1)]
    for bit in WHERE
}
"""By pawn and count; None where it would lead beyond HOME."""


def _free(bit: int) -> tuple[int, list[tuple[str, int] | None]]:
    """What may be in the way of 1 to 6 of a 7, and what the pawn does by count where nothing is."""
    parts = _BY_COUNT[bit][1:WHOLE]
    everything = 0
    for part in parts:
        everything |= part[2] if part else 0
    return everything, [part and part[:2] for part in parts]


_FREE = {bit: _free(bit) for bit in WHERE}


def _reaches(bit: int) -> list[int]:
    """By count, the bits where the pawn may stand, land or slide with as much."""
    reaches = [bit]
    for part in _BY_COUNT[bit][1:]:
        reaches.append(reaches[-1] | (part[2] if part else 0))
    return reaches


_REACHES = {bit: _reaches(bit) for bit in WHERE}


def _meet(one: int, other: int) -> bool:
    """Whether two pawns may be in each other's way when they share a 7."""
    reach, reach_of_other = _REACHES[one], _REACHES[other]
    return any(reach[count] & reach_of_other[WHOLE - count] for count in range(1, WHOLE))


_NEAR = {bit: sum(other for other in WHERE if other != bit and _meet(bit, other)) for bit in WHERE}
"""By pawn the bits of pawns with which the order of parts may matter."""
_TWICE = sum(bit for bit in WHERE if len({part[1] for part in _PARTS[bit]}) < len(_PARTS[bit]))
"""The bits of pawns that a slide takes to where another count takes them."""
_Plays = list[tuple[str, int]]
"""Texts and the boards they lead to, or what they add to a board."""


def share(board: int, pawns: list[int], parts: int) -> _Plays:
    """Every position that a 7 leads to, with its canonical text, in text order.

    `pawns` are the bits of those that may go, in text order, `parts` is how many of them may share.
    """
    parts = min(parts, len(pawns))
    if parts < 2:
        return _whole(board, pawns)
    if parts == 2:
        return _share_two(board, pawns)
    return _share_in_turn(board, pawns, parts)


def _after(board: int, part: _Part) -> int | None:
    """The board after a part, or None if it is barred."""
    _, change, touched, barred, _ = part
    hit = board & touched
    return None if hit & barred else bumped(board + change, hit)


def _whole(board: int, pawns: list[int]) -> _Plays:
    """A 7 spent on one pawn."""
    plays = []
    for pawn in pawns:
        part = _BY_COUNT[pawn][WHOLE]
        if part and (after := _after(board, part)):
            plays.append((f"7{part[0]}", after))
    return plays


def _first_texts(whole: _Plays, shared: _Plays) -> _Plays:
    """The first text to each position, those of one pawn before those of two, in text order."""
    plays = sorted(whole + shared)
    first = {after: text for text, after in reversed(plays)}
    if len(first) == len(plays):
        return plays
    first |= {after: text for text, after in reversed(whole)}
    return sorted([(text, after) for after, text in first.items()])


def _allowed(board: int, pawn: int) -> list[tuple[str, int, int]]:
    """A pawn's steps from where it stands, in text order: text, what is added to the board, count."""
    allowed = []
    for text, change, touched, barred, count in _PARTS[pawn]:
        hit = board & touched
        if not hit:
            allowed.append((text, change, count))
        elif not hit & barred:
            allowed.append((text, bumped(change, hit), count))
    return allowed


def _rests(board: int, pawns: list[int]) -> list[_Plays]:
    """By count, what pawns that are never in each other's way make of it, as texts and what the board gains.

    From the last pawn to the first, so that all is in text order.
    """
    rests: list[_Plays] = [[] for _ in range(WHOLE + 1)]
    for pawn in reversed(pawns):
        made: list[_Plays] = [[] for _ in range(WHOLE + 1)]
        behind = [(left, rest) for left, rest in enumerate(rests) if rest]
        for text, change, count in _allowed(board, pawn):
            made[count].append((text, change))
            for left, rest in behind:
                if count + left > WHOLE:
                    break
                made[count + left] += [(text + more, change + further) for more, further in rest]
        rests = [mine + behind for mine, behind in zip(made, rests, strict=True)]
    return rests


def _share_two(board: int, pawns: list[int]) -> _Plays:
    """A 7 shared between two pawns."""
    plays: _Plays = []
    met = _ambiguous(pawns)
    steps = [_by_count(board, pawn) for pawn in pawns]
    for number, one in enumerate(pawns):
        near = _NEAR[one]
        firsts = [step and (f"7{step[0]}", board + step[1]) for step in steps[number]]
        for other_number in range(number + 1, len(pawns)):
            other = pawns[other_number]
            if near & other:
                met = True
                plays += _share_near(board, one, other)
            else:
                plays += [
                    (first[0] + last[0], first[1] + last[1])
                    for first, last in zip(firsts, reversed(steps[other_number]), strict=True)
                    if first and last
                ]
    whole = _whole(board, pawns)
    return _first_texts(whole, plays) if met else sorted(whole + plays)


def _ambiguous(pawns: list[int]) -> bool:
    """Whether pawns that do not meet may come to one position by different shares: two slide."""
    twice = sum(pawns) & _TWICE
    return twice & (twice - 1) != 0


def _by_count(board: int, pawn: int) -> list[tuple[str, int] | None]:
    """What a pawn does from where it stands with 1 to 6 of a 7; None where it is barred."""
    everything, steps = _FREE[pawn]
    if not board & everything:
        return steps
    steps = []
    for part in _BY_COUNT[pawn][1:WHOLE]:
        if part is None:
            steps.append(None)
        else:
            text, change, touched, barred, _ = part
            hit = board & touched
            if not hit:
                steps.append((text, change))
            else:
                steps.append(None if hit & barred else (text, bumped(change, hit)))
    return steps


def _share_near(board: int, one: int, other: int) -> _Plays:
    """A 7 shared between two pawns of which one may be in the other's way.

    Where it is not, the parts are played in the order of their texts alone.
    """
    plays = []
    for count in range(1, WHOLE):
        part, last = _BY_COUNT[one][count], _BY_COUNT[other][WHOLE - count]
        if part is None or last is None:
            continue
        if not part[2] & other and (between := _after(board, part)) and (after := _after(between, last)):
            plays.append((f"7{part[0]}{last[0]}", after))
        if not (part[2] | one) & (last[2] | other) or last[2] & one:
            continue
        if (between := _after(board, last)) and (after := _after(between, part)):
            plays.append((f"7{last[0]}{part[0]}", after))
    return plays


_Layer = dict[tuple[int, int, int, int], str]
"""Text by board, pawns that have not moved, count left and pawns that are not to go on.

The count is part of it, for with slides one board comes of several counts. A pawn is not to go on if it
could as well have gone before: if it is apart from all that moved since a pawn of later text. Pawns are
numbered in the order of their texts; sets of them are bits by number.
"""
_MEMBERS = [[number for number in range(8) if numbers >> number & 1] for numbers in range(1 << 8)]


class _Sharing(NamedTuple):
    """The pawns that may share a 7, for each its parts by count and those apart from it.

    `rests` is what pawns of later texts, which are apart from all, make of each count; `found` has the first
    text to a position.
    """

    pawns: list[int]
    parts: list[list[_Part | None]]
    apart: list[int]
    rests: list[_Plays]
    found: dict[int, str]


def _share_in_turn(board: int, pawns: list[int], parts: int) -> _Plays:
    """A 7 shared among pawns that may be in each other's way.

    The layers of parts follow each other, each in the ASCII order of its texts, so that the first text that
    reaches a position is the canonical one.
    """
    out = sum(pawns)
    met = len(pawns)
    while met and parts == len(pawns) and not out & _NEAR[pawns[met - 1]]:
        met -= 1
    rests = _rests(board, pawns[met:])
    if not met and not _ambiguous(pawns):
        return [(f"7{text}", board + change) for text, change in rests[WHOLE]]
    numbers = [1 << number for number in range(met)]
    apart = [
        sum(number for other, number in zip(pawns, numbers, strict=False) if not other & (_NEAR[pawn] | pawn))
        for pawn in pawns[:met]
    ]
    sharing = _Sharing(pawns[:met], [_BY_COUNT[pawn] for pawn in pawns[:met]], apart, rests, {})
    everyone = (1 << met) - 1
    _finish(sharing, board, everyone, WHOLE, "7")
    layer: _Layer = {(board, everyone, WHOLE, 0): "7"}
    least = 1 if met < len(pawns) else 2
    for parts_left in range(min(parts, met), least - 1, -1):
        layer = _share(sharing, layer, parts_left == least)
    return sorted([(text, after) for after, text in sharing.found.items()])


def _numbers(pawns: list[int], some: int) -> int:
    """The set of the pawns that are among some bits of a board."""
    numbers, number = 0, 1
    for pawn in pawns:
        if pawn & some:
            numbers |= number
        number <<= 1
    return numbers


def _finish(sharing: _Sharing, board: int, going: int, left: int, text: str) -> None:
    """Spend all that is left of a 7 on one of the pawns `going` or on those that come after all."""
    _, parts, _, rests, found = sharing
    for number in _MEMBERS[going]:
        last = parts[number][left]
        if last is not None:
            part, change, touched, barred, _ = last
            hit = board & touched
            if not hit & barred:
                after = bumped(board + change, hit) if hit else board + change
                if after not in found:
                    found[after] = text + part
    for part, change in rests[left]:
        after = board + change
        if after not in found:
            found[after] = text + part


def _share(sharing: _Sharing, layer: _Layer, finish: bool) -> _Layer:
    """Play every part that leaves something over, then finish or return the layer made."""
    pawns, _, apart, rests, _ = sharing
    below = [_BELOW[pawn] for pawn in pawns]
    ending = not any(rests)
    deeper: _Layer = {}
    for (board, unmoved, left, passed), text in layer.items():
        for number in _MEMBERS[unmoved & ~passed]:
            bit = 1 << number
            passed_by = (passed | bit - 1) & apart[number]
            if ending and not (unmoved ^ bit) & ~passed_by:
                continue
            for part, change, touched, barred, count in below[number][left]:
                after, others = board + change, unmoved ^ bit
                if hit := board & touched:
                    if hit & barred:
                        continue
                    after, others = bumped(after, hit), others & ~_numbers(pawns, hit)
                if finish:
                    _finish(sharing, after, others & ~passed_by, left - count, text + part)
                else:
                    deeper.setdefault((after, others, left - count, passed_by), text + part)
    for (board, unmoved, left, passed), text in deeper.items():
        _finish(sharing, board, unmoved & ~passed, left, text)
    return deeper

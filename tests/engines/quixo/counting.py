"""Counting what can happen from the first position, through the game contract."""

from collections import Counter
from collections.abc import Iterator


def plies(game, seats: int, size: int) -> Iterator[dict]:
    """For each ply from 0: the open positions reached, each with the number of ways to reach it.

    Equal positions are one; repetition is off, so that the way to a position does not matter.
    """
    options = game.full_options({"size": size, "repetition": False})
    level = {game.start(seats, options, bytes(32)): 1}
    while True:
        yield level
        level = following(level)


def following(level: dict) -> dict:
    """The positions a ply later that are not over, with their numbers of ways."""
    states, ways = {}, Counter()
    for state, count in level.items():
        for move in state.legal_moves():
            after = state.apply(move)
            if after.outcome is None:
                key = after.mine, after.theirs, after.far
                states.setdefault(key, after)
                ways[key] += count
    return {states[key]: count for key, count in ways.items()}


def sequences(game, seats: int, size: int, depth: int) -> list[int]:
    """How many sequences of 1 to `depth` moves there are; the last move is counted, not made."""
    levels = plies(game, seats, size)
    return [
        sum(count * len(state.legal_moves()) for state, count in next(levels).items()) for _ in range(depth)
    ]


def endings(game, seats: int, size: int, ply: int) -> Counter:
    """How many sequences of exactly `ply` moves end the game, by kind."""
    levels = plies(game, seats, size)
    for _ in range(ply):
        level = next(levels)
    kinds = Counter()
    for state, count in level.items():
        for move in state.legal_moves():
            after = state.apply(move)
            if after.outcome:
                kinds[kind(after)] += count
    return kinds


def kind(state) -> str:
    """`own_line`, `opponent_line` or `both_lines`: what the last move completed."""
    board = state.rules.board
    moved, waiting = bool(board.complete(state.theirs)), bool(board.complete(state.mine))
    return {(True, False): "own_line", (False, True): "opponent_line", (True, True): "both_lines"}[
        moved, waiting
    ]


def first_reached(game, size: int) -> list[int]:
    """For each ply: how many pairs of a board and a side to move are first reached then, ended games too."""
    options = game.full_options({"size": size, "repetition": False, "ply_limit": 1000})
    level, seen, counts = {(0, 0, 0): game.start(2, options, bytes(32))}, set(), []
    while level:
        seen |= level.keys()
        counts.append(len(level))
        replies = [s.apply(move) for s in level.values() for move in s.legal_moves()]
        reached = {(s.ply % 2, s.mine, s.theirs): s for s in replies}
        level = {key: state for key, state in reached.items() if key not in seen}
    return counts

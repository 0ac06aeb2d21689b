"""Alpha-beta search for Quixo, for two players and for teams: sides move by turns in both (Q3, Q8).

It is pure: how long it may take is a number of positions, or a function that the caller hands in; equal
arguments give equal answers. A position that has stood before, in the game or on the way from the root,
counts as a draw at once (Q15), so a search neither circles when it is ahead nor misses a draw when it is
behind. Values are kept by position, not by the way to it: a draw found on one way may be taken for one on
another, a win or a loss never. Without repetition in the rules nothing is known to circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from engines.quixo.evaluation import evaluate
from engines.quixo.moves import Move
from engines.quixo.state import QuixoState

WIN = 1_000_000  # a win at ply p scores WIN - p
_SURE = WIN // 2  # scores beyond it are proven
_NEVER = 2 * WIN  # beyond every score
_POLL = 256  # positions between two calls of should_stop


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search found.

    `score` is the mover's: a worth in evaluation's unit, or beyond ±500 000 a proven end at ply
    1 000 000 - |score|. `line` is the play expected, `depth` the last depth searched in full, `nodes`
    the positions made.
    """

    move: Move
    score: int
    line: tuple[Move, ...]
    depth: int
    nodes: int

    @property
    def ends_at(self) -> int | None:
        """The ply by which the game is won or lost, if that is proven."""
        return WIN - abs(self.score) if abs(self.score) > _SURE else None


def search(
    state: QuixoState,
    nodes: int,
    *,
    depth: int = 64,
    seed: int = 0,
    draw: int = 0,
    should_stop: Callable[[], bool] | None = None,
) -> Analysis:
    """The best move found while making at most about `nodes` positions and looking at most `depth` plies.

    The moves of the root are tried in an order drawn from `seed`, so that equal ones take turns.
    `draw` is what a draw is worth to the mover: below 0 it is avoided where no more than that is lost.
    `should_stop` is asked now and then and ends the search when it says so; depth 1 is always finished.
    `state` must not be over.
    """
    return _Search(state, nodes, depth, draw, should_stop).deepen(Random(seed))


class _Stopped(Exception):
    """The budget is used up."""


class _Entry(NamedTuple):
    depth: int
    low: int  # the value lies from low to high; an end is counted from this position
    high: int
    best: Move

    def within(self, alpha: int, beta: int, ply: int) -> int | None:
        """The value here, if that is known or it is known to be outside alpha and beta."""
        low, high = _from_here(self.low, ply), _from_here(self.high, ply)
        if low >= beta or low == high:
            return low
        return high if high <= alpha else None


_Key = tuple[int, int, int, int]  # the layers, and the seat to move (the ply, if the limit is in sight)
_Reply = tuple[Move, QuixoState, int | None]  # with its value to the side to move, if that is settled


class _Search:
    def __init__(
        self, root: QuixoState, budget: int, depth: int, draw: int, should_stop: Callable[[], bool] | None
    ) -> None:
        self.root = root._replace(before=None)  # the past is in `stood`: a look-up, however long it is
        self.stood = {_position(state) for state in root.past()}
        self.budget = budget
        self.depth = depth
        self.draw = draw
        self.should_stop = should_stop
        self.nodes = 0
        self.next_poll = _POLL
        self.table: dict[_Key, _Entry] = {}
        self.by_ply = root.rules.ply_limit - root.ply <= depth  # the limit is in sight (Q15)
        self.best: tuple[int, Move]

    def deepen(self, random: Random) -> Analysis:
        """Search one ply deeper each time, the best move so far first."""
        moves = list(self.root.legal_moves())
        random.shuffle(moves)
        done = 0
        try:
            while done == 0 or (done < self.depth and len(moves) > 1 and abs(self.best[0]) < _SURE):
                self._root(moves, done + 1)
                done += 1
                moves.sort(key=lambda move: move is not self.best[1])
        except _Stopped:
            pass
        score, move = self.best
        return Analysis(move, score, self._line(move, done), done, self.nodes)

    def _root(self, moves: list[Move], depth: int) -> None:
        """Set `best`; when stopped half-way it holds the best of the moves tried, if any was."""
        best = -WIN
        for move in moves:
            child = self.root.apply(move)
            self.nodes += 1
            value = self._settled(child)
            if value is None:
                value = evaluate(child) if depth == 1 else self._value(child, depth - 1, -WIN, -best)
            if -value > best:
                best = -value
                self.best = best, move

    def _value(self, state: QuixoState, depth: int, alpha: int, beta: int) -> int:
        """The worth to the side to move, exact between alpha and beta, else a bound (fail-soft)."""
        key = self._key(state)
        entry = self.table.get(key)
        if entry and entry.depth >= depth:
            known = entry.within(alpha, beta, state.ply)
            if known is not None:
                return known
        best, best_move, floor = -WIN, None, alpha
        for move, child, value in self._replies(state, depth, entry and entry.best):
            if value is None:
                value = self._value(child, depth - 1, -beta, -floor)
            if -value > best:
                best, best_move = -value, move
                floor = max(floor, best)
                if best >= beta or best == WIN - child.ply:
                    break
        assert best_move
        value = _stored(best, state.ply)
        self.table[key] = _Entry(
            depth, value if best > alpha else -_NEVER, value if best < beta else _NEVER, best_move
        )
        return best

    def _replies(self, state: QuixoState, depth: int, first: Move | None) -> Iterator[_Reply]:
        """Each move, the position after it, and its value if that needs no search; promising ones first."""
        self._check()
        if depth > 1:
            yield from self._ranked(state, first)
            return
        for move in state.legal_moves():
            self.nodes += 1
            child = state.apply(move)
            yield move, child, self._static(child)

    def _ranked(self, state: QuixoState, first: Move | None) -> list[_Reply]:
        ranked = []
        for number, move in enumerate(state.legal_moves()):
            self.nodes += 1
            child = state.apply(move)
            value = self._settled(child)
            rank = -WIN if move is first else evaluate(child) if value is None else value
            ranked.append((rank, number, move, child, value))
        ranked.sort()
        return [reply[2:] for reply in ranked]

    def _static(self, state: QuixoState) -> int:
        value = self._settled(state)
        return evaluate(state) if value is None else value

    def _settled(self, state: QuixoState) -> int | None:
        """The worth to the side to move of a position that needs no search: an end, or a repetition."""
        outcome = state.outcome
        if outcome is None:
            repeats = state.before and (_position(state) in self.stood or state.visits())
            return self._drawn(state) if repeats else None
        if outcome.drawn:
            return self._drawn(state)
        return WIN - state.ply if outcome.placing[state.to_move] == 1 else state.ply - WIN

    def _drawn(self, state: QuixoState) -> int:
        """A draw's worth to the side to move there."""
        return self.draw if (state.ply - self.root.ply) % 2 == 0 else -self.draw

    def _check(self) -> None:
        if self.nodes >= self.budget:
            raise _Stopped
        if self.should_stop and self.nodes >= self.next_poll:
            self.next_poll = self.nodes + _POLL
            if self.should_stop():
                raise _Stopped

    def _key(self, state: QuixoState) -> _Key:
        return state.mine, state.theirs, state.far, state.ply if self.by_ply else state.to_move

    def _line(self, move: Move, depth: int) -> tuple[Move, ...]:
        line, state = [move], self.root.apply(move)
        while len(line) < depth and state.outcome is None and (entry := self.table.get(self._key(state))):
            line.append(entry.best)
            state = state.apply(entry.best)
        return tuple(line)


def _position(state: QuixoState) -> _Key:
    return state.mine, state.theirs, state.far, state.to_move


def _stored(value: int, ply: int) -> int:
    """A proven end counted from the position at `ply`, so that it holds wherever that comes up again."""
    return value + ply if value > _SURE else value - ply if value < -_SURE else value


def _from_here(value: int, ply: int) -> int:
    return value - ply if value > _SURE else value + ply if value < -_SURE else value

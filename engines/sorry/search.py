"""Expectimax for Sorry!: every card that may come, weighed by how many of it are unseen, and its best use.

It is pure: how long it may take is a number of positions, or a function that the caller hands in; equal
arguments give equal answers. It knows what the seat to move may know and no more: of the draw pile and of
other hands only what is left when the cards in sight are taken off the deck. In the points game the hands
after the first play are dealt from that at random. Every side is taken to play for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from statistics import fmean

from engines.sorry.board import HOME, ON_START, START, UNIT, WHERE, bits, forward
from engines.sorry.cards import TWO
from engines.sorry.moves import Move, plays
from engines.sorry.state import Table

FROM_START = 75  # steps that a pawn on START is taken to be from HOME: 64 from the circle, and the wait
WON = 100  # steps that winning is worth beyond the last one
HANDS = 6  # hands dealt at random to stand for those that are not known (S26)
_POLL = 256  # positions between two calls of should_stop

_Steps = list[float]  # by side, the steps that its pawns are from HOME


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search found.

    `score` is how many steps the mover's side is expected to be nearer to HOME than the others on average,
    `depth` the last depth, in plays of a card, that was searched in full, `nodes` the positions weighed.
    """

    move: Move
    score: float
    depth: int
    nodes: int


def search(
    state: Table,
    nodes: int,
    *,
    depth: int = 3,
    seed: int = 0,
    should_stop: Callable[[], bool] | None = None,
) -> Analysis:
    """The best move found while weighing about `nodes` positions and looking at most `depth` plays ahead.

    Depth 1, the moves themselves, is always finished. `seed` decides between equal moves and deals hidden
    hands. `should_stop` is asked now and then and ends the search when it says so. `state` must not be over.
    """
    return _Search(state, nodes, Random(seed), should_stop).deepen(depth)


def _steps_home(bit: int) -> int:
    colour, place = WHERE[bit]
    return next(count for count in range(1, 66) if forward(colour, place, count) == HOME)


_STEPS_HOME = {bit: _steps_home(bit) for bit in WHERE}


class _Stopped(Exception):
    """The budget is used up."""


class _Search:
    def __init__(
        self, state: Table, budget: int, random: Random, should_stop: Callable[[], bool] | None
    ) -> None:
        self.state = state
        self.setup = state.setup
        self.random = random
        self.budget = budget
        self.should_stop = should_stop
        self.nodes = 0
        self.next_poll = _POLL
        self.seats = state.playing()
        self.leaders = self.seats[:2] if self.setup.teams else self.seats  # a seat of each side
        self.unseen = self._unseen()
        self.hands = self._hands()

    def _unseen(self) -> bytes:
        """The cards that may come: all that the seat to move does not see, or the next shuffle's (S5)."""
        state = self.state
        others = [state.held(seat) for seat in range(self.setup.seats) if seat != state.to_move]
        unseen = sorted(b"".join([state.piles.draw, *others]))
        return bytes(unseen) or state.piles.discards + state.held(state.to_move)

    def _hands(self) -> list[tuple[float, bytes]]:
        """What a seat may have to play from, with how likely it is."""
        if self.setup.points:
            size = min(5, len(self.unseen))
            return [(1 / HANDS, bytes(self.random.sample(self.unseen, size))) for _ in range(HANDS)]
        counts = Counter(self.unseen)
        return [(count / len(self.unseen), bytes([card])) for card, count in sorted(counts.items())]

    def deepen(self, depth: int) -> Analysis:
        """Search one play deeper each time, the best moves so far first."""
        moves = list(self.state.legal_moves())
        self.random.shuffle(moves)
        scores = self._scores(moves, 1)
        done = 1
        while done < depth and len(moves) > 1:
            moves.sort(key=lambda move: -scores[move])
            deeper = self._scores(moves, done + 1)
            if not deeper:
                break
            scores = deeper
            if len(scores) < len(moves):
                break
            done += 1
        best = max(scores, key=scores.__getitem__)
        return Analysis(best, scores[best], done, self.nodes)

    def _scores(self, moves: list[Move], depth: int) -> dict[Move, float]:
        """The moves' scores for the mover, as far as the budget goes; all of them at depth 1."""
        scores: dict[Move, float] = {}
        mover = self.state.to_move
        for move in moves:
            try:
                if depth > 1:
                    self._check()
                scores[move] = self._score(self._after(move, mover, depth), mover)
            except _Stopped:
                break
        return scores

    def _after(self, move: Move, seat: int, depth: int) -> _Steps:
        """What to expect after a move of a seat, `depth` plays with this one looked at."""
        if depth == 1 or self.setup.won(move.board, seat):
            self.nodes += 1
            return self._steps(move.board)
        again = move.card == TWO and not (self.setup.points and move.text.endswith("--"))
        following = seat if again else self.state.following(seat, self.state.out)
        return self._expected(move.board, following, depth - 1)

    def _expected(self, board: int, seat: int, depth: int) -> _Steps:
        """The mean over the cards that a seat may have to play."""
        self._check()
        total = [0.0] * len(self.leaders)
        for weight, cards in self.hands:
            best = self._best(board, seat, cards, depth)
            for side, steps in enumerate(best):
                total[side] += weight * steps
        return total

    def _best(self, board: int, seat: int, cards: bytes, depth: int) -> _Steps:
        """What the seat makes of its cards."""
        side = self.setup.sides[seat]
        moves = plays(board, side, sorted(set(cards)))
        lost = Move("--", cards[0], board)
        after = [self._after(move, seat, depth) for move in moves or [lost]]
        return max(after, key=lambda steps: self._score(steps, seat))

    def _score(self, steps: _Steps, seat: int) -> float:
        own = self.leaders.index(seat if seat in self.leaders else (seat + 2) % 4)
        return fmean(steps[:own] + steps[own + 1 :]) - steps[own]

    def _steps(self, board: int) -> _Steps:
        return [self._steps_of(board, seat) for seat in self.leaders]

    def _steps_of(self, board: int, seat: int) -> float:
        side = self.setup.sides[seat]
        steps = sum(_STEPS_HOME[bit] for bit in bits(board & side.pawns))
        for colour in side.colours:
            steps += FROM_START * ((board & ON_START[colour]) // UNIT[colour][START])
        return steps or -WON

    def _check(self) -> None:
        if self.nodes >= self.budget:
            raise _Stopped
        if self.should_stop and self.nodes >= self.next_poll:
            self.next_poll = self.nodes + _POLL
            if self.should_stop():
                raise _Stopped

"""Monte Carlo tree search for Quixo (UCT), for two players and for teams.

Pure like `engines.quixo.search`: a budget of positions or a function of the caller's ends it, and equal
arguments give equal answers. The playouts are games of the contract, so repetition and the limit on plies
(Q15) end them as they would a match.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from random import Random

from engines.quixo.moves import Move
from engines.quixo.search import Analysis
from engines.quixo.state import QuixoState

_EXPLORE = 0.7


def search_by_playouts(
    state: QuixoState, nodes: int, *, seed: int = 0, should_stop: Callable[[], bool] | None = None
) -> Analysis:
    """The move tried most often by the time about `nodes` positions are made.

    `score` is the mover's, in evaluation's unit; `line` the moves tried most; `depth` its length.
    `should_stop` is asked before every playout but the first. `state` must not be over.
    """
    random = Random(seed)
    root = _Node(state, None, random)
    made = 0
    while made == 0 or (made < nodes and not (should_stop and should_stop())):
        path = root.descend(random)
        end = _play_out(path[-1].state, random)
        made += end.ply - state.ply
        for node in path:
            node.count(_result(end))
    return _analysis(root, made)


class _Node:
    """A position in the tree; `gain` is the sum of results (1, ½, 0) of the side that moved to it."""

    __slots__ = ("children", "gain", "move", "state", "untried", "visits")

    def __init__(self, state: QuixoState, move: Move | None, random: Random) -> None:
        self.state = state
        self.move = move
        self.untried = list(state.legal_moves())
        random.shuffle(self.untried)
        self.children: list[_Node] = []
        self.visits = 0
        self.gain = 0.0

    def descend(self, random: Random) -> list[_Node]:
        """The way from here to a new child, or to an end of the game."""
        path = [self]
        while not path[-1].untried and path[-1].children:
            path.append(path[-1].promising())
        leaf = path[-1]
        if leaf.untried:
            move = leaf.untried.pop()
            leaf.children.append(_Node(leaf.state.apply(move), move, random))
            path.append(leaf.children[-1])
        return path

    def promising(self) -> _Node:
        """The child with the highest upper confidence bound."""
        explore = _EXPLORE * sqrt(log(self.visits))
        return max(self.children, key=lambda c: c.gain / c.visits + explore / sqrt(c.visits))

    def count(self, crosses: float) -> None:
        """Count a playout that brought X `crosses`."""
        self.visits += 1
        self.gain += crosses if self.state.ply % 2 else 1 - crosses


def _play_out(state: QuixoState, random: Random) -> QuixoState:
    while state.outcome is None:
        state = state.apply(random.choice(state.legal_moves()))
    return state


def _result(end: QuixoState) -> float:
    """What the end of a game is to X: 1, ½ or 0."""
    assert end.outcome
    return 0.5 if end.outcome.drawn else 2.0 - end.outcome.placing[0]


def _analysis(root: _Node, made: int) -> Analysis:
    line: list[Move] = []
    node = root
    while node.children:
        node = max(node.children, key=lambda child: child.visits)
        assert node.move
        line.append(node.move)
    return Analysis(line[0], _score(root), tuple(line), len(line), made)


def _score(root: _Node) -> int:
    """The logarithm of the odds of the side to move, with half a win and half a loss counted in."""
    lost = root.gain + 0.5  # the root's gain is the other side's
    return round(100 * log((root.visits + 1 - lost) / lost))

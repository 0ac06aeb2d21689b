"""Plays Quixo, alone and in teams, by Monte-Carlo tree search (UCT).

Each trial goes down the tree's most promising line, a few random plies on, and asks the engine's evaluation
how it looks there. The part of the tree below the move that was played is kept for the next turn.

    python -m bots.samples.mcts_bot --level 3 --port 9005 --secret whsec_…
"""

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bots.sdk import Bot, Turn, command_line
from engines.quixo.evaluation import evaluate
from engines.quixo.state import QuixoState

SECONDS = {1: 0.02, 2: 0.1, 3: 0.5, 4: 60.0}  # at most; the clock may allow less
CURIOSITY = 0.3
RANDOM_PLIES = 4
SURE = 20  # an evaluation by which the better side wins in 73 of 100 cases
TURNS_AHEAD = 20


@dataclass(slots=True)
class Node:
    """A position; `gain` is what the side that moved *into* it got in `visits` trials, 1 for a win."""

    state: QuixoState
    untried: list[Any]
    children: dict[str, "Node"] = field(default_factory=dict)
    visits: int = 0
    gain: float = 0.0

    @classmethod
    def of(cls, state: QuixoState, chance: random.Random) -> "Node":
        moves = list(state.legal_moves())
        chance.shuffle(moves)
        return cls(state, moves)

    def most_promising(self) -> "Node":
        log_visits = math.log(self.visits)
        return max(self.children.values(), key=lambda child: child.promise(log_visits))

    def promise(self, log_parent: float) -> float:
        return self.gain / self.visits + CURIOSITY * math.sqrt(log_parent / self.visits)


@dataclass(slots=True)
class Tree:
    """What a match's trials have taught so far."""

    root: Node | None = None

    def grow(self, turn: Turn, seconds: float, chance: random.Random) -> Node:
        """Make trials for some seconds; the tree's root is the turn's position."""
        stop_at = time.perf_counter() + seconds
        assert isinstance(turn.state, QuixoState)
        self.root = self._known(turn) or Node.of(turn.state, chance)
        while not self.root.children or time.perf_counter() < stop_at:
            path = list(_descend(self.root, chance))
            crosses = play_on(path[-1].state, chance)
            for node in path:
                node.visits += 1
                node.gain += crosses if node.state.ply % 2 else 1 - crosses
        return self.root

    def _known(self, turn: Turn) -> Node | None:
        """The node that the plies since the last turn led to, if there is one."""
        node = self.root
        for entry in turn.history:
            node = node.children.get(entry["move"]) if node else None
        return node if node and node.state.text() == turn.position else None

    def play(self, move: str) -> None:
        assert self.root
        self.root = self.root.children[move]


def _descend(root: Node, chance: random.Random) -> Iterator[Node]:
    """The way from the root down the most promising moves to a position that is new."""
    node = root
    yield node
    while not node.untried and node.children:
        node = node.most_promising()
        yield node
    if node.untried:
        move = node.untried.pop()
        child = node.children[str(move)] = Node.of(node.state.apply(move), chance)
        yield child


def play_on(state: QuixoState, chance: random.Random) -> float:
    """How likely X is to win, from 0 to 1, after a few random plies."""
    for _ in range(RANDOM_PLIES):
        if state.outcome is not None:
            break
        state = state.apply(chance.choice(state.legal_moves()))
    if state.outcome is not None:
        return 0.5 if state.outcome.drawn else float(state.outcome.placing[0] == 1)
    mover = 1 / (1 + math.exp(-evaluate(state) / SURE))
    return 1 - mover if state.ply % 2 else mover


def make(level: int = 2, seed: int | None = None) -> Bot:
    """A bot that thinks up to `SECONDS[level]` about a move."""
    bot = Bot(f"mcts-{level}", memory=Tree)
    chance = random.Random(seed)

    @bot.move("quixo", "quixo-teams")
    def move(turn: Turn) -> tuple[str, str]:
        root = turn.memory.grow(turn, min(SECONDS[level], turn.clock.share_s(TURNS_AHEAD)), chance)
        text, child = max(root.children.items(), key=lambda item: item[1].visits)
        turn.memory.play(text)
        return text, f"{child.gain / child.visits:.0%} of {child.visits} trials, {root.visits} in all"

    return bot


if __name__ == "__main__":
    parser = command_line("mcts")
    parser.add_argument("--level", type=int, choices=SECONDS, default=2, help="how long it thinks")
    parser.add_argument("--seed", type=int, help="the same chances every time")
    options = parser.parse_args()
    make(options.level, options.seed).run(options)

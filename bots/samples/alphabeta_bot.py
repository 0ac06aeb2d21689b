"""Plays Quixo, alone and in teams, by alpha-beta search: one ply deeper each time, as its clock allows.

It follows the match from its first turn on, so that it knows which positions a third visit would draw.

    python -m bots.samples.alphabeta_bot --level 3 --port 9004 --secret whsec_…
"""

import random
import time
from dataclasses import dataclass
from typing import NamedTuple

from bots.sdk import Bot, Turn, command_line
from engines.quixo.search import search
from engines.quixo.state import QuixoState

NO_LIMIT = 10**9
DRAW = -200  # evaluation's tempo alone swings by 100, so that a draw is not taken for a little less
TURNS_AHEAD = 20  # a game lasts about that long for each side


class Level(NamedTuple):
    """How deep and how long it looks at most; what the clock allows comes first."""

    depth: int
    seconds: float


LEVELS = {1: Level(1, 0.05), 2: Level(2, 0.1), 3: Level(64, 0.1), 4: Level(64, 0.5), 5: Level(64, 60)}


@dataclass(slots=True)
class Follower:
    """The game as it stands after the bot's own last move."""

    state: QuixoState | None = None

    def now(self, turn: Turn) -> QuixoState:
        """The position to move in, with its past; without it if the bot joined in the middle."""
        game = turn.engine
        state = self.state or game.start(turn.seats, game.full_options(turn.options), bytes(32))
        assert isinstance(state, QuixoState)
        if state.ply + len(turn.history) == turn.turn:
            for entry in turn.history:
                state = state.apply(state.move(entry["move"]))
            if state.text() == turn.position:
                return state
        assert isinstance(turn.state, QuixoState)
        return turn.state


def make(level: int = 3, seed: int | None = None) -> Bot:
    """A bot that searches as `LEVELS[level]` says; `seed` decides between moves that look equal."""
    bot = Bot(f"alphabeta-{level}", memory=Follower)
    limits = LEVELS[level]
    chance = random.Random(seed)

    @bot.move("quixo", "quixo-teams")
    def move(turn: Turn) -> tuple[str, str]:
        stop_at = time.perf_counter() + min(limits.seconds, turn.clock.share_s(TURNS_AHEAD))
        state = turn.memory.now(turn)
        found = search(
            state,
            NO_LIMIT,
            depth=limits.depth,
            seed=chance.getrandbits(32),
            draw=DRAW,
            should_stop=lambda: time.perf_counter() > stop_at,
        )
        turn.memory.state = state.apply(found.move)
        return str(found.move), f"depth {found.depth}, score {found.score}, {found.nodes} positions"

    return bot


if __name__ == "__main__":
    parser = command_line("alphabeta")
    parser.add_argument("--level", type=int, choices=LEVELS, default=3, help="how deep and long it looks")
    parser.add_argument("--seed", type=int, help="the same choices where moves look equal")
    options = parser.parse_args()
    make(options.level, options.seed).run(options)

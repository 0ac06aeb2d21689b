"""Plays Sorry!, all three games, by expectimax: its moves, the cards that may come, the best answers.

python -m bots.samples.expectimax_bot --level 3 --port 9006 --secret whsec_…
"""

import random
import time
from typing import NamedTuple

from bots.sdk import Bot, Turn, command_line
from engines.sorry.search import search
from engines.sorry.state import Table

NO_LIMIT = 10**9
TURNS_AHEAD = 60  # with a choice; a game lasts longer than in Quixo


class Level(NamedTuple):
    """How many plays of a card and how long it looks ahead at most; what the clock allows comes first."""

    depth: int
    seconds: float


LEVELS = {1: Level(1, 0.05), 2: Level(2, 0.1), 3: Level(3, 0.3), 4: Level(4, 60)}


def make(level: int = 2, seed: int | None = None) -> Bot:
    """A bot that searches as `LEVELS[level]` says; `seed` decides between moves that look equal."""
    bot = Bot(f"expectimax-{level}")
    limits = LEVELS[level]
    chance = random.Random(seed)

    @bot.move("sorry", "sorry-teams", "sorry-points")
    def move(turn: Turn) -> tuple[str, str]:
        stop_at = time.perf_counter() + min(limits.seconds, turn.clock.share_s(TURNS_AHEAD))
        assert isinstance(turn.state, Table)
        found = search(
            turn.state,
            NO_LIMIT,
            depth=limits.depth,
            seed=chance.getrandbits(32),
            should_stop=lambda: time.perf_counter() > stop_at,
        )
        return str(found.move), f"depth {found.depth}, {found.score:+.1f} steps, {found.nodes} positions"

    return bot


if __name__ == "__main__":
    parser = command_line("expectimax")
    parser.add_argument("--level", type=int, choices=LEVELS, default=2, help="how far and long it looks")
    parser.add_argument("--seed", type=int, help="the same choices where moves look equal")
    options = parser.parse_args()
    make(options.level, options.seed).run(options)

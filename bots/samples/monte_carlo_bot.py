"""Plays every game by trial: many games to the end at random after each move, most after the best ones.

What it may not know (the order of the cards, the other hands) is dealt anew for each trial. The level sets
how long it thinks at most; it thinks less when its clock asks for that.

    python -m bots.samples.monte_carlo_bot --level 2 --port 9003 --secret whsec_…
"""

import math
import random
import time
from dataclasses import dataclass
from typing import Any

from bots.sdk import Bot, Turn, command_line
from engines.game import SEED_BYTES, State

SECONDS = {1: 0.02, 2: 0.1, 3: 0.5, 4: 2.0}
CURIOSITY = 0.7  # how much an untried move attracts; √2 in theory, less pays with few trials


@dataclass(slots=True)
class Arm:
    """A move with what its trials brought: 1 for a win, 0 for a loss each."""

    move: str
    trials: int = 0
    gain: float = 0.0

    def promise(self, log_total: float) -> float:
        """The upper end of what the move may be worth (UCB1)."""
        if not self.trials:
            return math.inf
        return self.gain / self.trials + CURIOSITY * math.sqrt(log_total / self.trials)


def make(level: int = 2, seed: int | None = None) -> Bot:
    """A bot that thinks up to `SECONDS[level]` about a move."""
    bot = Bot(f"monte-carlo-{level}")
    chance = random.Random(seed)

    @bot.move
    def move(turn: Turn) -> tuple[str, str]:
        deadline = time.perf_counter() + min(SECONDS[level], turn.clock.share_s(40))
        arms = [Arm(text) for text in turn.legal_moves]
        trials = 0
        while time.perf_counter() < deadline:
            trials += 1
            log_total = math.log(trials)
            arm = max(arms, key=lambda arm: arm.promise(log_total))
            arm.gain += play_out(turn.deal(chance.randbytes(SEED_BYTES)), arm.move, chance)
            arm.trials += 1
        best = max(arms, key=lambda arm: arm.trials)
        return best.move, f"{best.gain / max(1, best.trials):.0%} of {best.trials} trials, {trials} in all"

    return bot


def play_out(state: State, first: str, chance: random.Random) -> float:
    """What the seat to move gets in one game that goes on at random after the move `first`."""
    seat = state.to_move
    move: Any = state.move(first)
    while (state := state.apply(move)).outcome is None:
        move = chance.choice(state.legal_moves())
    places = list(state.outcome.placing)
    mine = places.pop(seat)
    return sum(1.0 if mine < place else 0.5 * (mine == place) for place in places) / len(places)


if __name__ == "__main__":
    parser = command_line("monte-carlo")
    parser.add_argument("--level", type=int, choices=SECONDS, default=2, help="how long it thinks")
    parser.add_argument("--seed", type=int, help="the same chances every time")
    options = parser.parse_args()
    make(options.level, options.seed).run(options)

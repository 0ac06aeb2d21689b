"""Plays every game, any legal move with equal chance.

python -m bots.samples.random_bot --port 9001 --secret whsec_…
"""

import random

from bots.sdk import Bot, Turn, command_line


def make(seed: int | None = None) -> Bot:
    """A bot whose choices follow from `seed`, if one is given, as long as it plays one match at a time."""
    bot = Bot("random")
    chance = random.Random(seed)

    @bot.move
    def move(turn: Turn) -> str:
        return chance.choice(turn.legal_moves)

    return bot


if __name__ == "__main__":
    parser = command_line("random")
    parser.add_argument("--seed", type=int, help="play the same moves every time")
    options = parser.parse_args()
    make(options.seed).run(options)

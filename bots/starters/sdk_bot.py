"""my-bot plays quixo. Change `choose`; the rest runs as it is.

python my_bot.py --port 9000 --secret whsec_…         answer at http://127.0.0.1:9000/
python my_bot.py --server https://… --key arb_…        no address needed: fetch the turns
"""

import random

from bots.sdk import Bot, Turn

bot = Bot("my-bot")


@bot.move("quixo")
def choose(turn: Turn) -> object:
    """A move's text, its index in turn.legal_moves, a move of turn.state, or Resign()."""
    for move in turn.state.legal_moves():
        after = turn.state.apply(move)
        if after.outcome and after.outcome.placing[turn.seat] == 1 and not after.outcome.drawn:
            return move, "this one wins"
    return random.choice(turn.legal_moves)


if __name__ == "__main__":
    bot.run()

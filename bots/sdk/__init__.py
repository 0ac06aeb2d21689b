"""Write a bot: a function from a turn to a move is enough.

from bots.sdk import Bot

bot = Bot("first-move")

@bot.move
def move(turn):
    return turn.legal_moves[0]

if __name__ == "__main__":
    bot.run()
"""

from bots.sdk.bot import Bot
from bots.sdk.command import command_line
from bots.sdk.messages import End, Player, Receipt, Result, Start, Turn, TurnClock
from bots.sdk.responder import Resign
from bots.sdk.server import Server

__all__ = [
    "Bot",
    "End",
    "Player",
    "Receipt",
    "Resign",
    "Result",
    "Server",
    "Start",
    "Turn",
    "TurnClock",
    "command_line",
]

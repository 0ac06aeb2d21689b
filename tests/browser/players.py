"""Bots for watching: they play in this process, and take a little time."""

from __future__ import annotations

import time
from typing import Any

from bots.sdk import Bot
from engines.registry import GAMES

PAUSE_S = 0.12


def thoughtful(pause_s: float = PAUSE_S, says: str | None = None) -> Bot:
    """A bot that takes the last legal move after a pause."""
    bot = Bot("thoughtful")

    @bot.move(*GAMES)
    def move(turn: Any) -> Any:
        time.sleep(pause_s)
        chosen = turn.legal_moves[(turn.turn * 7) % len(turn.legal_moves)]
        return (chosen, says) if says else chosen

    return bot

"""Golden playthroughs: one recorded game for each game and number of seats, `<game>-<seats>.txt`.

A line is JSON: a ply {"ply", "seat", "text", "legal", "move"}, where `text` is the position with what the
seat to move may know, and `legal` its moves (of more than 20, their number and a digest); the last line is
the outcome. `python -m tests.engines.golden` writes them anew: do so when a rule's reading changes on
purpose, and look at what the change did.
"""

import hashlib
import json
from pathlib import Path

from engines.chance import Stream
from engines.registry import GAMES

FOLDER = Path(__file__).parent
LISTED = 20


def playthroughs():
    """The name and seats of every game that needs a playthrough."""
    return [(name, seats) for name, game in GAMES.items() for seats in game.seats]


def path(name, seats):
    return FOLDER / f"{name}-{seats}.txt"


def lines(name, seats):
    """One random game, the same every time."""
    game = GAMES[name]
    seed = hashlib.sha256(f"{name}-{seats}".encode()).digest()
    stream = Stream(seed, b"golden")
    state = game.start(seats, game.full_options({}), seed)
    while state.outcome is None:
        moves = state.legal_moves()
        number, stream = stream.below(len(moves))
        move = moves[number]
        yield json.dumps(
            {
                "ply": state.ply,
                "seat": state.to_move,
                "text": state.text(state.to_move),
                "legal": legal([str(legal_move) for legal_move in moves]),
                "move": str(move),
            }
        )
        state = state.apply(move)
    outcome = state.outcome
    yield json.dumps({"placing": outcome.placing, "reason": outcome.reason, "points": outcome.points})


def legal(texts):
    if len(texts) <= LISTED:
        return texts
    return {"count": len(texts), "sha256": hashlib.sha256("\n".join(texts).encode()).hexdigest()}

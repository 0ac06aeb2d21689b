"""Sorry!'s part of `./run bench engines`: legal moves of the recorded positions, random games, team 7s, size.

Ratios are to a plain Quixo engine's moves a second, measured beside each; what is required in games a
second or in milliseconds is put on the scale of a machine where that engine makes 118 000 moves a second.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Sequence
from random import Random
from statistics import median

from engines.registry import GAMES
from engines.sorry.cards import BY_NAME, SEVEN
from engines.sorry.moves import Side, plays
from engines.sorry.state import Table
from tests.bench.engines_quixo import plain_playouts, rate
from tests.bench.table import Row
from tests.engines.sorry.boards import drawn
from tests.engines.sorry.test_cases import card_name, state_of
from tests.engines.sorry.test_cases import rows as recorded

SCALE = 118_000  # the plain engine's moves a second where games a second and milliseconds are asked for
ROUNDS = 9
PLAIN_GAMES = 25
GAMES_A_ROUND = 10
FILES = {"sorry-positions": "sorry", "sorry-teams": "sorry-teams", "sorry-points": "sorry-points"}
MOST_CHOICES = "r=7,14,22,53 b=11,16,37,50 y=8,15,23,52 g=0,26,49,56"


def recorded_states(file: str) -> list[Table]:
    return [state_of(FILES[file], row) for row in recorded(file)]


def recorded_cards(file: str) -> list[tuple[int, Side, int]]:
    """The recorded positions with the one card that each is recorded with."""
    cards = [BY_NAME[card_name(row["card"])] for row in recorded(file)]
    states = recorded_states(file)
    return [
        (state.board, state.setup.sides[state.to_move], card)
        for state, card in zip(states, cards, strict=True)
    ]


def by_card(positions: Sequence[tuple[int, Side, int]]) -> int:
    """For how many positions the plays of a card were made."""
    for board, side, card in positions:
        plays(board, side, (card,))
    return len(positions)


def calls(states: Sequence[Table]) -> int:
    """For how many states the legal moves were made."""
    for state in states:
        state.legal_moves()
    return len(states)


def random_games(name: str, seats: int, count: int, seed: int) -> int:
    """How many random games were played through the contract."""
    game, random = GAMES[name], Random(seed)
    options = game.full_options({})
    for number in range(count):
        state = game.start(seats, options, number.to_bytes(32, "big"))
        while state.outcome is None:
            state = state.apply(random.choice(state.legal_moves()))
    return count


def milliseconds(states: Sequence[Table]) -> float:
    """The mean time for one position's legal moves."""
    started = time.process_time()
    calls(states)
    return 1000 * (time.process_time() - started) / len(states)


def bytes_per_state(name: str, seats: int) -> float:
    """Memory that a kept game takes, by position."""
    game, random, kept = GAMES[name], Random(1), []
    options = game.full_options({})
    tracemalloc.start()
    for number in range(5):
        kept.append(game.start(seats, options, number.to_bytes(32, "big")))
        while kept[-1].outcome is None:
            kept.append(kept[-1].apply(random.choice(kept[-1].legal_moves())))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / len(kept)


def rows() -> list[Row]:
    """What was reached and what is required."""
    basic, teams, points = map(recorded_states, FILES)
    cards = [position for file in FILES for position in recorded_cards(file)]
    sevens = [state for state in teams if state.held(state.to_move)[0] == SEVEN]
    most = [drawn(MOST_CHOICES, "7", game="sorry-teams", seats=4)]
    rounds = []
    for seed in range(ROUNDS):
        plain = rate(plain_playouts, PLAIN_GAMES, seed)
        rounds.append(
            (
                rate(calls, basic) / plain,
                rate(by_card, cards) / plain,
                rate(calls, teams) / plain,
                rate(calls, points) / plain,
                rate(calls, [*basic, *teams, *points]) / plain,
                rate(random_games, "sorry", 4, GAMES_A_ROUND, seed) * SCALE / plain,
                milliseconds(most) * plain / SCALE,
                milliseconds(sevens) * plain / SCALE,
            )
        )
    found = list(map(median, zip(*rounds, strict=True)))
    sizes = [(name, game.seats[-1]) for name, game in GAMES.items() if name in FILES.values()]
    return [
        ("sorry, recorded positions: legal_moves() calls/s", found[0], ">=", 0.85),
        ("all three games, recorded positions with their card: calls/s", found[1], ">=", 0.85),
        ("sorry-teams, recorded positions: legal_moves() calls/s", found[2], ">=", 0),
        ("sorry-points, recorded positions, all cards of a hand: legal_moves() calls/s", found[3], ">=", 0),
        ("all three games, recorded positions, whole hands: legal_moves() calls/s", found[4], ">=", 0.85),
        ("sorry, random games with 4 players: games/s on the scale", found[5], ">=", 60),
        ("sorry-teams, the 7 with 4 619 choices: ms on the scale", found[6], "<", 40),
        ("sorry-teams, recorded 7s: mean ms on the scale", found[7], "<=", 1),
        *((f"{name}, bytes a kept state", bytes_per_state(name, seats), "<", 2048) for name, seats in sizes),
    ]

"""The engine against the second implementation, over random play of every variant."""

from collections import Counter
from random import Random

import pytest

from engines.quixo.game import Quixo, QuixoTeams
from tests.engines.quixo.second import SecondQuixo

POSITIONS = 10_000
GAMES = {2: Quixo(), 4: QuixoTeams()}


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("seats", [2, 4])
def test_both_implementations_play_the_same_games(seats, size):
    seen = Counter()
    while seen["positions"] < POSITIONS:
        seen += same_game(seats, {"size": size, "ply_limit": 60}, Random(f"{seats} {size} {seen}"))
        seen += same_game(
            seats, {"size": size, "ply_limit": 5 * size, "repetition": False}, Random(str(seen))
        )
    reached = {"line", "opponent-line", "repetition", "ply-limit"} | ({"--"} if seats == 4 else set())
    assert reached <= seen.keys()


def same_game(seats, options, random):
    """Play one game; returns how many positions were compared, how it ended, how many passes there were."""
    game, second = GAMES[seats], SecondQuixo(seats, **options)
    state = game.start(seats, game.full_options(options), bytes(32))
    circling = random.random() < 0.5  # such a game goes back to positions that stood before
    seen = Counter()
    while True:
        compare(state, second)
        seen["positions"] += 1
        if state.outcome:
            seen[str(state.outcome.reason)] += 1
            return seen
        text = choose(state, second, random) if circling else random.choice(second.legal())
        seen["--"] += text == "--"
        state = state.apply(state.move(text))
        second.play(text)


def compare(state, second):
    assert [str(move) for move in state.legal_moves()] == second.legal()
    assert state.text() == second.text()
    assert state.to_move == second.seat
    assert (state.outcome and (state.outcome.placing, state.outcome.reason)) == second.outcome
    assert state.seen_twice() == seen_twice(second)


def choose(state, second, random):
    after = {str(move): state.apply(move) for move in state.legal_moves()}
    back = [text for text in after if after[text].text().rpartition(" ")[0] in second.visits]
    safe = [text for text in after if not after[text].outcome]
    return random.choice(back or safe or list(after))


def seen_twice(second):
    """What the second implementation has seen twice and may still come back: as many cubes are marked."""
    if not second.repetition:
        return []
    marks = second.place().count(".")
    return sorted(p for p, n in second.visits.items() if n >= 2 and p.count(".") == marks)

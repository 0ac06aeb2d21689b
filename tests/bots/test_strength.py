"""How strong the samples are, in long runs: every figure is printed with its interval (run with -s)."""

import pytest

from engines.clock import PRESETS
from workers.local_score import Score, add_record

# game, the stronger bot, the weaker bot, games, the least score of the stronger one
CLAIMS = [
    ("quixo", "alphabeta:5", "greedy", 60, 0.95),
    ("quixo", "alphabeta:3", "mcts:2", 40, 0.6),
    ("quixo", "mcts:3", "greedy", 40, 0.9),
    ("quixo-teams", "alphabeta:4", "greedy", 40, 0.9),
    ("sorry", "expectimax:4", "random", 60, 0.6),
    ("sorry", "expectimax:3", "random", 100, 0.6),
    ("sorry", "expectimax:3", "greedy", 100, 0.5),
    ("sorry-teams", "expectimax:2", "random", 60, 0.6),
    ("sorry-points", "expectimax:2", "random", 60, 0.6),
]


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("game", "strong", "weak", "games", "least"), CLAIMS)
def test_the_stronger_bot_wins(series, game, strong, weak, games, least):
    opening = 2 if game.startswith("quixo") else 0
    records = series(game, strong, weak, games=games, control=PRESETS["bullet"], opening=opening)
    first, second = (player["bot"] for player in records[0]["header"]["players"][:2])
    scores = {first: Score(), second: Score()}
    for record in records:
        add_record(scores, record)
    score = scores[first]
    low, high = score.interval()
    print(
        f"\n{game}: {strong} scores {score.mean:.1%} against {weak} ({low:.1%} to {high:.1%}, {games} games)"
    )
    assert score.mean >= least
    assert not score.faults

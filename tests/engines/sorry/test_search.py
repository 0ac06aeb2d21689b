"""The search: finds what is there, keeps to its budget, knows nothing hidden, and beats random play."""

import random

import pytest

from engines.registry import GAMES
from engines.sorry.search import search
from tests.engines.sorry.boards import SEED, drawn, held
from tests.engines.sorry.test_hidden import redealt, some_states

BEST = [
    # game, before, card or hand, the move
    ("sorry", "r=S,H,H,57 y=S,S,S,40", "11", "11 r57-H"),
    ("sorry", "r=H,H,H,:5 y=S,S,S,40", "1", "1 r:5-H"),
    ("sorry", "r=S,S,17,40 y=S,S,S,22", "5", "5 r17-22"),
    ("sorry", "r=S,S,S,4 y=S,S,S,40", "4", "4 r4-0"),
    ("sorry", "r=S,S,S,4 y=S,S,S,58", "Sorry!", "Sorry! rSx58"),
    ("sorry-teams", "r=H,H,H,H y=H,H,H,:5 b=S,S,S,22", "1", "1 y:5-H"),
    ("sorry-points", "r=H,H,H,:5 y=S,S,S,40", "1,2,12,8,3", "1 r:5-H"),
    ("sorry-points", "r=S,S,S,4 y=S,S,S,58", "1,4,12,8,Sorry!", "Sorry! rSx58"),
]


def state_for(game, before, cards):
    if game == "sorry-points":
        return held(before, cards, "*5")
    return drawn(before, cards, game=game, seats=4 if game == "sorry-teams" else 2)


@pytest.mark.parametrize(("game", "before", "cards", "move"), BEST)
@pytest.mark.parametrize("depth", [1, 2])
def test_the_best_move(game, before, cards, move, depth):
    assert str(search(state_for(game, before, cards), 2_000, depth=depth).move) == move


@pytest.mark.parametrize(("name", "seats"), [("sorry", 3), ("sorry-teams", 4)])
def test_equal_arguments_give_equal_answers(name, seats):
    for state in some_states(name, seats, 5):
        assert search(state, 500, seed=7) == search(state, 500, seed=7)


@pytest.mark.parametrize(
    ("name", "seats"), [("sorry", 2), ("sorry-teams", 4), ("sorry-points", 2), ("sorry-points", 4)]
)
def test_it_knows_nothing_hidden(name, seats):
    chosen = random.Random(5)
    for state in some_states(name, seats, 10):
        other = redealt(state, state.to_move, chosen)
        assert search(other, 400, depth=2, seed=3) == search(state, 400, depth=2, seed=3)


@pytest.mark.parametrize("nodes", [0, 50, 1_000])
def test_the_budget(nodes):
    """Depth 1 is always finished; beyond it at most one node's moves are too many."""
    state = drawn("r=S,4,17,40 y=S,S,20,50", "7")
    moves = len(state.legal_moves())
    found = search(state, nodes, depth=9)
    assert found.nodes <= max(nodes, moves) + 100
    assert found.depth >= 1
    assert found.move in state.legal_moves()


def test_the_caller_may_stop_it():
    calls = []
    state = drawn("r=S,4,17,40 y=S,S,20,50", "7")
    found = search(state, 1_000_000, depth=9, should_stop=lambda: bool(calls.append(1)) or len(calls) == 3)
    assert len(calls) == 3
    assert found.nodes < 2_000


def share_won(name, seats, games, depth, nodes, others=None):
    """How many of the games the search wins, in each seat in turn, against random play or another depth."""
    game = GAMES[name]
    won = 0
    for number in range(games):
        chosen = random.Random(number)
        mine = number % seats
        state = game.start(seats, game.full_options({}), bytes([number % 256]) + SEED[1:])
        while state.outcome is None:
            state = state.apply(choice(state, mine, chosen, depth, nodes, others))
        won += state.outcome.placing[mine] == 1
    return won / games


def choice(state, mine, chosen, depth, nodes, others):
    moves = state.legal_moves()
    seats = state.setup.partners(mine)
    used = depth if state.to_move in seats else others
    if len(moves) == 1 or used is None:
        return chosen.choice(moves)
    return search(state, nodes, depth=used, seed=chosen.randrange(1 << 30)).move


@pytest.mark.parametrize(
    ("name", "seats", "games", "required"),
    [("sorry", 2, 60, 0.6), ("sorry-teams", 4, 12, 0.8), ("sorry-points", 2, 20, 0.8)],
)
def test_it_beats_random_play(name, seats, games, required):
    assert share_won(name, seats, games, depth=2, nodes=200) >= required


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("name", "seats", "required"),
    [
        ("sorry", 2, 0.72),
        ("sorry", 3, 0.6),
        ("sorry", 4, 0.55),
        ("sorry-teams", 4, 0.9),
        ("sorry-points", 2, 0.9),
        ("sorry-points", 4, 0.8),
    ],
)
def test_it_beats_random_play_by_far(name, seats, required):
    assert share_won(name, seats, 250, depth=2, nodes=2_000) >= required


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_three_plays_beat_one():
    assert share_won("sorry", 2, 120, depth=3, nodes=6_000, others=1) >= 0.52

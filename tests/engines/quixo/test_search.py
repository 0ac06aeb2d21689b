"""Search finds what there is to find, keeps to its budget, and repeats itself exactly."""

from random import Random

import pytest

from engines.quixo.evaluation import evaluate
from engines.quixo.game import Quixo, QuixoTeams
from engines.quixo.playouts import search_by_playouts
from engines.quixo.position import recall
from engines.quixo.search import WIN, search

GAMES = {2: Quixo(), 4: QuixoTeams()}
THREES = "OOO../...../...../...../XXX.. 0 6"


def read(text, seats=2, **options):
    return GAMES[seats].position(text, seats, GAMES[seats].full_options(options), bytes(32))


def after(seats, plies, seed, **options):
    """A position after random plies that is not over."""
    random, game = Random(seed), GAMES[seats]
    first = state = game.start(seats, game.full_options(options), bytes(32))
    while state.ply < plies or state.outcome:
        state = first if state.outcome else state.apply(random.choice(state.legal_moves()))
    return state


MATES = [
    ("...../...../..O../.O.../XXXX. 0 8", 2),
    ("...../...../..1../.1.../0202. 0 8", 4),
]


@pytest.mark.parametrize(("text", "seats"), MATES)
@pytest.mark.parametrize("find", [search, search_by_playouts])
def test_a_win_at_once_is_taken(find, text, seats):
    state = read(text, seats)
    assert state.apply(find(state, 50_000).move).outcome.reason == "line"


def brute(state, depth):
    """The worth to the mover by looking at everything, without any of the search's means."""
    if state.outcome:
        return 0 if state.outcome.drawn else WIN - state.ply if won(state) else state.ply - WIN
    if state.visits():
        return 0
    if depth == 0:
        return evaluate(state)
    return max(-brute(state.apply(move), depth - 1) for move in state.legal_moves())


def won(state):
    return state.outcome.placing[state.to_move] == 1


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("depth", [1, 2])
def test_alpha_beta_is_worth_what_looking_at_everything_is(seats, depth):
    for seed in range(8):
        state = after(seats, 8 + 4 * seed, seed)
        found = search(state, 10**9, depth=depth)
        assert found.score == max(-brute(state.apply(move), depth - 1) for move in state.legal_moves())
        assert -brute(state.apply(found.move), depth - 1) == found.score


def test_three_plies_are_looked_at_exactly_on_a_small_board():
    for seed in range(6):
        state = after(2, 6, seed, size=4)
        best = max(-brute(state.apply(move), 2) for move in state.legal_moves())
        assert search(state, 10**9, depth=3).score == best


@pytest.mark.parametrize("find", [search, search_by_playouts])
@pytest.mark.parametrize("seats", [2, 4])
def test_equal_arguments_give_equal_answers(find, seats):
    state = after(seats, 12, 1)
    assert find(state, 3000, seed=5) == find(state, 3000, seed=5)
    moves = {find(after(seats, 0, 0), 60, seed=seed).move for seed in range(8)}
    assert len(moves) > 1


@pytest.mark.parametrize("nodes", [1, 100, 5000, 20_000])
def test_the_budget_is_kept(nodes):
    state = after(2, 10, 3)
    assert search(state, nodes).nodes <= max(nodes, len(state.legal_moves())) + 44
    assert search_by_playouts(state, nodes).nodes <= nodes + 200


@pytest.mark.parametrize("find", [search, search_by_playouts])
def test_the_caller_can_stop_it(find):
    calls = []

    def stop():
        calls.append(1)
        return len(calls) > 3

    found = find(after(2, 10, 3), 10**9, should_stop=stop)
    assert len(calls) == 4
    assert found.nodes < 10_000
    assert found.move in after(2, 10, 3).legal_moves()


def test_a_forced_pass_is_found_without_search():
    state = read("22121/2...2/1...1/2...2/11221 0 32", 4)
    found = search(state, 10_000)
    assert (str(found.move), found.depth, found.nodes) == ("--", 1, 1)
    assert str(search_by_playouts(state, 1000).move) == "--"


def test_the_line_is_playable():
    for seed in range(5):
        state = after(4, 10, seed)
        for move in search(state, 20_000).line:
            assert move in state.legal_moves()
            state = state.apply(move)


def test_a_better_position_is_not_given_up_to_repetition():
    """One of the mover's moves would draw by a third visit; it is ahead and plays another."""
    board = "OOO../...../X..../...../XXX.."
    known = recall(read(f"{board} 0 16"), [f"{board} 1"])
    drawing = [move for move in known.legal_moves() if known.apply(move).outcome]
    assert drawing
    found = search(known, 5000)
    assert found.score > 0
    assert found.move not in drawing


def test_a_draw_is_taken_for_what_the_mover_says_it_is_worth():
    """Behind by a little it is avoided if it is worth less, ahead it is taken if it is worth more."""
    board = "OOO../...../X..../...../XXX.."
    ahead = recall(read(f"{board} 0 16"), [f"{board} 1"])
    drawing = {move for move in ahead.legal_moves() if ahead.apply(move).outcome}
    taken = search(ahead, 5000, draw=10_000)
    assert (taken.move in drawing, taken.score) == (True, 10_000)
    mirrored = board.translate(str.maketrans("XO", "OX"))
    behind = recall(read(f"{mirrored} 0 16"), [f"{mirrored} 1"])
    drawing = {move for move in behind.legal_moves() if behind.apply(move).outcome}
    assert drawing
    assert search(behind, 5000, depth=2).move in drawing
    assert search(behind, 5000, depth=2, draw=-10_000).move not in drawing


def test_a_lost_position_is_saved_by_repetition():
    positions = [after(2, 10, seed, size=4) for seed in range(40)]
    found = [(state, search(state, 20_000)) for state in positions]
    lost = [state.apply(f.move) for state, f in found if f.score > WIN // 2 and f.ends_at > 11]
    assert len(lost) >= 5
    for state in lost:
        own = [m for m in state.legal_moves() if m.cell & state.mine and not state.apply(m).outcome]
        saving = state.apply(own[0])
        assert search(state, 20_000).score < -WIN // 2
        found = search(recall(state, [saving.text().rpartition(" ")[0]]), 20_000)
        assert found.score == 0
        assert state.apply(found.move).text() == saving.text()


def test_evaluation_is_the_movers():
    state = read("XXX../...../...../...../O.... 0 8")
    assert evaluate(state) > 0
    assert evaluate(read("XXX../...../...../...../O.... 1 9")) == -evaluate(state)

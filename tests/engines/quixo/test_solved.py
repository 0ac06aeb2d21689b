"""The solved 3×3 game, and what engines with a known fault make of it (the 4×4 game: solve4)."""

import json
from pathlib import Path

import pytest

from engines.quixo.game import Quixo
from engines.quixo.search import WIN, search
from tests.engines.quixo.mutants import OPPONENT_LINE, OWN_LINE, mutant
from tests.engines.quixo.solving import Solution

REFERENCE = json.loads((Path(__file__).parents[2] / "cases" / "quixo-reference.json").read_text())

FAULTS = {
    "both lines: the mover wins": ("state", OPPONENT_LINE, f"{OPPONENT_LINE[:-1]} and not {OWN_LINE}:"),
    "opponent's line alone ignored": ("state", OPPONENT_LINE, f"{OPPONENT_LINE[:-1]} and {OWN_LINE}:"),
    "the cube may go straight back": (
        "board",
        "if len(path := _path(bit, end, size)) > 1",
        "if (path := _path(bit, end, size))",
    ),
    "the whole row rolls": (
        "board",
        "(bit, end): _slide(path)",
        "(bit, end): _slide(path if len(path) == size else [bit, 2 * bit - path[-1], path[-1]])",
    ),
}


@pytest.fixture(scope="module")
def solution():
    return Solution(Quixo())


def test_all_3x3_boards_are_worth_what_they_are(solution):
    known = REFERENCE["solved"]["3"]
    assert solution.counts() == [known["win"], known["loss"], known["draw"]]
    assert sum(solution.counts()) == known["states"]
    assert f"win in {solution.plies[0, 0]} plies" == known["empty_board"]


@pytest.mark.parametrize("fault", REFERENCE["what_faulty_engines_get_on_3x3"])
def test_a_faulty_engine_gets_the_counts_of_its_fault(fault):
    with mutant(*FAULTS[fault]) as games:
        counts = Solution(games[2]).counts()
    assert counts == REFERENCE["what_faulty_engines_get_on_3x3"][fault]


def test_search_finds_the_solution(solution):
    """Every tenth reachable board of the first five plies: the same worth, the same distance."""
    game = Quixo()
    options = game.full_options({"size": 3})
    level = [game.start(2, options, bytes(32))]
    for _ in range(5):
        level = [s.apply(move) for s in level for move in s.legal_moves()]
        level = [s for s in level[:: max(1, len(level) // 40)] if not s.outcome]
        for state in level:
            found, board = search(state, 200_000), (state.mine, state.theirs)
            assert found.ends_at == state.ply + solution.plies[board]
            assert (found.score > 0) == (solution.worth[board] == "win")
            assert abs(found.score) == WIN - found.ends_at

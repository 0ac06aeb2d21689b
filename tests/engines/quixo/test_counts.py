"""Counts that others have published or that were made by other programs: cases/quixo-reference.json."""

import json
from pathlib import Path

import pytest

from engines.quixo.game import Quixo, QuixoTeams
from tests.engines.quixo.counting import endings, first_reached, sequences

REFERENCE = json.loads((Path(__file__).parents[2] / "cases" / "quixo-reference.json").read_text())
GAMES = {2: Quixo(), 4: QuixoTeams()}
TABLES = [
    (seats, int(size), counts)
    for seats in (2, 4)
    for size, counts in REFERENCE[f"perft_{seats}_players"].items()
]


@pytest.mark.parametrize(("seats", "size", "counts"), TABLES)
def test_sequences_of_moves(seats, size, counts):
    """Q3 to Q12: every sequence, on 5×5 all but the deepest."""
    known = counts[:-1] if size == 5 else counts
    assert sequences(GAMES[seats], seats, size, len(known)) == known


@pytest.mark.long
@pytest.mark.parametrize(("seats", "size", "counts"), TABLES)
def test_the_longest_sequences_of_moves(seats, size, counts):
    assert sequences(GAMES[seats], seats, size, len(counts)) == counts


@pytest.mark.parametrize("ply", [5, 6])
def test_endings_by_kind(ply):
    """Q12, Q13 on 3×3; the first endings come at ply 5."""
    assert not any(endings(GAMES[2], 2, 3, earlier) for earlier in range(1, 5))
    assert endings(GAMES[2], 2, 3, ply) == REFERENCE["endings_2_players_3x3_at_ply"][str(ply)]


def test_positions_reached_by_ply():
    assert first_reached(GAMES[2], 3) == REFERENCE["reachable_3x3_pairs_of_board_and_side_by_ply"]

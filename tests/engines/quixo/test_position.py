"""Positions as values and as texts: laws, reading back, what is refused, views, drawings, size in memory."""

import sys
from random import Random

import pytest

from engines.errors import BadPosition
from engines.quixo.game import Quixo, QuixoTeams
from engines.quixo.position import recall
from engines.quixo.state import QuixoState

GAMES = {2: Quixo(), 4: QuixoTeams()}
SEED = bytes(32)
THREES = "OOO../...../...../...../XXX.. 0 6"
PAIRS = "00.11/...../...../...../22.33 0 8"


def start(seats, **options):
    return GAMES[seats].start(seats, GAMES[seats].full_options(options), SEED)


def read(text, seats=2, **options):
    return GAMES[seats].position(text, seats, GAMES[seats].full_options(options), SEED)


def play(state, moves):
    for text in moves.split():
        state = state.apply(state.move(text))
    return state


def random_games(seats, count, **options):
    for seed in range(count):
        random, states = Random(seed), [start(seats, **options)]
        while not states[-1].outcome:
            states.append(states[-1].apply(random.choice(states[-1].legal_moves())))
        yield states


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("seats", [2, 4])
def test_a_text_reads_back_to_the_same_position(seats, size):
    for states in random_games(seats, 10, size=size, repetition=False):
        for state in states:
            again = read(state.text(), seats, size=size, repetition=False)
            assert again == state
            assert again.text() == state.text()
            assert again.legal_moves() == state.legal_moves()
            assert again.outcome == state.outcome


def test_a_position_is_equal_to_one_reached_alike_and_to_no_other():
    state = play(start(2), "c1N a3E")
    assert state == play(start(2), "c1N a3E")
    assert hash(state) == hash(play(start(2), "c1N a3E"))
    assert state != play(start(2), "a3E c1N")
    assert state != play(start(2, ply_limit=100), "c1N a3E")
    assert state != state.without(0)
    assert state != "a state"


def test_positions_with_different_pasts_are_different():
    assert play(read(THREES), "c1W c5W") != read(THREES.replace("6", "8"))
    assert play(read(THREES, repetition=False), "c1W c5W") == read(THREES.replace("6", "8"), repetition=False)


def test_a_position_cannot_be_changed():
    state = start(2)
    with pytest.raises(AttributeError):
        state.ply = 1
    with pytest.raises(AttributeError):
        state.extra = 1
    with pytest.raises(AttributeError):
        state.move("c1N").text = "c1E"


def test_apply_leaves_its_argument_alone():
    for states in random_games(4, 3):
        for state in states:
            text, moves, past = state.text(), state.legal_moves(), list(state.past())
            for move in moves:
                state.apply(move)
            assert (state.text(), state.legal_moves(), list(state.past())) == (text, moves, past)


BAD = [
    ("", "a position is its rows, the seat to move and the ply"),
    ("...../...../...../...../..... 0", "a position is its rows, the seat to move and the ply"),
    ("..../..../..../.... 0 0", "the board must be 5 rows of 5 cubes"),
    ("...../...../...../..... 0 0", "the board must be 5 rows of 5 cubes"),
    ("...../...../..x../...../..... 0 0", "'x' is no cube; a cube is one of .XO"),
    ("...../...../..0../...../..... 0 0", "'0' is no cube; a cube is one of .XO"),
    ("...../...../...../...../..... 1 0", "at ply 0 seat 0 is to move, not 1"),
    ("...../...../...../...../..... 0 -2", "the ply must be a number from 0, not '-2'"),
    ("...../...../...../...../..... 0 ٢", "the ply must be a number from 0, not '٢'"),
    ("...../...../...../...../..... x 0", "the seat to move must be a number from 0, not 'x'"),
    ("...../...../..X../...../..... 0 0", "1 cubes show X, which has had 0 turns"),
    ("...../...../.OO../...../..... 1 3", "2 cubes show O, which has had 1 turns"),
]


@pytest.mark.parametrize(("text", "why"), BAD)
def test_a_text_that_is_no_position_is_refused(text, why):
    with pytest.raises(BadPosition) as refused:
        read(text)
    assert why in str(refused.value)


def test_cubes_of_four_players_are_seats():
    assert read("0.../.1../..2./...3 0 8", 4, size=4).text() == "0.../.1../..2./...3 0 8"
    with pytest.raises(BadPosition, match=r"'X' is no cube; a cube is one of \.0123"):
        read("X.../..../..../.... 0 4", 4, size=4)


@pytest.mark.parametrize("text", ["c1N", " C1n ", "c1n", "C1N\n"])
def test_a_move_is_known_by_other_spellings_too(text):
    assert str(start(2).move(text)) == "c1N"


@pytest.mark.parametrize("seats", [2, 4])
def test_every_legal_move_is_sorted_and_reads_back(seats):
    for states in random_games(seats, 5):
        for state in states:
            texts = [str(move) for move in state.legal_moves()]
            assert texts == sorted(set(texts))
            assert [state.move(text) for text in texts] == list(state.legal_moves())


def test_the_view_is_everybodys():
    state = play(read(THREES), "c1W c5W")
    assert state.view(0) == state.view(1) == state.view(None)
    assert state.view(None) == {
        "size": 5,
        "cells": ["OOO..", ".....", ".....", ".....", "XXX.."],
        "to_move": 0,
        "ply": 8,
        "ply_limit": 200,
        "line": [],
        "seen_twice": ["OOO../...../...../...../XXX.. 0"],
    }


def test_the_view_shows_every_line():
    state = play(read("...../..O../OOXOO/XX.XX/..... 0 10"), "c1N")
    assert state.view(None)["line"] == ["a2", "a3", "b2", "b3", "c2", "c3", "d2", "d3", "e2", "e3"]


def test_what_was_seen_twice_is_forgotten_with_a_blank_cube():
    state = play(read(THREES), "c1W c5W c1W")
    assert len(state.seen_twice()) == 2
    assert play(state, "e3W").seen_twice() == []
    assert play(read(THREES, repetition=False), "c1W c5W c1W").seen_twice() == []


@pytest.mark.parametrize(
    ("text", "seats", "moves", "last"),
    [(THREES, 2, "c1W c5W c1W", "c5W"), (PAIRS, 4, "b5W@0 d5E@1 b1W@2 d1E@3 b5W@0 d5E@1 b1W@2", "d1E@3")],
)
def test_a_view_gives_a_text_its_past_back(text, seats, moves, last):
    played = play(read(text, seats), moves)
    known = recall(read(played.text(), seats), played.view(None)["seen_twice"])
    assert known.seen_twice() == played.seen_twice()
    assert play(read(played.text(), seats), last).outcome is None
    assert play(known, last).outcome == play(played, last).outcome
    assert play(known, last).outcome.reason == "repetition"


def test_a_past_of_the_wrong_form_is_refused():
    with pytest.raises(BadPosition, match="the seat to move must be a number"):
        recall(read(THREES), ["OOO../...../...../...../XXX.. x"])


def test_a_past_is_of_no_use_without_repetition():
    state = read(THREES, repetition=False)
    assert recall(state, [THREES.rpartition(" ")[0]]) == state


DRAWINGS = [
    (
        "XO.../....X/O..../...../.XO.X 0 10",
        2,
        """\
5 X O . . .
4 . . . . X
3 O . . . .
2 . . . . .
1 . X O . X
  a b c d e
ply 10: X to move (seat 0)""",
    ),
    (
        "0.1/.../2.3 3 7",
        4,
        """\
3 X0 .  O1
2 .  .  .
1 X2 .  O3
  a  b  c
ply 7: O to move (seat 3)""",
    ),
    ("XXX/O.O/... 1 5", 2, "3 X X X\n2 O . O\n1 . . .\n  a b c\nply 5: X wins (line)"),
    ("X.X/O.O/... 0 200", 2, "3 X . X\n2 O . O\n1 . . .\n  a b c\nply 200: drawn (ply-limit)"),
]


@pytest.mark.parametrize(("text", "seats", "drawing"), DRAWINGS)
def test_the_board_is_drawn_for_a_terminal(text, seats, drawing):
    assert str(read(text, seats, size=text.index("/"))) == drawing


@pytest.mark.parametrize("seats", [2, 4])
def test_a_kept_state_is_small(seats):
    """Less than 400 bytes beyond what it shares: the tables, the rules, the states before it."""
    for states in random_games(seats, 5):
        assert max(own_bytes(state) for state in states) < 400


def own_bytes(state: QuixoState) -> int:
    outcome = state.outcome
    own = [state, state.ply, state.mine, state.theirs, state.far]
    own += [outcome, outcome.placing] if outcome else []
    return sum(sys.getsizeof(part) for part in own)

"""A course's player classes: their boards, their moves, and a whole match."""

import enum
from argparse import ArgumentTypeError

import numpy as np
import pytest

from bots.samples import course_bot
from bots.sdk import Turn
from engines.registry import GAMES
from tests.bots.talk import move_message

QUIXO = GAMES["quixo"]
Side = enum.Enum("Side", ["RIGHT", "LEFT", "BOTTOM", "TOP"])  # a class of the course's own, numbered anyhow


def turn_at(position):
    state = QUIXO.position(position, 2, QUIXO.full_options({}), bytes(32))
    return Turn.read(move_message() | {"seat": state.to_move, "view": state.view(None), "state": position})


def test_the_board_has_rows_from_the_top_and_marks_by_player():
    game = course_bot.CourseGame(turn_at("..O../..X../...../...../....X 1 3"))
    board = game.get_board()
    assert board[0].tolist() == [-1, -1, 1, -1, -1]
    assert (board[1, 2], board[4, 4]) == (0, 0)
    assert np.count_nonzero(board == -1) == 22
    assert game.get_current_player() == 1


# Q7's example of the rule page, the corners, and an edge cube's three ways
@pytest.mark.parametrize(
    ("move", "text"),
    [
        (((2, 4), Side.TOP), "c1N"),
        (((0, 0), Side.BOTTOM), "a5S"),
        (((4, 4), Side.LEFT), "e1W"),
        (((0, 2), Side.RIGHT), "a3E"),
        (((2, 4), 0), "c1N"),
        (((0, 0), 1), "a5S"),
        (((np.int64(4), np.int64(4)), np.int64(2)), "e1W"),
        (((0, 2), course_bot.Move.RIGHT), "a3E"),
    ],
)
def test_moves_in_our_notation(move, text):
    assert course_bot.in_our_notation(move, 5) == text


def test_a_player_that_has_only_illegal_moves_is_not_asked_for_ever():
    class Stubborn:
        asked = 0

        def make_move(self, game):
            self.asked += 1
            return (2, 2), Side.TOP

    player = Stubborn()
    message = move_message()
    reply = (
        course_bot.make(player).answer(message | {"clock": message["clock"] | {"limit_ms": 150}}, None).reply
    )
    assert reply == {"move": "c3N"}
    assert player.asked > 1


def test_a_class_in_a_module_of_its_own_plays_a_match(series, tmp_path):
    (tmp_path / "my_players.py").write_text(
        "class Careful:\n"
        "    def make_move(self, game):\n"
        "        board = game.get_board()\n"
        "        for column in range(5):\n"
        "            if board[4, column] in (-1, game.get_current_player()):\n"
        "                return (column, 4), 0\n"
    )
    (tmp_path / "bot.py").write_text(
        "from my_players import Careful\nfrom bots.samples.course_bot import make\nmake(Careful()).run()\n"
    )
    (record,) = series("quixo", str(tmp_path / "bot.py"), "course")
    assert record["result"]["faults"] == []


def test_a_class_that_is_not_there_is_explained():
    with pytest.raises(ArgumentTypeError, match=r"no_such_module.*write it as module:Class"):
        course_bot.class_named("no_such_module:Player")

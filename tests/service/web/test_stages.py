"""What single moves look like: the pieces that go, their ways and when (rule numbers: the rule pages)."""

from __future__ import annotations

import pytest

from engines.game import SEED_BYTES
from engines.registry import GAMES
from service.web.show.stages import stage_for
from service.web.show.track import square, start_middle, zone_square


def shown(game, seats, position, move):
    """The scene before a move, the change it made, and the stage."""
    rules = GAMES[game]
    state = rules.position(position, seats, rules.full_options({}), bytes(SEED_BYTES))
    stage = stage_for(game, state.view(None), seats)
    before = stage.opening(state.view(None))
    played = state.move(move)
    event = {"type": "move", "move": str(played)}
    return before, stage.after(before, event, state.apply(played).view(None)), stage


def at(scene, place):
    return next(index for index, piece in enumerate(scene.pieces) if piece.place == place)


QUIXO = [
    # position, move, cubes that go one on, with their new places
    ("...../...../...../...../..... 0 0", "c1N", {"c2": "c1", "c3": "c2", "c4": "c3", "c5": "c4"}),
    ("...../...../...../...../..... 0 0", "a5E", {"b5": "a5", "c5": "b5", "d5": "c5", "e5": "d5"}),
    ("...../...../...../...../..... 0 0", "b5W", {"a5": "b5"}),
    ("X...O/...../...../...../..... 0 2", "a5S", {"a4": "a5", "a3": "a4", "a2": "a3", "a1": "a2"}),
]


@pytest.mark.parametrize(("position", "move", "slid"), QUIXO, ids=[row[1] for row in QUIXO])
def test_a_quixo_line_slides_towards_the_gap(position, move, slid):
    """Q7: the cube leaves, goes round, and comes in while the line slides."""
    before, change, _ = shown("quixo", 2, position, move)
    taken, *line = change.motions
    assert taken.piece == at(before, move[:2])
    assert (taken.look, taken.start, len(taken.points)) == ("x", 0, 3)
    assert {motion.start for motion in line} == {2}
    ways = {before.pieces[m.piece].place: change.scene.pieces[m.piece].place for m in line}
    assert ways == slid


def test_a_cube_with_a_dot_faces_whom_the_move_says():
    """Q10."""
    _, change, stage = shown("quixo-teams", 4, "...../...../...../...../..... 0 0", "c1N@2")
    assert change.motions[0].look == "x2"
    assert stage.sentence("c1N@2") == "takes c1 and slides it in from the top, its dot to seat 2"


def test_a_line_of_five_is_marked():
    """Q12."""
    _, change, _ = shown("quixo", 2, "XXXX./.OO../..O../.O.../....X 0 10", "e1N")
    assert sum(mark.look == "win" for mark in change.scene.marks) == 5


def sorry(cards, red, yellow, move):
    position = f"r={red} y={yellow} to=0 card={cards} draw=40 discards=1,2,5,8 ply=4 turn=4 first=0"
    return shown("sorry", 2, position, move)


def ends(before, change):
    """Where the pawns that moved went: from -> to."""
    return {before.pieces[m.piece].place: change.scene.pieces[m.piece].place for m in change.motions}


SORRY = [
    # rule, card, red, yellow, move, from -> to
    ("S7", "5", "S,S,S,20", "S,S,S,S", "5 r20-25", {"r20": "r25"}),
    ("S14", "1", "S,S,S,20", "S,S,S,S", "1 rS-4", {"rS": "r4"}),
    ("S15", "4", "S,S,S,20", "S,S,S,S", "4 r20-16", {"r20": "r19"}),  # and slides from 16 to 19
    ("S8", "5", "S,S,S,20", "S,S,S,25", "5 r20-25", {"r20": "r25", "y25": "yS"}),
    ("S9", "3", "S,S,S,13", "S,S,17,19", "3 r13-16", {"r13": "r19", "y17": "yS", "y19": "yS"}),
    ("S9 own", "3", "S,S,18,13", "S,S,S,S", "3 r13-16", {"r13": "r19", "r18": "rS"}),
    ("S10", "5", "S,S,S,0", "S,S,S,S", "5 r0-:3", {"r0": "r:3"}),
    ("S11", "3", "S,S,S,:3", "S,S,S,S", "3 r:3-H", {"r:3": "rH"}),
    ("S10 back", "4", "S,S,S,:1", "S,S,S,S", "4 r:1-59", {"r:1": "r59"}),
    ("S18", "11", "S,S,S,20", "S,S,S,40", "11 r20x40", {"r20": "r40", "y40": "y20"}),
    ("S18 slide", "11", "S,S,S,20", "S,S,S,46", "11 r20x46", {"r20": "r49", "y46": "y20"}),
    ("S19", "Sorry!", "S,S,S,20", "S,S,S,40", "Sorry! rSx40", {"rS": "r40", "y40": "yS"}),
    ("S16", "7", "S,S,22,20", "S,S,S,S", "7 r20-23 r22-26", {"r20": "r23", "r22": "r26"}),
]


@pytest.mark.parametrize(
    ("rule", "card", "red", "yellow", "move", "wanted"), SORRY, ids=[row[0] for row in SORRY]
)
def test_pawns_walk_slide_and_are_bumped(rule, card, red, yellow, move, wanted):
    before, change, _ = sorry(card, red, yellow, move)
    assert ends(before, change) == wanted


def test_a_pawn_walks_square_by_square_and_then_slides_at_once():
    before, change, _ = sorry("3", "S,S,S,13", "S,S,17,S", "3 r13-16")
    walker, bumped = change.motions
    assert walker.points == (square(14), square(15), square(16), square(19))
    assert bumped.start == 3  # when the walker begins to slide
    assert change.remarks == ("yellow is bumped to START",)
    assert before.pieces[bumped.piece].place == "y17"


def test_a_pawn_turns_into_its_zone_at_the_entry():
    """S10, S12."""
    _, change, _ = sorry("5", "S,S,S,0", "S,S,S,S", "5 r0-:3")
    assert change.motions[0].points == (
        square(1),
        square(2),
        zone_square(0, 1),
        zone_square(0, 2),
        zone_square(0, 3),
    )


def test_a_lost_turn_moves_nothing():
    """S6."""
    _, change, stage = sorry("8", "S,S,S,S", "S,S,S,S", "--")
    assert change.motions == ()
    assert change.scene.slots["discard"] == "8"
    assert stage.sentence("--") == "has no move and loses the turn"


def test_pawns_on_start_stand_apart():
    before, *_ = sorry("8", "S,S,S,S", "S,S,S,S", "--")
    spots = {(piece.x, piece.y) for piece in before.pieces if piece.place == "rS"}
    x, y = start_middle(0)
    assert len(spots) == 4
    assert all(abs(a - x) < 40 and abs(b - y) < 40 for a, b in spots)


def test_the_board_is_symmetric():
    """S3: every side is the next one turned by a quarter, and the track is closed."""
    width = square(0)[0] + square(15)[0]
    for number in range(60):
        x, y = square(number)
        assert square((number + 15) % 60) == (width - y, x)
        a, b = square((number + 1) % 60)
        assert abs(a - x) + abs(b - y) == 40

"""Seats that fall out (S31)."""

import pytest

from engines.errors import GameError
from engines.game import Reason
from engines.sorry.cards import names
from tests.engines.sorry.boards import board_pawns, drawn, held, played

EMPTY = []


def test_the_pawns_leave_and_the_others_go_on():
    state = drawn("r=S,S,S,17 b=S,S,S,22 y=S,:1,H,40", "5", seats=3)
    after = state.without(1)
    assert board_pawns(after, after.board) == {
        "r": ["S", "S", "S", "17"],
        "b": EMPTY,
        "y": ["S", "40", ":1", "H"],
    }
    assert (after.to_move, after.card, after.turn, after.ply) == (0, state.card, 0, 0)
    assert after.piles == state.piles
    assert played(after, "5 r17-22").to_move == 2


def test_the_seat_to_move_leaves_its_card():
    """S5, S30: its card is discarded, the next seat draws, its turn does not count."""
    state = drawn("", "5", seats=3, to=1, turn=7)
    after = state.without(1)
    assert (after.to_move, after.turn, after.ply) == (2, 7, 0)
    assert after.view(None)["discards"] == ["5"]
    assert after.view(None)["card"] == names(state.piles.draw)[0]


def test_turns_pass_over_seats_that_are_out():
    state = drawn("", "3", seats=4).without(1).without(2)
    assert played(state, "--").to_move == 3


def test_the_last_one_left_wins():
    state = drawn("", "3", seats=4)
    for seat in (2, 0):
        state = state.without(seat)
        assert state.outcome is None
    outcome = state.without(3).outcome
    assert outcome.placing == (3, 1, 4, 2)
    assert outcome.reason is Reason.LAST_STANDING


def test_leavers_are_placed_behind_those_who_stayed():
    state = drawn("r=:5,H,H,H", "1", seats=4).without(1).without(3)
    outcome = played(state, "1 r:5-H").outcome
    assert outcome.placing == (1, 4, 2, 3)


def test_a_tie_by_the_limit_is_among_those_who_stayed():
    """S30"""
    state = drawn("", "3", seats=4, turn=9, turn_limit=10).without(2)
    assert played(state, "--").outcome.placing == (1, 1, 4, 1)


@pytest.mark.parametrize(("seat", "placing"), [(0, (2, 1, 2, 1)), (3, (1, 2, 1, 2))])
def test_a_team_is_out_as_one(seat, placing):
    state = drawn("r=S,S,S,17", "5", game="sorry-teams", seats=4)
    after = state.without(seat)
    assert after.outcome.placing == placing
    assert after.outcome.reason is Reason.LAST_STANDING
    assert set(after.out) == {seat, (seat + 2) % 4}
    assert list(after.legal_moves()) == []


@pytest.mark.parametrize("to", [0, 1])
def test_with_two_seats_the_other_wins(to):
    after = drawn("r=S,S,S,17", "5", to=to).without(0)
    assert after.outcome.placing == (2, 1)
    assert after.to_move == 1


def test_a_hand_goes_to_the_discards_in_its_order():
    state = held("", "5,12,5,8,3", "*5", "*5", discards="4,4")
    after = state.without(0)
    assert after.view(None)["discards"] == ["4", "4", "5", "12", "5", "8", "3"]
    assert after.view(None)["hands"] == [0, 5, 5]
    assert after.to_move == 1
    assert after.piles.draw == state.piles.draw


def test_a_leaver_scores_nothing_and_gives_the_winner_nothing():
    state = held("r=:5,H,H,H b=H,H,S,S y=H,H,H,40", "1,12,12,8,3", "*5", "*5")
    assert played(state.without(1), "1 r:5-H").outcome.points == (20 + 5, 0, 15)
    assert played(state.without(2), "1 r:5-H").outcome.points == (20 + 10 + 25, 10, 0)


def test_a_leaver_stays_out_and_behind_for_all_deals():
    """S29, S31"""
    state = held("r=:5,H,H,H b=H,H,S,S", "1,12,12,8,3", "*5", "*5", deals=2, scores=[0, 90, 5])
    after = played(state.without(1), "1 r:5-H")
    assert after.scores == (20 + 20 + 100, 0, 5)
    assert (after.first, after.deal) == (2, 2)
    assert after.view(None)["hands"] == [5, 0, 5]
    assert (after.view(None)["draw_pile"], after.view(None)["pawns"]["blue"]) == (35, [])


def test_the_last_one_left_keeps_what_is_home():
    after = held("r=S,H,H,17", "*5", "*5", scores=[25, 40]).without(1)
    assert after.outcome.points == (25 + 10, 0)
    assert after.outcome.placing == (1, 2)


@pytest.mark.parametrize("seat", [-1, 1, 4])
def test_who_cannot_leave(seat):
    state = drawn("", "3", seats=4).without(1)
    with pytest.raises(GameError, match="cannot fall out"):
        state.without(seat)


def test_a_finished_game_stays_as_it_is():
    state = drawn("", "3").without(0)
    assert state.without(1) is state
    points = held("", "*5", "*5").without(0)
    assert points.without(1) is points

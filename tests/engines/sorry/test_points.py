"""Play for points: hands, discards, redraws, deals and scores (S26-S30)."""

import pytest

from engines.game import Reason
from engines.sorry.cards import names
from tests.engines.sorry.boards import board_pawns, held, played, texts


def hand_of(state, seat):
    return state.view(seat)["hand"]


def test_a_card_is_played_discarded_and_replaced():
    """S27"""
    state = held("r=S,S,S,17", "5,12,5,8,3", "*5", discards="4")
    top = names(state.piles.draw)[0]
    after = played(state, "5 r17-22")
    assert hand_of(after, 0) == ["12", "5", "8", "3", top]
    assert after.view(None)["discards"] == ["4", "5"]
    assert (after.to_move, after.turn) == (1, 1)


def test_moves_of_every_card_held():
    """S20, S27: equal cards once; one position by cards of different value twice."""
    state = held("r=H,H,H,24", "12,12,8,Sorry!,10", "*5")
    assert texts(state) == ["10 r24-23", "10 r24-34", "12 r24-36", "8 r24-32"]
    twice = held("r=S,S,S,S", "1,2,12,12,8", "*5")
    assert texts(twice) == ["1 rS-4", "2 rS-4"]
    assert len({move.board for move in twice.legal_moves()}) == 1


def test_any_card_is_discarded_when_none_allows_a_move():
    """S27"""
    state = held("r=S,S,S,S", "12,8,8,Sorry!,10", "*5")
    assert texts(state) == ["10 --", "12 --", "8 --", "Sorry! --"]
    top = names(state.piles.draw)[0]
    after = played(state, "8 --")
    assert hand_of(after, 0) == ["12", "8", "Sorry!", "10", top]
    assert after.view(None)["discards"] == ["8"]
    assert (after.to_move, after.turn, after.board) == (1, 1, state.board)


def test_a_two_that_moved_plays_again_with_its_replacement():
    """S27, S30: in the same turn."""
    state = held("r=S,S,S,17", "2,12,12,8,3", "*5")
    top = names(state.piles.draw)[0]
    after = played(state, "2 r17-19")
    assert (after.to_move, after.turn) == (0, 0)
    assert hand_of(after, 0) == ["12", "12", "8", "3", top]


def test_a_two_put_down_ends_the_turn():
    """S27"""
    after = played(held("r=H,H,H,:5", "2,12,12,8,3", "*5"), "2 --")
    assert (after.to_move, after.turn) == (1, 1)


def test_an_eleven_that_can_only_change_places():
    """S18, S27: it counts as a card that allows a move and may be put down; then the turn ends."""
    state = held("r=S,H,H,58 y=S,S,S,40", "11,12,12,8,Sorry!", "*5")
    assert texts(state) == ["11 --", "11 r58x40", "8 r58-:4", "Sorry! rSx40"]
    after = played(state, "11 --")
    assert (after.board, after.to_move, after.view(None)["discards"]) == (state.board, 1, ["11"])
    alone = held("r=H,H,H,58 y=S,S,S,40", "11,12,12,11,Sorry!", "*5")
    assert texts(alone) == ["11 --", "11 r58x40"]


def test_an_eleven_that_can_do_neither():
    """S18, S27"""
    state = held("r=H,H,H,:1 y=S,S,S,40", "11,12,12,3,Sorry!", "*5")
    assert texts(state) == ["3 r:1-:4"]


def test_hands_stay_out_of_the_shuffle():
    """S5"""
    state = held("r=S,S,S,17", "5,12,5,8,3", "1,1,1,1,1")
    while len(state.piles.draw) > 0:
        state = state.apply(state.legal_moves()[0])
    after = state.apply(state.legal_moves()[0])
    assert len(after.piles.draw) == 45 - 2 * 5
    assert after.piles.discards == b""


SCORES = [
    # before (red wins by 1 r:5-H), bonus option, scores
    ("r=:5,H,H,H y=H,H,H,40", "highest", (20 + 5, 15)),
    ("r=:5,H,H,H y=H,H,40,41", "highest", (20 + 10 + 25, 10)),
    ("r=:5,H,H,H y=H,40,41,42", "highest", (20 + 15 + 50, 5)),
    ("r=:5,H,H,H y=S,S,41,42", "highest", (20 + 20 + 100, 0)),
    ("r=:5,H,H,H y=H,H,H,40", "all", (20 + 5, 15)),
    ("r=:5,H,H,H y=H,H,40,41", "all", (20 + 10 + 25, 10)),
    ("r=:5,H,H,H y=H,40,41,42", "all", (20 + 15 + 75, 5)),
    ("r=:5,H,H,H y=S,S,41,42", "all", (20 + 20 + 175, 0)),
    ("r=:5,H,H,H b=H,S,S,S y=H,H,H,42", "highest", (20 + 15 + 5, 5, 15)),
    ("r=:5,H,H,H b=H,S,S,S y=H,H,41,42", "highest", (20 + 15 + 10 + 25, 5, 10)),
]


@pytest.mark.parametrize(("before", "bonus", "scores"), SCORES)
def test_scores(before, bonus, scores):
    """S28"""
    hands = ["1,12,12,8,3", *["*5"] * (len(scores) - 1)]
    state = held(before, *hands, bonus=bonus)
    after = played(state, "1 r:5-H")
    assert after.outcome.points == scores
    assert after.outcome.reason is Reason.ALL_HOME
    assert after.outcome.placing[0] == 1
    assert [len(after.held(seat)) for seat in range(len(scores))] == [4, *[5] * (len(scores) - 1)]
    assert list(after.legal_moves()) == []


def test_a_two_that_wins_draws_nothing():
    """S13, S27"""
    state = held("r=:4,H,H,H", "2,12,12,8,3", "*5")
    after = played(state, "2 r:4-H")
    assert after.outcome.placing == (1, 2)
    assert after.piles.draw == state.piles.draw


def test_the_limit_counts_pawns_at_home_and_no_bonus():
    """S30"""
    state = held("r=S,H,H,17 y=S,S,S,H", "5,12,12,8,3", "*5", turn=9, turn_limit=10)
    after = played(state, "5 r17-22")
    assert after.outcome.points == (10, 5)
    assert after.outcome.reason is Reason.TURN_LIMIT


def last_move_of_a_deal(winner, **kwargs):
    pawns = {0: "r=:5,H,H,H", 1: "b=:5,H,H,H", 2: "y=:5,H,H,H"}[winner]
    hands = ["*5"] * 3
    hands[winner] = "1,12,12,8,3"
    state = held(pawns, *hands, to=winner, **kwargs)
    return played(state, f"1 {pawns[0]}:5-H")


def test_the_next_deal():
    """S29: the beginner moves on, colours stay, totals add up, everything else begins anew."""
    after = last_move_of_a_deal(2, deals=3, scores=[10, 0, 5], turn=77)
    view = after.view(None)
    assert (view["deal"], view["first"], view["to_move"], view["turn"], view["ply"]) == (2, 1, 1, 0, 1)
    assert view["scores"] == [10, 0, 5 + 20 + 40 + 100]
    assert board_pawns(after, after.board) == {
        "r": ["S", "S", "S", "4"],
        "b": ["S", "S", "S", "19"],
        "y": ["S", "S", "S", "34"],
    }
    assert view["hands"] == [5, 5, 5]
    assert (view["draw_pile"], view["discards"]) == (30, [])


def test_the_winner_may_begin_the_next_deal():
    """S4, S29"""
    after = last_move_of_a_deal(2, deals=2, winner_first=True)
    assert (after.first, after.to_move) == (2, 2)
    limit = held("r=S,H,H,17", "5,12,12,8,3", "*5", "*5", turn=9, turn_limit=10, deals=2, winner_first=True)
    assert played(limit, "5 r17-22").first == 1


def test_a_match_is_placed_by_totals():
    """S29: equal totals tie."""
    after = last_move_of_a_deal(1, deals=2, deal=2, scores=[200, 10, 200])
    assert after.outcome.points == (200, 10 + 20 + 40 + 100, 200)
    assert after.outcome.placing == (1, 3, 1)
    assert after.outcome.reason is Reason.DEALS_PLAYED


def test_each_deal_has_its_own_limit():
    """S30"""
    state = held("r=S,H,H,17", "5,12,12,8,3", "*5", turn=9, turn_limit=10, deals=2)
    after = played(state, "5 r17-22")
    assert (after.outcome, after.turn, after.deal, after.scores) == (None, 0, 2, (10, 0))

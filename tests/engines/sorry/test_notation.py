"""Texts of moves: which are accepted beside the canonical one, and what is said of those that are not."""

import pytest

from engines.errors import IllegalMove
from tests.engines.sorry.boards import drawn, held, played, texts

ACCEPTED = [
    # before, card, text, canonical
    ("r=S,H,17,40", "7", "7 r40-43 r17-21", "7 r17-21 r40-43"),
    ("r=S,H,10,14", "7", "7 r14-17 r10-14", "7 r10-17"),
    ("r=H,H,43,44", "7", "7 r44-48 r43-46", "7 r43-48 r44-46"),
    ("r=H,H,40,:3", "7", "7 r:3-H r40-44", "7 r40-44 r:3-H"),
    ("r=S,S,28,43", "4", "4 r43-39", "4 r28-24"),
    ("r=S,S,S,17", "5", " 5 r17-22\n", "5 r17-22"),
]


@pytest.mark.parametrize(("before", "card", "text", "canonical"), ACCEPTED)
def test_another_text_of_a_move(before, card, text, canonical):
    state = drawn(before, card)
    assert text not in texts(state)
    assert str(state.move(text)) == canonical


def test_parts_of_a_team_seven_in_any_order():
    state = drawn("r=S,S,17,40 y=S,S,S,55", "7", game="sorry-teams", seats=4)
    assert str(state.move("7 y55-58 r40-41 r17-20")) == "7 r17-20 r40-41 y55-58"


UNREADABLE = "is no move: write the card and each pawn's from-to, like 5 r17-22 (Notation)"
NO_PART = "is no pawn's from-to: write it like r17-22, rS-4, r:3-H or r17x33 (Notation)"
FROM_START = "a Sorry! takes a pawn from START to another's square, like Sorry! rSx33 (S19)"
OUT_OF_REACH = "HOME, START and the safety zones are out of a Sorry!'s reach (S19)"

REFUSED = [
    # game, before, card or hand, text, what is said after the text
    ("sorry", "r=S,S,17,22", "5", "5 r17-22", "r22 is held by your own pawn (S8)"),
    ("sorry", "r=S,S,11,16", "5", "5 r11-16", "r16 is held by your own pawn (S8)"),
    ("sorry", "r=S,S,S,4", "1", "1 rS-4", "r4 is held by your own pawn (S8)"),
    ("sorry", "r=S,S,:1,:3", "2", "2 r:1-:3", "r:3 is held by your own pawn (S8)"),
    ("sorry", "r=S,S,S,17", "5", "--", "a move can be made, so it must be (S6)"),
    ("sorry", "r=S,S,S,17", "5", "5 --", "a lost turn is written -- (Notation)"),
    ("sorry", "r=S,S,S,17", "5", "3 r17-20", "the card drawn is 5 (S5)"),
    ("sorry", "r=S,S,S,17", "5", "", UNREADABLE),
    ("sorry", "r=S,S,S,17", "5", "r17-22", UNREADABLE),
    ("sorry", "r=S,S,S,17", "5", "6 r17-23", UNREADABLE),
    ("sorry", "r=S,S,S,17", "5", "5 r17-60", f"'r17-60' {NO_PART}"),
    ("sorry", "r=S,S,S,17", "5", "5  r17-22", f"'' {NO_PART}"),
    ("sorry", "r=S,S,S,17", "5", "5 r17x22", "only an 11 and a Sorry! are written with x (Notation)"),
    ("sorry", "r=S,S,S,17", "5", "5 r18-23", "there is no red pawn on 18 (Notation)"),
    ("sorry", "r=S,S,S,17", "5", "5 r17-23", "a 5 takes r17 to 22, not to 23 (S15)"),
    ("sorry", "r=S,S,S,17", "8", "8 r17-23", "an 8 takes r17 to 25, not to 23 (S15)"),
    ("sorry", "r=S,S,S,17", "4", "4 r17-21", "a 4 takes r17 to 13, not to 21 (S15)"),
    ("sorry", "r=S,S,S,17", "1", "1 r17-19", "a 1 takes r17 to 18, not to 19 (S14)"),
    ("sorry", "r=S,S,S,17", "1", "1 rS-5", "a pawn leaves START for the circle, 4 (S14)"),
    ("sorry", "r=S,S,S,17", "5", "5 rS-4", "only a 1, a 2 and a Sorry! start a pawn (S14)"),
    ("sorry", "r=S,S,S,17 y=S,S,S,22", "5", "5 y22-27", "yellow is not yours to move (S1)"),
    ("sorry", "r=S,S,S,17", "5", "5 r17-22 rS-4", "only a 7 is split between pawns (S16)"),
    ("sorry", "r=S,S,H,17", "5", "5 rH-H", "a pawn at HOME never moves again (S11)"),
    (
        "sorry",
        "r=S,S,17,:3",
        "5",
        "5 r:3-H",
        "r:3 is nearer to HOME than that, and HOME takes an exact count (S11)",
    ),
    ("sorry", "r=S,S,S,17", "10", "10 r17-26", "a 10 takes r17 to 27 or 16, not to 26 (S17)"),
    ("sorry", "r=S,S,S,:2", "10", "10 r:2-H", "a 10 takes r:2 to :1, not to H (S17)"),
    (
        "sorry",
        "r=S,S,17,40",
        "7",
        "7 r17-20",
        "the parts make 3; the whole 7 must be used, and no more (S16)",
    ),
    (
        "sorry",
        "r=S,S,17,40",
        "7",
        "7 r17-22 r40-43",
        "the parts make 8; the whole 7 must be used, and no more (S16)",
    ),
    ("sorry", "r=H,H,H,:3", "7", "7 r:3-H", "the parts make 3; the whole 7 must be used, and no more (S16)"),
    ("sorry", "r=S,S,17,40", "7", "7 r17-25", "no part of a 7 takes r17 to 25 (S16)"),
    ("sorry", "r=S,S,17,40", "7", "7 rS-4 r40-46", "a 7 never starts a pawn (S16)"),
    ("sorry", "r=S,17,30,40", "7", "7 r17-18 r30-31 r40-45", "a 7 is split between 2 pawns at most (S16)"),
    ("sorry", "r=S,S,17,40", "7", "7 r17-20 r20-24", "r20 has already moved in this turn (S16)"),
    ("sorry", "r=H,H,22,26", "7", "7 r22-24 r26-31", "r26 was moved or bumped by an earlier part (S16)"),
    ("sorry", "r=S,S,17,40", "7", "7 r17-20 r17-21", "r17 was moved or bumped by an earlier part (S16)"),
    (
        "sorry",
        "r=S,S,S,17 y=S,S,S,40",
        "11",
        "--",
        "a pawn can go eleven forward, so the turn can't be lost (S18)",
    ),
    ("sorry", "r=S,S,S,17 y=S,S,S,40", "11", "11 r17x41", "there is no pawn on 41 (S18)"),
    (
        "sorry",
        "r=S,S,17,18 y=S,S,S,40",
        "11",
        "11 r17x18",
        "an 11 changes places with an opponent's pawn only (S18)",
    ),
    (
        "sorry",
        "r=S,S,17,:1 y=S,S,S,40",
        "11",
        "11 r:1x40",
        "pawns change places on the open track only (S18)",
    ),
    (
        "sorry",
        "r=S,S,S,17 y=S,S,:1,40",
        "11",
        "11 r17x:1",
        "pawns change places on the open track only (S18)",
    ),
    ("sorry", "r=S,S,S,17 y=S,S,S,40", "11", "11 r17-29", "an 11 takes r17 to 28, not to 29 (S18)"),
    ("sorry", "r=S,S,S,17 y=S,S,S,40", "Sorry!", "Sorry! rSx41", "there is no pawn on 41 (S19)"),
    ("sorry", "r=S,S,S,17 y=S,S,S,40", "Sorry!", "Sorry! rSx17", "r17 is a pawn of the same colour (S19)"),
    ("sorry", "r=S,S,S,17 y=S,S,S,40", "Sorry!", "Sorry! rS-40", FROM_START),
    ("sorry", "r=S,S,S,17 y=S,S,S,40", "Sorry!", "Sorry! r17x40", FROM_START),
    ("sorry", "r=S,S,S,17 y=S,S,:2,40", "Sorry!", "Sorry! rSx:2", OUT_OF_REACH),
    ("sorry", "r=H,H,H,17 y=S,S,S,40", "Sorry!", "Sorry! rSx40", "there is no red pawn on S (Notation)"),
    ("sorry-teams", "r=S,S,S,17", "5", "5 b17-22", "blue is not yours to move (S21)"),
    (
        "sorry-teams",
        "r=S,S,S,17 y=S,S,20,23",
        "3",
        "3 y20-23",
        "y23 is held by a pawn of its own colour (S8)",
    ),
    (
        "sorry-teams",
        "r=S,S,S,17 y=S,S,S,20",
        "11",
        "11 r17x20",
        "an 11 changes places with an opponent's pawn only (S22)",
    ),
    (
        "sorry-teams",
        "r=S,S,S,17 y=S,S,S,20",
        "Sorry!",
        "Sorry! rSx17",
        "r17 is a pawn of the same colour (S22)",
    ),
    (
        "sorry-teams",
        "r=S,S,S,17 y=S,S,S,20",
        "7",
        "7 r17-20 r20-24",
        "r20 has already moved in this turn (S23)",
    ),
    ("sorry-points", "r=S,S,S,17", "1,5,5,8,12", "3 r17-20", "your hand has no 3 (S27)"),
    (
        "sorry-points",
        "r=S,S,S,17",
        "1,5,5,8,12",
        "5 --",
        "this card allows a move, so it can't be put down without one (S27)",
    ),
    (
        "sorry-points",
        "r=S,S,S,17",
        "1,5,5,Sorry!,12",
        "Sorry! --",
        "another card of your hand allows a move (S27)",
    ),
    (
        "sorry-points",
        "r=S,S,S,17 y=S,S,S,40",
        "1,5,5,8,11",
        "11 --",
        "a pawn can go eleven forward, so the change can't be declined (S18)",
    ),
    ("sorry-points", "r=S,S,S,17", "1,5,5,8,12", "--", UNREADABLE),
]


def state_for(game, before, cards):
    if game == "sorry-points":
        return held(before, cards, "*5")
    return drawn(before, cards, game=game, seats=4 if game == "sorry-teams" else 2)


@pytest.mark.parametrize(("game", "before", "cards", "text", "said"), REFUSED)
def test_a_refused_text_names_the_rule(game, before, cards, text, said):
    state = state_for(game, before, cards)
    with pytest.raises(IllegalMove) as refused:
        state.move(text)
    assert str(refused.value) == f"{text}: {said}"
    assert refused.value.move == text
    assert f"({refused.value.rule})" in said


def test_no_move_after_the_end():
    """S13"""
    state = played(drawn("r=:5,H,H,H", "1"), "1 r:5-H")
    with pytest.raises(IllegalMove, match=r"the game is over \(S13\)"):
        state.move("1 rS-4")


@pytest.mark.parametrize(
    "text", ["7" + " r17-18" * 5000, "7 " + "r" * 60000, "７ r17-24", "7 r１７-24", "7\nr17-24"]
)
def test_odd_texts_are_refused(text):
    state = drawn("r=S,S,17,40", "7", game="sorry-teams", seats=4)
    with pytest.raises(IllegalMove):
        state.move(text)

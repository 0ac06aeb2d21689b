"""The course of a game: who is when, what is drawn, how it ends (S1-S6, S13, S14, S25, S30)."""

from collections import Counter

import pytest

from engines.chance import Stream
from engines.game import Reason
from engines.registry import GAMES
from engines.sorry.cards import DECK, names
from tests.engines.sorry.boards import SEED, all_but, board_pawns, drawn, played, texts

VARIANTS = [(name, seats) for name, game in GAMES.items() if name.startswith("sorry") for seats in game.seats]


def start(name, seats, seed=SEED, **options):
    game = GAMES[name]
    return game.start(seats, game.full_options(options), seed)


@pytest.mark.parametrize(
    ("name", "seats", "colours"),
    [
        ("sorry", 2, ["red", "yellow"]),
        ("sorry", 3, ["red", "blue", "yellow"]),
        ("sorry", 4, ["red", "blue", "yellow", "green"]),
        ("sorry-teams", 4, ["red", "blue", "yellow", "green"]),
        ("sorry-points", 3, ["red", "blue", "yellow"]),
    ],
)
def test_seats_take_colours(name, seats, colours):
    """S1"""
    assert start(name, seats).view(None)["colours"] == colours


def test_partners():
    """S21"""
    assert [GAMES["sorry-teams"].team(seat) for seat in range(4)] == [0, 1, 0, 1]


def test_the_deck():
    """S2: no 6, no 9; five 1s and four each of the others."""
    counts = Counter(names(DECK))
    assert counts == {"1": 5} | dict.fromkeys(["2", "3", "4", "5", "7", "8", "10", "11", "12", "Sorry!"], 4)


@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_the_start(name, seats):
    """S4, S26: pawns on START, in the points game one on the circle; the deck is dealt from its top."""
    state = start(name, seats)
    shuffled = names(bytes(Stream(SEED).shuffled(DECK)[0]))
    hands = [names(state.held(seat)) for seat in range(seats)]
    if name == "sorry-points":
        assert hands == [shuffled[seat : 5 * seats : seats] for seat in range(seats)]
    else:
        assert hands == [shuffled[:1], *[[]] * (seats - 1)]
    assert names(state.piles.draw) == shuffled[sum(map(len, hands)) :]
    for number, places in enumerate(board_pawns(state, state.board).values()):
        circle = 15 * state.setup.colours[number] + 4
        assert places == ["S", "S", "S", str(circle) if name == "sorry-points" else "S"]


@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_who_begins(name, seats):
    """S4: seat 0, or drawn from the seed with a stream of its own."""
    assert start(name, seats).to_move == start(name, seats).first == 0
    seeds = [bytes([number]) * 32 for number in range(32)]
    begins = [start(name, seats, seed, first="seed").to_move for seed in seeds]
    assert begins == [Stream(seed, b"first").below(seats)[0] for seed in seeds]
    assert set(begins) == set(range(seats))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_turns_go_clockwise(seats):
    """S1"""
    for to in range(seats):
        state = drawn("", "3", seats=seats, to=to)
        assert played(state, "--").to_move == (to + 1) % seats


def test_the_card_is_discarded_and_the_next_one_drawn():
    """S5"""
    state = drawn("r=S,S,S,17", "5", discards="12,8")
    top, *rest = names(state.piles.draw)
    after = played(state, "5 r17-22")
    assert after.view(None)["discards"] == ["12", "8", "5"]
    assert after.view(None)["card"] == top
    assert names(after.piles.draw) == rest


def test_the_last_card_is_drawn_without_a_shuffle():
    """S5"""
    state = drawn("r=S,S,S,17", "5", discards=all_but("5", "12"))
    after = played(state, "5 r17-22").view(None)
    assert (after["card"], after["draw_pile"], len(after["discards"])) == ("12", 0, 44)


def test_the_next_shuffle_goes_on_in_the_stream():
    """S5"""
    state = start("sorry", 2)
    while state.piles.draw:
        state = state.apply(state.legal_moves()[0])
    played_out = state.piles.discards + state.held(state.to_move)
    assert sorted(played_out) == sorted(DECK)
    _, stream = Stream(SEED).shuffled(DECK)
    after = state.apply(state.legal_moves()[0])
    assert (after.card, *after.piles.draw) == stream.shuffled(played_out)[0]


@pytest.mark.parametrize(("card", "text"), [("5", "5 r17-22"), ("2", "2 r17-19")])
def test_all_that_was_played_is_shuffled_when_a_card_is_wanted(card, text):
    """S5: the card just played too."""
    state = drawn("r=S,S,S,17", card, discards=all_but(card))
    assert not state.piles.draw
    shuffled, stream = state.piles.stream.shuffled(state.piles.discards + state.held(0))
    after = played(state, text)
    assert (after.card, *after.piles.draw) == shuffled
    assert after.piles.discards == b""
    assert after.piles.stream == stream


def test_a_lost_turn_passes_on():
    """S6"""
    state = drawn("r=H,H,H,:4", "3")
    assert texts(state) == ["--"]
    after = played(state, "--")
    assert after.board == state.board
    assert (after.to_move, after.turn, after.ply) == (1, 1, 1)


@pytest.mark.parametrize(("before", "text"), [("r=S,S,S,17", "2 r17-19"), ("r=H,H,H,:5", "--")])
def test_a_two_draws_again(before, text):
    """S14: even if no move was possible; S30: it is the same turn."""
    after = played(drawn(before, "2"), text)
    assert (after.to_move, after.turn, after.ply) == (0, 0, 1)
    assert after.card


@pytest.mark.parametrize(
    ("before", "card", "text"), [("r=:5,H,H,H", "1", "1 r:5-H"), ("r=:4,H,H,H", "2", "2 r:4-H")]
)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_first_with_all_home_wins_at_once(before, card, text, seats):
    """S13: nobody else is ranked, a 2 that wins draws nothing."""
    state = drawn(before, card, seats=seats)
    after = played(state, text)
    assert after.outcome.placing == (1, *[2] * (seats - 1))
    assert after.outcome.reason is Reason.ALL_HOME
    assert after.outcome.points is None
    assert after.view(None)["card"] is None
    assert after.piles.draw == state.piles.draw
    assert list(after.legal_moves()) == []


def test_a_team_wins_with_all_eight():
    """S25: four are not enough, and the partner goes on."""
    state = drawn("r=:5,H,H,H y=:5,H,H,H", "1", game="sorry-teams", seats=4)
    after = played(state, "1 r:5-H")
    assert after.outcome is None
    last = drawn("r=H,H,H,H y=:5,H,H,H", "1", game="sorry-teams", seats=4)
    assert played(last, "1 y:5-H").outcome.placing == (1, 2, 1, 2)
    other = drawn("b=:5,H,H,H g=H,H,H,H", "1", game="sorry-teams", seats=4, to=3)
    assert played(other, "1 b:5-H").outcome.placing == (2, 1, 2, 1)


@pytest.mark.parametrize(("name", "seats"), [("sorry", 2), ("sorry", 3), ("sorry", 4), ("sorry-teams", 4)])
def test_the_limit_on_turns_ties(name, seats):
    """S30"""
    state = drawn("", "3", game=name, seats=seats, turn=8, turn_limit=10)
    state = played(state, "--")
    assert state.outcome is None
    while state.outcome is None:
        assert state.turn == 9
        state = state.apply(state.legal_moves()[0])
    assert state.turn == 10
    assert state.outcome.placing == (1,) * seats
    assert state.outcome.drawn
    assert state.outcome.reason is Reason.TURN_LIMIT


def test_a_redraw_belongs_to_the_last_turn():
    """S30"""
    state = played(drawn("r=S,S,S,17", "2", turn=9, turn_limit=10), "2 r17-19")
    assert state.outcome is None
    assert state.to_move == 0


def test_a_win_with_the_last_turn_is_a_win():
    """S13, S30"""
    state = played(drawn("r=:5,H,H,H", "1", turn=9, turn_limit=10), "1 r:5-H")
    assert state.outcome.reason is Reason.ALL_HOME


def test_a_seven_that_takes_the_last_pawns_home():
    """S13, S16"""
    state = played(drawn("r=:3,:2,H,H", "7"), "7 r:2-H r:3-H")
    assert state.outcome.placing == (1, 2)

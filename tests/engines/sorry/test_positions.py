"""Positions as text and as a drawing."""

import sys

import pytest

from engines.errors import BadOption, BadPosition, BadSeats
from engines.registry import GAMES
from tests.engines.sorry.boards import SEED, drawn, held, played

BASIC = "r=S,S,S,17 y=S,S,S,S to=0 card=5 draw=44 discards=- ply=0 turn=0 first=0"
POINTS = (
    "r=S,S,S,17 y=S,S,S,S to=0 hands=1,5,5,8,12/*5 draw=35 discards=- ply=0 turn=0 first=0 deal=1 scores=0,0"
)


def read(text, name="sorry", seats=2, **options):
    game = GAMES[name]
    return game.position(text, seats, game.full_options(options), SEED)


def test_a_text_is_one_readable_line():
    assert read(BASIC).text() == BASIC
    assert read(POINTS, "sorry-points").text(0) == POINTS
    assert read(POINTS, "sorry-points").text(None) == POINTS.replace("1,5,5,8,12", "*5")


FINISHED = [
    played(drawn("r=:5,H,H,H", "1"), "1 r:5-H"),
    played(drawn("", "3", turn=9, turn_limit=10), "--"),
    drawn("", "3").without(1),
    drawn("", "3", seats=4).without(1).without(2),
    drawn("", "3", game="sorry-teams", seats=4).without(1),
    played(held("r=:5,H,H,H", "1,12,12,8,3", "*5"), "1 r:5-H"),
    held("r=:5,H,H,H", "1,12,12,8,3", "*5", "*5").without(0),
    held("", "*5", "*5", scores=[5, 5]).without(0),
    played(held("r=:5,H,H,H", "1,12,12,8,3", "*5", deals=2), "1 r:5-H"),
    played(held("r=:5,H,H,H", "1,12,12,8,3", "*5", deals=2, deal=2), "1 r:5-H"),
]


@pytest.mark.parametrize("state", FINISHED, ids=lambda state: state.text())
def test_ends_and_absences_are_read_back(state):
    name = "sorry-points" if state.setup.points else "sorry-teams" if state.setup.teams else "sorry"
    options = {"turn_limit": state.setup.turn_limit}
    if state.setup.points:
        options["deals"] = state.setup.deals
    for viewer in (None, *range(state.setup.seats)):
        again = read(state.text(viewer), name, state.setup.seats, **options)
        assert again.view(viewer) == state.view(viewer)
        assert again.outcome == state.outcome


BAD = [
    (BASIC.replace("to=0", "to=2"), "to=2: must be a number from 0 to 1"),
    (BASIC.replace("to=0", "to=x"), "to=x: must be a number from 0 to 1"),
    (BASIC.replace("to=0 ", ""), "to= is missing from the position"),
    (BASIC.replace("r=S,S,S,17", "r=S,S,17"), "r=: must name 4 pawns (S1)"),
    (BASIC.replace("r=S,S,S,17", "r=S,S,S,60"), "r=60: a pawn stands on S, 0-59, :1-:5 or H"),
    (BASIC.replace("r=S,S,S,17", "r=S,S,17,17"), "two pawns stand on 17 (S8)"),
    (BASIC.replace("y=S,S,S,S", "y=S,S,S,17"), "two pawns stand on 17 (S8)"),
    (BASIC.replace("r=S,S,S,17", "r=S,S,:1,:1"), "two pawns stand on :1 (S8)"),
    (BASIC.replace("card=5", "card=6"), "card=: there is no card '6' (S2)"),
    (BASIC.replace("card=5 draw=44", "card=- draw=45"), "card=: must be one card, or - if the game is over"),
    (
        BASIC.replace("card=5 draw=44", "card=5,5 draw=43"),
        "card=: must be one card, or - if the game is over",
    ),
    (BASIC.replace("draw=44", "draw=43"), "draw=43: must be 44, for the deck has 45 cards (S2)"),
    (BASIC.replace("discards=-", "discards=5,5,5,5"), "there are more cards 5 than the deck has (S2)"),
    (BASIC.replace("turn=0", "turn=2001"), "turn=2001: must be a number from 0 to 2000"),
    (BASIC.replace("ply=0", "ply=" + "9" * 5000), "must be a number from 0"),
    (BASIC + " g=S,S,S,S", "g=: nobody who is in plays this colour (S1, S31)"),
    (BASIC + " junk", "'junk' is no field of a position, or comes twice: write it like to=0"),
    (BASIC + " to=0", "'to=0' is no field of a position, or comes twice: write it like to=0"),
    (BASIC + " out=0", "out=: names seats that are out, each once and not the one to move (S31)"),
    ("", "to= is missing from the position"),
    ("\0", "no field of a position"),
]
BAD_POINTS = [
    (POINTS.replace("/*5", ""), "hands=: there must be 2, one for each seat, parted by /"),
    (
        POINTS.replace("*5", "*4").replace("35", "36"),
        "hands=: a hand has 5 cards, of a seat that is out none (S27, S31)",
    ),
    (
        POINTS.replace("scores=0,0", "scores=0"),
        "deal= counts from 1, scores= has one number for each seat (S29)",
    ),
    (POINTS.replace("deal=1", "deal=0"), "deal= counts from 1, scores= has one number for each seat (S29)"),
    (POINTS.replace("deal=1", "deal=2"), "deal=2: must be a number from 0 to 1"),
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_a_text_that_is_no_position(text, said):
    with pytest.raises(BadPosition) as refused:
        read(text)
    assert said in str(refused.value)


@pytest.mark.parametrize(("text", "said"), BAD_POINTS)
def test_a_text_that_is_no_position_of_the_points_game(text, said):
    with pytest.raises(BadPosition) as refused:
        read(text, "sorry-points")
    assert said in str(refused.value)


def test_a_deal_that_is_over_is_no_position_while_deals_are_left():
    """S29"""
    text = POINTS.replace("r=S,S,S,17", "r=H,H,H,H")
    with pytest.raises(BadPosition, match="the next one not dealt"):
        read(text, "sorry-points", deals=2)


def test_the_drawing():
    state = drawn("r=S,2,:1,H b=S,S,S,17 y=S,S,S,59 g=H,H,H,45", "5", seats=4)
    assert str(state) == "\n".join(DRAWING)


DRAWING = """\
 . > r = = . . . . > = = = = . .
 y   r  S1                     v
 =   _            H0 _ _ _ _ _ b
 =   _                         =
 =   _                      S3 =
 =   _                         .
 ^  H1                         .
 .                             .
 .                             .
 .                        H0   v
 .                         _   =
 =S0                       _   =
 =                         _   =
 = _ _ _ _ _H3             _   =
 ^                    S3   _   .
 g . = = = = < . . . . = = = < .
seats: 0 red, 1 blue, 2 yellow, 3 green; 44 cards to draw, turn 1
seat 0 to move, card 5""".splitlines()


@pytest.mark.parametrize(
    ("name", "seats"), [("sorry", 1), ("sorry", 5), ("sorry-teams", 2), ("sorry-points", 0)]
)
def test_seats(name, seats):
    """S1"""
    game = GAMES[name]
    with pytest.raises(BadSeats):
        game.start(seats, game.full_options({}), SEED)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sorry", {"turn_limit": 0}),
        ("sorry", {"first": "oldest"}),
        ("sorry", {"deals": 2}),
        ("sorry-points", {"deals": 0}),
        ("sorry-points", {"bonus": "none"}),
        ("sorry-points", {"winner_first": "yes"}),
    ],
)
def test_options(name, options):
    with pytest.raises(BadOption):
        GAMES[name].full_options(options)


def test_a_state_is_small():
    """Less than 2 KiB beyond what states share: the setup, the seed, interned values."""
    state = held("r=S,:1,:2,17", "1,5,5,8,12", "*5", "*5", "*5", discards="1,1,2,2,3,3", scores=[500] * 4)
    shared = {id(state.setup), id(state.piles.stream.seed), id(state.piles.stream.label)}
    assert size(state, shared) < 2048


def size(value, seen):
    if id(value) in seen:
        return 0
    seen.add(id(value))
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    parts = [getattr(value, name) for name in slots]
    if isinstance(value, tuple):
        parts += value
    return sys.getsizeof(value) + sum(size(part, seen) for part in parts)

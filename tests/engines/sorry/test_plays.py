"""What each card may do, as a table: the rule, the position, the card, every move with what it changes."""

import pytest

from tests.engines.sorry.boards import board_pawns, drawn, pawns, texts

SLIDES = [(1, 4), (9, 13)]  # on each side (S3)

BASIC = [
    # rule, before, card, {move: what it leaves, or nothing if the position stays}
    ("S6", "r=H,H,H,:4", "3", {"--": ""}),
    ("S7", "r=S,S,S,20 y=S,S,S,22", "5", {"5 r20-25": "r=S,S,S,25"}),
    ("S7", "r=S,S,S,57", "5", {"5 r57-2": "r=S,S,S,2"}),
    ("S8", "r=S,S,S,17 y=S,S,S,22", "5", {"5 r17-22": "r=S,S,S,22 y=S,S,S,S"}),
    ("S8", "r=S,S,17,22", "5", {"5 r22-27": "r=S,S,17,27"}),
    ("S8", "r=S,S,11,16", "5", {"5 r16-21": "r=S,S,11,21"}),
    ("S8", "r=S,S,:1,:3", "2", {"2 r:3-:5": "r=S,S,:1,:5", "2 rS-4": "r=S,4,:1,:3"}),
    ("S9", "r=S,S,S,11", "5", {"5 r11-16": "r=S,S,S,19"}),
    ("S9", "r=S,S,S,19", "5", {"5 r19-24": "r=S,S,S,28"}),
    ("S9", "r=S,S,S,20", "4", {"4 r20-16": "r=S,S,S,19"}),
    ("S9", "r=S,S,S,56", "5", {"5 r56-1": "r=S,S,S,1"}),
    ("S9", "r=S,S,S,6", "3", {"3 r6-9": "r=S,S,S,9"}),
    ("S9", "r=S,S,S,12", "5", {"5 r12-17": "r=S,S,S,17"}),
    (
        "S9",
        "r=S,S,19,26 y=S,25,27,28",
        "5",
        {"5 r19-24": "r=S,S,S,28 y=S,S,S,S", "5 r26-31": "r=S,S,19,34"},
    ),
    ("S10", "r=S,S,S,15", "3", {"3 r15-18": "r=S,S,S,18"}),
    ("S10", "r=S,S,S,:1", "4", {"4 r:1-59": "r=S,S,S,59"}),
    ("S10", "r=S,S,S,:5", "4", {"4 r:5-:1": "r=S,S,S,:1"}),
    ("S10", "r=S,S,S,4", "4", {"4 r4-0": "r=S,S,S,0"}),
    ("S11", "r=S,H,H,:3", "3", {"3 r:3-H": "r=S,H,H,H"}),
    ("S11", "r=S,H,H,:3", "5", {"--": ""}),
    ("S11", "r=S,S,S,58", "8", {"8 r58-:4": "r=S,S,S,:4"}),
    ("S11", "r=S,S,S,57", "11", {"11 r57-H": "r=S,S,S,H"}),
    ("S11", "r=S,S,S,57", "12", {"--": ""}),
    ("S12", "r=S,S,S,0", "5", {"5 r0-:3": "r=S,S,S,:3"}),
    ("S12", "r=S,S,S,2", "1", {"1 r2-:1": "r=S,S,S,:1", "1 rS-4": "r=S,S,2,4"}),
    ("S12", "r=S,S,S,3", "12", {"12 r3-15": "r=S,S,S,15"}),
    ("S14", "r=S,S,S,S", "1", {"1 rS-4": "r=S,S,S,4"}),
    ("S14", "r=S,S,S,S", "2", {"2 rS-4": "r=S,S,S,4"}),
    ("S14", "r=S,S,S,17", "1", {"1 r17-18": "r=S,S,S,18", "1 rS-4": "r=S,S,4,17"}),
    ("S14", "r=S,S,S,17", "2", {"2 r17-19": "r=S,S,S,19", "2 rS-4": "r=S,S,4,17"}),
    ("S14", "r=S,S,S,4", "1", {"1 r4-5": "r=S,S,S,5"}),
    ("S14", "r=S,S,S,S y=S,S,S,4", "1", {"1 rS-4": "r=S,S,S,4 y=S,S,S,S"}),
    ("S14", "r=H,H,H,S", "1", {"1 rS-4": "r=4,H,H,H"}),
    *(("S14", "r=S,S,S,S", card, {"--": ""}) for card in "3 4 5 7 8 10 11 12".split()),  # noqa: SIM905
    ("S15", "r=S,S,S,17", "3", {"3 r17-20": "r=S,S,S,20"}),
    ("S15", "r=S,S,S,17", "8", {"8 r17-25": "r=S,S,S,25"}),
    ("S15", "r=S,S,S,17", "12", {"12 r17-29": "r=S,S,S,29"}),
    ("S15", "r=S,S,S,17", "4", {"4 r17-13": "r=S,S,S,13"}),
    ("S16", "r=S,S,S,17", "7", {"7 r17-24": "r=S,S,S,28"}),
    (
        "S16",
        "r=S,H,17,40",
        "7",
        {
            "7 r17-18 r40-46": "r=S,18,49,H",
            "7 r17-19 r40-45": "r=S,19,45,H",
            "7 r17-20 r40-44": "r=S,20,44,H",
            "7 r17-21 r40-43": "r=S,21,43,H",
            "7 r17-22 r40-42": "r=S,22,42,H",
            "7 r17-23 r40-41": "r=S,23,41,H",
            "7 r17-24": "r=S,28,40,H",
            "7 r40-47": "r=S,17,47,H",
        },
    ),
    ("S16", "r=H,H,H,:3", "7", {"--": ""}),
    (
        "S16",
        "r=H,H,40,:3",
        "7",
        {
            "7 r40-44 r:3-H": "r=44,H,H,H",
            "7 r40-45 r:3-:5": "r=45,:5,H,H",
            "7 r40-46 r:3-:4": "r=49,:4,H,H",
            "7 r40-47": "r=47,:3,H,H",
        },
    ),
    (
        "S16",  # the second part is played on the board that the first left
        "r=H,H,43,44",
        "7",
        {
            "7 r43-45 r44-49": "r=45,49,H,H",
            "7 r43-46 r44-48": "r=48,49,H,H",
            "7 r43-48 r44-46": "r=S,49,H,H",
            "7 r43-50": "r=44,50,H,H",
            "7 r44-51": "r=43,51,H,H",
        },
    ),
    (
        "S16",  # a pawn that the first part bumped cannot take the second
        "r=H,H,22,26",
        "7",
        {
            "7 r22-23 r26-32": "r=23,32,H,H",
            "7 r22-25 r26-30": "r=25,30,H,H",
            "7 r22-27 r26-28": "r=27,28,H,H",
            "7 r22-29": "r=26,29,H,H",
            "7 r26-31 r22-24": "r=28,34,H,H",
            "7 r26-33": "r=22,33,H,H",
        },
    ),
    ("S17", "r=S,S,S,17", "10", {"10 r17-16": "r=S,S,S,19", "10 r17-27": "r=S,S,S,27"}),
    ("S17", "r=H,H,H,:2", "10", {"10 r:2-:1": "r=:1,H,H,H"}),
    ("S17", "r=H,H,H,:1", "10", {"10 r:1-2": "r=2,H,H,H"}),
    (
        "S17",
        "r=H,H,18,19",
        "10",
        {
            "10 r18-17": "r=17,19,H,H",
            "10 r18-28": "r=19,28,H,H",
            "10 r19-29": "r=18,29,H,H",
        },
    ),
    (
        "S18",
        "r=S,S,S,17 y=S,S,:2,40",
        "11",
        {"11 r17-28": "r=S,S,S,28", "11 r17x40": "r=S,S,S,40 y=S,S,17,:2"},
    ),
    ("S18", "r=S,H,H,58 y=S,S,S,40", "11", {"--": "", "11 r58x40": "r=S,40,H,H y=S,S,S,58"}),
    ("S18", "r=S,H,H,58 y=S,S,:2,H", "11", {"--": ""}),
    ("S18", "r=S,H,H,:1 y=S,S,S,40", "11", {"--": ""}),
    ("S18", "r=S,H,H,58 y=S,S,S,24", "11", {"--": "", "11 r58x24": "r=S,28,H,H y=S,S,S,58"}),
    ("S18", "r=S,H,H,26 y=S,S,S,24", "11", {"11 r26-37": "r=S,37,H,H", "11 r26x24": "r=S,28,H,H y=S,S,S,S"}),
    ("S18", "r=S,H,H,1 y=S,S,S,40", "11", {"--": "", "11 r1x40": "r=S,40,H,H y=S,S,S,1"}),
    ("S19", "r=S,S,S,17 y=S,S,:2,22", "Sorry!", {"Sorry! rSx22": "r=S,S,17,22 y=S,S,S,:2"}),
    ("S19", "r=S,S,S,27 y=S,S,S,24", "Sorry!", {"Sorry! rSx24": "r=S,S,S,28 y=S,S,S,S"}),
    ("S19", "r=S,S,S,S y=S,S,S,1", "Sorry!", {"Sorry! rSx1": "r=S,S,S,1 y=S,S,S,S"}),
    ("S19", "r=H,H,H,17 y=S,S,S,22", "Sorry!", {"--": ""}),
    ("S19", "r=S,S,S,17 y=S,H,H,:2", "Sorry!", {"--": ""}),
    ("S20", "r=S,S,S,28", "4", {"4 r28-24": ""}),
    ("S20", "r=S,S,28,43", "4", {"4 r28-24": ""}),
]

TEAMS = [
    ("S21", "r=S,S,S,17 y=S,S,S,40", "3", {"3 r17-20": "r=S,S,S,20", "3 y40-43": "y=S,S,S,43"}),
    ("S21", "y=S,S,S,30", "5", {"5 y30-:3": "y=S,S,S,:3"}),
    ("S21", "y=S,S,S,28", "3", {"3 y28-31": "y=S,S,S,31"}),
    ("S21", "r=H,H,H,:4 y=S,S,S,40", "3", {"3 y40-43": "y=S,S,S,43"}),
    (
        "S21",  # no pawn of the eight may go eleven forward before the change may be declined
        "r=H,H,H,58 y=S,S,S,40 b=S,S,S,20",
        "11",
        {
            "11 r58x20": "r=20,H,H,H b=S,S,S,58",
            "11 y40-51": "y=S,S,S,51",
            "11 y40x20": "y=S,S,S,20 b=S,S,S,40",
        },
    ),
    ("S22", "r=S,S,S,17 y=S,S,S,20", "3", {"3 r17-20": "r=S,S,S,20 y=S,S,S,S", "3 y20-23": "y=S,S,S,23"}),
    ("S22", "r=S,S,S,S y=H,H,H,20", "Sorry!", {"Sorry! rSx20": "r=S,S,S,20 y=S,H,H,H"}),
    (
        "S22",
        "r=S,S,S,17 y=S,S,S,20",
        "Sorry!",
        {"Sorry! rSx20": "r=S,S,17,20 y=S,S,S,S", "Sorry! ySx17": "r=S,S,S,S y=S,S,17,20"},
    ),
    (
        "S22",
        "r=H,H,H,17 y=H,H,H,20 b=S,S,S,40",
        "11",
        {
            "11 r17-28": "r=28,H,H,H",
            "11 r17x40": "r=40,H,H,H b=S,S,S,17",
            "11 y20-31": "y=31,H,H,H",
            "11 y20x40": "y=40,H,H,H b=S,S,S,20",
        },
    ),
    ("S24", "", "1", {"1 rS-4": "r=S,S,S,4", "1 yS-34": "y=S,S,S,34"}),
    ("S24", "r=S,S,S,4", "2", {"2 r4-6": "r=S,S,S,6", "2 yS-34": "y=S,S,S,34"}),
    ("S25", "r=H,H,H,H y=S,S,S,40", "3", {"3 y40-43": "y=S,S,S,43"}),
]


def check(state, expected):
    before = board_pawns(state, state.board)
    assert texts(state) == sorted(expected)
    for move in state.legal_moves():
        assert board_pawns(state, move.board) == before | pawns(expected[str(move)])


@pytest.mark.parametrize(("rule", "before", "card", "expected"), BASIC)
def test_basic(rule, before, card, expected):
    check(drawn(before, card), expected)


@pytest.mark.parametrize(("rule", "before", "card", "expected"), TEAMS)
def test_teams(rule, before, card, expected):
    check(drawn(before, card, game="sorry-teams", seats=4), expected)


@pytest.mark.parametrize(("colour", "letter"), list(enumerate("rbyg")))
@pytest.mark.parametrize(
    ("triangle", "end"), [(15 * side + at, 15 * side + to) for side in range(4) for at, to in SLIDES]
)
def test_every_slide(colour, letter, triangle, end):
    """S3, S9: from the triangle to the end, on the pawn's own side not."""
    state = drawn(f"{letter}=H,H,H,{triangle - 1}", "1", seats=4, to=colour)
    (move,) = state.legal_moves()
    assert str(move) == f"1 {letter}{triangle - 1}-{triangle}"
    rests = triangle if triangle // 15 == colour else end
    assert board_pawns(state, move.board)[letter] == [str(rests), "H", "H", "H"]


@pytest.mark.parametrize(("colour", "letter"), list(enumerate("rbyg")))
def test_home_is_64_steps_from_the_circle(colour, letter):
    """S3, S10: 58 squares of the track to the entry, then five of the zone and HOME."""
    places = [15 * colour + 4]
    while places[-1] != "H":
        state = drawn(f"{letter}=H,H,H,{places[-1]}", "1", seats=4, to=colour)
        (move,) = state.legal_moves()
        places.append(str(move).partition("-")[2])
    assert len(places) - 1 == 64
    assert places[-7:] == [str(15 * colour + 2), ":1", ":2", ":3", ":4", ":5", "H"]


def test_a_seven_among_three_pawns_far_apart():
    """S23: each part at least 1, at most one part a pawn: 3 whole, 3 × 6 in two, 15 in three parts."""
    state = drawn("r=S,H,17,40 y=S,S,S,55", "7", game="sorry-teams", seats=4)
    moves = texts(state)
    assert len(moves) == 3 + 18 + 15
    assert "7 r17-18 r40-41 y55-0" in moves
    assert "7 y55-2" in moves

"""The rows of rules/quixo.md, rule by rule (Q16 is the clock's)."""

from tests.engines.quixo.rows import Allows, Plays, Refuses, Stands

TEAMS = {"seats": 4}
EMPTY = "...../...../...../...../....."
MIXED = "XO.../....X/O..../...../.XO.X"
DOTS = "0...1/...../...../...../2...3"
STUCK = "22121/2...2/1...1/2...2/11221"  # seats 0 and 3 have no cube; a5-b5 and a1-b1 can move unseen
PAIRS = "00.11/...../...../...../22.33"  # every seat can move a pair of its cubes without changing anything
THREES = "OOO../...../...../...../XXX.."  # as PAIRS, with two players
X_WINS, O_WINS, DRAWN = (1, 2), (2, 1), (1, 1)

SIZE = [
    Allows("Q1", "start", 44),
    Allows("Q1", "start", 32, options={"size": 4}),
    Allows("Q1", "start", 20, options={"size": 3}),
    Refuses("Q1", "start", "f1N", "f1 is not on the 5×5 board"),
    Refuses("Q1", "start", "a6N", "a6 is not on the 5×5 board"),
    Refuses("Q1", "start", "a0N", "a0 is not on the 5×5 board"),
    Refuses("Q1", "start", "d1N", "d1 is not on the 3×3 board", options={"size": 3}),
    Plays("Q1", "start", "a1N", "X.../..../..../.... 1 1", options={"size": 4}),
]
START = [
    Plays("Q2", "start", "", f"{EMPTY} 0 0"),
    Plays("Q2", "start", "", f"{EMPTY} 0 0", **TEAMS),
    Plays("Q2", "start", "c1N", "..X../...../...../...../..... 1 1"),
]
TURNS = [
    Plays("Q3", "start", "c1N a3E", "..X../...../....O/...../..... 0 2"),
    Plays("Q3", "start", "c1N a3E a1E", "..X../...../....O/...../....X 1 3"),
    Refuses("Q3", "start", "--", "there is a cube to take, and no turn is skipped"),
]
TAKING = [
    Refuses("Q4", "start", "c3N", "c3 is not on the edge"),
    Refuses("Q4", "start", "b4E", "b4 is not on the edge"),
    Refuses("Q4", "start", "b2E", "b2 is not on the edge", options={"size": 3}),
    Refuses("Q4", f"{MIXED} 0 10", "a3E", "a3 shows your opponent's mark"),
    Refuses("Q4", f"{MIXED} 1 11", "e4W", "e4 shows your opponent's mark"),
    Refuses("Q4", f"{DOTS} 0 8", "e5W@0", "e5 shows your opponent's mark", **TEAMS),
    Refuses("Q4", f"{DOTS} 3 11", "a1E@3", "a1 shows your opponent's mark", **TEAMS),
    Allows("Q4", "OXO/X.X/OXO 0 8", "a2E a2N a2S b1E b1N b1W b3E b3S b3W c2N c2S c2W", options={"size": 3}),
    Allows("Q4", "OXO/X.X/OXO 1 9", "a1E a1N a3E a3S c1N c1W c3S c3W", options={"size": 3}),
]
FIRST_ROUND = [
    Refuses(
        "Q5",
        "0..../...../...../...../3.... 2 2",
        "a5E@2",
        "a5 is marked, and in the first round only a blank cube may be taken",
        **TEAMS,
    ),
    Refuses(
        "Q5",
        "2..../...../...../...../3.... 2 2",
        "a5E@2",
        "a5 is marked, and in the first round only a blank cube may be taken",
        **TEAMS,
    ),
    Allows("Q5", "2..../...../...../...../3.... 2 2", 80, **TEAMS),
    Allows("Q5", "2..../...../...../...../3...2 3 3", 76, **TEAMS),
    Plays("Q5", "0..../...../...../...../3.... 0 4", "a5E@2", "....2/...../...../...../3.... 1 5", **TEAMS),
]
MARKING = [
    Plays("Q6", f"{MIXED} 0 10", "c5W", "XXO../....X/O..../...../.XO.X 1 11"),
    Plays("Q6", f"{MIXED} 1 11", "c5W", "OXO../....X/O..../...../.XO.X 0 12"),
    Plays("Q6", f"{MIXED} 1 11", "a3E", "XO.../....X/....O/...../.XO.X 0 12"),
    Plays("Q6", f"{DOTS} 1 9", "c5W@3", "30..1/...../...../...../2...3 2 10", **TEAMS),
]
SLIDES = [
    Plays("Q7", f"{MIXED} 0 10", "b1N", "XX.../.O..X/O..../...../..O.X 1 11"),
    Plays("Q7", f"{MIXED} 0 10", "b1E", "XO.../....X/O..../...../.O.XX 1 11"),
    Plays("Q7", f"{MIXED} 0 10", "b1W", "XO.../....X/O..../...../X.O.X 1 11"),
    Plays("Q7", f"{MIXED} 0 10", "e4W", "XO.../X..../O..../...../.XO.X 1 11"),
    Plays("Q7", f"{MIXED} 0 10", "e4S", "XO.../...../O..../....X/.XO.X 1 11"),
    Plays("Q7", f"{MIXED} 0 10", "e4N", "XO..X/...../O..../...../.XO.X 1 11"),
    Plays("Q7", f"{MIXED} 0 10", "a5E", "O...X/....X/O..../...../.XO.X 1 11"),
    Plays("Q7", f"{MIXED} 0 10", "a5S", ".O.../O...X/...../...../XXO.X 1 11"),
    Refuses("Q7", "start", "c1S", "c1 is that end of its line, and a cube may not go straight back"),
    Refuses("Q7", "start", "a5N", "a5 is that end of its line, and a cube may not go straight back"),
    Refuses("Q7", "start", "a5W", "a5 is that end of its line, and a cube may not go straight back"),
    Refuses(
        "Q7", "start", "c1", "not a move; a move is a cell and the end where its cube goes back, such as c1N"
    ),
    Refuses(
        "Q7", "start", "c1X", "not a move; a move is a cell and the end where its cube goes back, such as c1N"
    ),
    Refuses(
        "Q7",
        "start",
        "",
        "not a move; a move is a cell and the end where its cube goes back, such as c1N@0",
        **TEAMS,
    ),
    Allows(
        "Q7",
        "start",
        "a1E a1N a2E a2N a2S a3E a3S b1E b1N b1W b3E b3S b3W c1N c1W c2N c2S c2W c3S c3W",
        options={"size": 3},
    ),
]
TEAM_TURNS = [
    Plays("Q3", "start", "c1N a3E", "..X../...../....O/...../..... 0 2"),
    Plays("Q8", "start", "a1N@0 b1N@1 c1N@2 d1N@3", "0123./...../...../...../..... 0 4", **TEAMS),
    Stands("Q8", "02020/...../...../...../..... 1 9", ((1, 2, 1, 2), "line"), **TEAMS),
    Stands("Q8", "13311/...../...../...../..... 2 10", ((2, 1, 2, 1), "line"), **TEAMS),
]
FACING = [
    Refuses("Q9", f"{DOTS} 0 8", "a1N@0", "a1 faces your partner, seat 2", **TEAMS),
    Refuses("Q9", f"{DOTS} 1 9", "e1N@1", "e1 faces your partner, seat 3", **TEAMS),
    Refuses("Q9", f"{DOTS} 2 10", "a5E@2", "a5 faces your partner, seat 0", **TEAMS),
    Refuses("Q9", f"{DOTS} 3 11", "e5W@3", "e5 faces your partner, seat 1", **TEAMS),
    Plays("Q9", f"{DOTS} 2 10", "a1E@0", "0...1/...../...../...../...30 3 11", **TEAMS),
    Allows("Q9", "010/1.1/021 2 10", "b1E@0 b1E@2 b1N@0 b1N@2 b1W@0 b1W@2", options={"size": 3}, **TEAMS),
]
DOTTING = [
    Plays("Q10", f"{DOTS} 0 8", "a5E@2", "...12/...../...../...../2...3 1 9", **TEAMS),
    Plays("Q10", f"{DOTS} 0 8", "a5E@0", "...10/...../...../...../2...3 1 9", **TEAMS),
    Plays("Q10", f"{DOTS} 0 8", "a5S@0", "....1/...../...../2..../0...3 1 9", **TEAMS),
    Plays("Q10", f"{DOTS} 3 11", "e1N@1", "0...1/....1/...../...../2.... 0 12", **TEAMS),
    Refuses("Q10", "start", "c1N", "it does not say whom the dot faces; write c1N@0 or c1N@2", **TEAMS),
    Refuses("Q10", "start", "c1N@1", "the dot can face only your own team; write c1N@0 or c1N@2", **TEAMS),
    Refuses("Q10", "start", "c1N@4", "the dot can face only your own team; write c1N@0 or c1N@2", **TEAMS),
    Refuses("Q10", "start", "c1N@0", "there are no dots with two players; write c1N"),
    Allows("Q10", "start", 88, **TEAMS),
]
PASSING = [
    Allows("Q11", f"{STUCK} 0 32", "--", **TEAMS),
    Plays("Q11", f"{STUCK} 0 32", "--", f"{STUCK} 1 33", **TEAMS),
    Plays("Q11", f"{STUCK} 3 35", "--", f"{STUCK} 0 36", **TEAMS),
    Refuses("Q11", f"{STUCK} 1 33", "--", "there is a cube to take, and no turn is skipped", **TEAMS),
    Plays(
        "Q11",
        f"{STUCK} 0 32",
        "-- b1W@1 b5W@2 -- -- b1W@1 b5W@2 --",
        f"{STUCK} 0 40",
        ((1, 1, 1, 1), "repetition"),
        **TEAMS,
    ),
]
LINES = [
    Plays(
        "Q12",
        "...../...../...../...../XXXX. 0 8",
        "e5S",
        "...../...../...../...../XXXXX 1 9",
        (X_WINS, "line"),
    ),
    Plays(
        "Q12",
        "...../...../...../...../OOOO. 1 9",
        "e5S",
        "...../...../...../...../OOOOO 0 10",
        (O_WINS, "line"),
    ),
    Plays(
        "Q12",
        "...../X..../X..../X..../X.... 0 8",
        "e5W",
        "X..../X..../X..../X..../X.... 1 9",
        (X_WINS, "line"),
    ),
    Plays(
        "Q12",
        "....X/...X./..X../.X.../..... 0 8",
        "a5S",
        "....X/...X./..X../.X.../X.... 1 9",
        (X_WINS, "line"),
    ),
    Plays(
        "Q12",
        "X..../.X.../..X../...X./..... 0 8",
        "e5S",
        "X..../.X.../..X../...X./....X 1 9",
        (X_WINS, "line"),
    ),
    Plays(
        "Q12",
        "...../..X../XX.XX/...../..... 0 10",
        "c1N",
        "..X../...../XXXXX/...../..... 1 11",
        (X_WINS, "line"),
    ),
    Plays("Q12", "...../...../...../...../XXX.. 0 8", "e5S", "...../...../...../...../XXX.X 1 9"),
    Plays("Q12", "...../...../...../...../202.. 0 8", "e1W@2", "...../...../...../...../2202. 1 9", **TEAMS),
    Plays(
        "Q12",
        "...../...../...../...../2022. 0 8",
        "e5S@0",
        "...../...../...../...../20220 1 9",
        ((1, 2, 1, 2), "line"),
        **TEAMS,
    ),
]
OPPONENTS_LINES = [
    Plays(
        "Q13",
        "...../..O../OO.OO/...../..... 0 10",
        "c1N",
        "..X../...../OOOOO/...../..... 1 11",
        (O_WINS, "opponent-line"),
    ),
    Plays(
        "Q13",
        "...../..O../OOXOO/XX.XX/..... 0 10",
        "c1N",
        "..X../...../OOOOO/XXXXX/..... 1 11",
        (O_WINS, "opponent-line"),
    ),
    Plays(
        "Q13",
        "...../..X../XXOXX/OO.OO/..... 1 11",
        "c1N",
        "..O../...../XXXXX/OOOOO/..... 0 12",
        (X_WINS, "opponent-line"),
    ),
    Plays(
        "Q13",
        "...../..1../13231/20.02/..... 2 10",
        "c1N@0",
        "..0../...../13131/20202/..... 3 11",
        ((2, 1, 2, 1), "opponent-line"),
        **TEAMS,
    ),
]
AT_ONCE = [
    Stands("Q14", "...../...../...../...../XXXXX 1 9", (X_WINS, "line")),
    Refuses("Q12", "...../...../...../...../XXXXX 1 9", "a5E", "the game is over"),
    Refuses("Q13", "...../...../...../...../XXXXX 0 10", "a5E", "the game is over"),
    Refuses("Q15", f"{THREES} 0 20", "a1E", "the game is over", options={"ply_limit": 20}),
]
REPETITION = [
    Plays("Q15", f"{THREES} 0 6", "c1W c5W c1W", f"{THREES} 1 9"),
    Plays("Q15", f"{THREES} 0 6", "c1W c5W c1W c5W", f"{THREES} 0 10", (DRAWN, "repetition")),
    Plays("Q15", f"{THREES} 0 6", "c1W c5W " * 2, f"{THREES} 0 10", options={"repetition": False}),
    Plays(
        "Q15",
        f"{THREES} 0 6",
        "c1W c5W " * 2,
        f"{THREES} 0 10",
        (DRAWN, "repetition"),
        options={"ply_limit": 10},
    ),
    Plays(
        "Q15",
        f"{THREES} 0 6",
        "c1W c5W " * 2,
        f"{THREES} 0 10",
        (DRAWN, "ply-limit"),
        options={"ply_limit": 10, "repetition": False},
    ),
    Plays("Q15", f"{PAIRS} 0 8", "b5W@0 d5E@1 b1W@2 d1E@3 b5W@0 d5E@1 b1W@2", f"{PAIRS} 3 15", **TEAMS),
    Plays(
        "Q15",
        f"{PAIRS} 0 8",
        "b5W@0 d5E@1 b1W@2 d1E@3 " * 2,
        f"{PAIRS} 0 16",
        ((1, 1, 1, 1), "repetition"),
        **TEAMS,
    ),
    Plays(
        "Q15",
        f"{PAIRS} 0 8",
        "b5W@2 d5E@1 b1W@2 d1E@3 b5W@0 d5E@1 b1W@2 d1E@3",
        "02.11/...../...../...../22.33 0 16",
        **TEAMS,
    ),
]
LIMIT = [
    Plays(
        "Q15",
        "start",
        "c1N",
        "..X../...../...../...../..... 1 1",
        (DRAWN, "ply-limit"),
        options={"ply_limit": 1},
    ),
    Plays(
        "Q15",
        "...../...../...../...../XXXX. 0 8",
        "e5S",
        "...../...../...../...../XXXXX 1 9",
        (X_WINS, "line"),
        options={"ply_limit": 9},
    ),
    Stands("Q15", f"{MIXED} 1 199", None),
    Stands("Q15", f"{MIXED} 0 200", (DRAWN, "ply-limit")),
]
FORFEITS = [
    Stands("Q17", "start", (O_WINS, "last-standing"), 0),
    Stands("Q17", "start", (X_WINS, "last-standing"), 1),
    Stands("Q17", "start", ((2, 1, 2, 1), "last-standing"), 2, **TEAMS),
    Stands("Q17", "start", ((1, 2, 1, 2), "last-standing"), 3, **TEAMS),
    Stands("Q17", "...../...../...../...../XXXXX 1 9", (X_WINS, "line"), 0),
]

ROWS = [
    *[*SIZE, *START, *TURNS, *TAKING, *FIRST_ROUND, *MARKING, *SLIDES, *TEAM_TURNS, *FACING, *DOTTING],
    *[*PASSING, *LINES, *OPPONENTS_LINES, *AT_ONCE, *REPETITION, *LIMIT, *FORFEITS],
]

"""Standings: scores, forfeits, tie-breaks and what decided; against a plain recount at random."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from engines.errors import BadOption
from service.tournaments.formats import FORMATS
from service.tournaments.pairing import Options, Partners, Result
from service.tournaments.results import Results
from service.tournaments.standings import standings
from service.tournaments.tables import by_seat, cross_row, forfeits
from service.tournaments.tally import tally
from service.tournaments.tie_breaks import NAMES, check_tie_breaks
from tests.service.tournaments.playing import game, random_results, table

HALF = Fraction(1, 2)
TWO = Options()


def played(*lines):
    """Games numbered in order, from "0 1 2": the first entrant, its score, the second."""
    return [game(number, int(line[0]), line[2], int(line[4])) for number, line in enumerate(lines)]


def ranking(found):
    return [(row.rank, row.entrant, row.decided_by) for row in found.rows]


def test_a_line():
    found = table(played("0 1 1", "1 = 2", "2 1 0"), 3, TWO)
    assert ranking(found) == [(1, 2, "points"), (2, 0, "points"), (3, 1, "points")]
    first = found.rows[0]
    assert (first.games, first.score, first.won, first.drawn, first.lost) == (2, 3 * HALF, 1, 1, 0)
    assert first.tie_breaks == (None, 1, Fraction(5, 4))  # beat 0 (1 point), drew with 1 (½ point)
    assert not found.partial


def test_a_game_that_is_missing_makes_the_table_partial():
    columns = Results.of(played("0 1 1"), 2)
    assert standings(tally(columns, 3, TWO), ["wins"], games_due=3).partial


@pytest.mark.parametrize(
    ("tie_breaks", "lines", "wanted"),
    [
        # 0 and 1 tie on 2 of 3; 1 beat 0
        (
            ["direct-encounter"],
            ["1 1 0", "0 1 2", "0 1 3", "1 1 2", "3 1 1", "2 = 3"],
            [(1, 1, "direct-encounter"), (2, 0, "direct-encounter"), (3, 3, "points"), (4, 2, "points")],
        ),
        # three in a circle, all alike
        (
            ["direct-encounter", "wins", "sonneborn-berger"],
            ["0 1 1", "1 1 2", "2 1 0"],
            [(1, 0, "shared"), (1, 1, "shared"), (1, 2, "shared")],
        ),
        # 0 and 1 have not met: direct encounter does not apply, wins decide
        (
            ["direct-encounter", "wins"],
            ["0 = 2", "0 = 3", "1 1 2", "1 0 3"],
            [(1, 3, "points"), (2, 1, "points"), (3, 0, "wins"), (4, 2, "points")],
        ),
        # 0 to 3 tie on 2; among them 0 and 1 have 2: direct encounter is applied again to these
        (
            ["direct-encounter"],
            [
                *("0 1 1", "0 1 2", "0 0 3", "1 1 2", "1 1 3", "2 = 3"),
                *("0 0 4", "1 0 4", "2 1 4", "3 = 4", "0 0 5", "1 0 5", "2 = 5", "3 0 5", "4 = 5"),
            ],
            [
                *((1, 5, "points"), (2, 4, "points"), (3, 0, "points"), (4, 1, "direct-encounter")),
                *((5, 3, "direct-encounter"), (6, 2, "direct-encounter")),
            ],
        ),
    ],
)
def test_what_decides(tie_breaks, lines, wanted):
    found = table(
        played(*lines), 1 + max(int(line[i]) for line in lines for i in (0, 4)), TWO, tie_breaks=tie_breaks
    )
    assert ranking(found) == wanted


def test_every_tie_break_by_hand():
    """0 and 1 have 2½ of 3 (1 with a win by forfeit), 2 has 1, 3 none."""
    results = [
        game(0, 0, "1", 3),
        game(1, 1, "1", 2, (None, "no-show")),
        game(2, 2, "0", 0),
        game(3, 3, "0", 1),
        game(4, 1, "=", 0),
        game(5, 2, "1", 3),
    ]
    found = table(results, 4, TWO, tie_breaks=NAMES)
    assert [(row.entrant, row.score) for row in found.rows] == [(0, 5 * HALF), (1, 5 * HALF), (2, 1), (3, 0)]
    zero, one, two, three = (dict(zip(NAMES, row.tie_breaks, strict=True)) for row in found.rows)
    assert zero["direct-encounter"] == one["direct-encounter"] == HALF
    assert two["direct-encounter"] is None
    assert [row["wins"] for row in (zero, one, two, three)] == [2, 2, 1, 0]
    assert [row["won"] for row in (zero, one, two, three)] == [2, 1, 1, 0]
    assert [row["second-seat-wins"] for row in (zero, one, two, three)] == [1, 1, 0, 0]
    assert [row["sonneborn-berger"] for row in (zero, one, two)] == [
        0 + 1 + 5 * HALF / 2,
        1 + 5 * HALF / 2,
        0,
    ]
    assert [row["buchholz"] for row in (zero, two)] == [7 * HALF, 5]
    assert [row["buchholz-cut-1"] for row in (zero, three)] == [7 * HALF, 5]
    assert [row["koya"] for row in (zero, one, two)] == [HALF, HALF, 0]
    assert ranking(found)[0] == (1, 0, "won")


def test_a_forfeit_is_a_win_for_points_but_not_a_won_game():
    found = table([game(0, 0, "1", 1, (None, "no-show"))], 2, TWO)
    first, second = found.rows
    assert (first.score, first.won, first.won_by_forfeit) == (1, 0, 1)
    assert (second.score, second.lost, second.lost_by_forfeit) == (0, 0, 1)


@pytest.mark.parametrize("reason", ["timeout", "illegal-move", "malformed-reply", "unreachable", "resigned"])
def test_a_game_lost_by_a_fault_in_play_is_a_game_won_and_lost(reason):
    first, second = table([game(0, 0, "1", 1, (None, reason))], 2, TWO).rows
    assert (first.won, first.won_by_forfeit, second.lost, second.lost_by_forfeit) == (1, 0, 1, 0)


@pytest.mark.parametrize("score", ["1", "=", "0"])
def test_where_neither_came_both_lose(score):
    rows = table([game(0, 0, score, 1, ("no-show", "no-show"))], 2, TWO).rows
    assert [(row.score, row.lost_by_forfeit) for row in rows] == [(0, 1), (0, 1)]


@pytest.mark.parametrize(
    ("placing", "scores"),
    [
        ((1, 2, 2, 2), (1, "1/3", "1/3", "1/3")),  # Sorry!: those behind the winner tie (S13)
        ((1, 2, 3, 4), (1, "2/3", "1/3", 0)),
        ((1, 1, 1, 1), ("1/2", "1/2", "1/2", "1/2")),
        ((1, 1, 3, 3), ("5/6", "5/6", "1/6", "1/6")),
    ],
)
def test_the_scores_of_a_table_of_four(placing, scores):
    rows = table([Result(0, (0, 1, 2, 3), placing)], 4, Options(seats=4)).rows
    assert {row.entrant: row.score for row in rows} == {i: Fraction(score) for i, score in enumerate(scores)}


def test_a_no_show_at_a_table_of_four_is_behind_all_who_came():
    result = Result(0, (0, 1, 2, 3), (2, 1, 2, 4), (None, None, None, "no-show"))
    rows = {row.entrant: row for row in table([result], 4, Options(seats=4)).rows}
    assert [rows[i].score for i in range(4)] == [HALF, 1, HALF, 0]
    assert [rows[i].won + rows[i].drawn + rows[i].lost for i in range(4)] == [1, 1, 1, 0]


def test_partners_score_together_and_oppose_two():
    options = Options(4, Partners.ROTATING)
    rows = table([Result(0, (0, 1, 2, 3), (1, 2, 1, 2))], 4, options).rows
    assert [(row.entrant, row.score, row.won) for row in rows] == [(0, 1, 1), (2, 1, 1), (1, 0, 0), (3, 0, 0)]
    counts = tally(Results.of([Result(0, (0, 1, 2, 3), (1, 2, 1, 2))], 4), 4, options)
    assert [cell.games if cell else 0 for cell in cross_row(counts, 0, range(4))] == [0, 1, 0, 1]


@pytest.mark.parametrize("partners", [Partners.FIXED, Partners.ROTATING])
def test_a_team_of_which_one_did_not_come_is_absent(partners):
    seats = (0, 1, 0, 1) if partners is Partners.FIXED else (0, 1, 2, 3)
    result = Result(0, seats, (2, 1, 2, 1), (None, None, "no-show", None))
    rows = table([result], len(set(seats)), Options(4, partners)).rows
    sides = {row.entrant % 2: (row.score, row.won_by_forfeit, row.lost_by_forfeit) for row in rows}
    assert sides == {0: (0, 0, 1), 1: (1, 1, 0)}


def test_a_fixed_team_is_one_entrant():
    options = Options(4, Partners.FIXED)
    results = [Result(0, (0, 1, 0, 1), (1, 2, 1, 2), (None, None, None, "timeout"))]
    first, second = table(results, 2, options).rows
    assert (first.score, first.games, second.score, second.lost) == (1, 1, 0, 1)
    counts = tally(Results.of(results, 4), 2, options)
    assert forfeits(counts, 1) == {"timeout": 1}
    assert len(by_seat(counts, 0)) == 2


def test_the_other_tables():
    results = [*played("0 1 1", "1 1 0", "0 = 1"), game(3, 0, "0", 1, ("timeout", None))]
    counts = tally(Results.of(results, 2), 3, TWO)
    _, pair, _ = cross_row(counts, 0, range(3))
    assert (pair.games, pair.ahead, pair.level, pair.behind, pair.score) == (4, 1, 1, 2, 3 * HALF)
    rows = [list(cross_row(counts, entrant, [1, 0, 2])) for entrant in (1, 0, 2)]
    assert [[cell and cell.score for cell in row] for row in rows] == [
        [None, 5 * HALF, None], [3 * HALF, None, None], [None, None, None],
    ]  # fmt: skip
    assert [seat["lost"] for seat in by_seat(counts, 0)] == [1, 1]
    assert forfeits(counts, 0) == {"timeout": 1}
    assert forfeits(counts, 1) == {}


def test_the_points_of_the_game_are_a_tie_break():
    results = [
        Result(0, (0, 1), (1, 2), points=(45, 5)),
        Result(1, (1, 2), (1, 2), points=(60, 10)),
        Result(2, (2, 0), (1, 2), points=(50, 20)),
    ]
    found = table(results, 3, TWO, tie_breaks=["game-points"], points=True)
    assert [(row.entrant, row.game_points, row.decided_by) for row in found.rows] == [
        (0, 65, "shared"), (1, 65, "shared"), (2, 60, "game-points"),
    ]  # fmt: skip


def recount(results, entrants, seats):
    """Scores, wins and Sonneborn–Berger once more, one game and one pair of seats at a time."""
    score, won, against = [Fraction(0)] * entrants, [0] * entrants, {}
    for result in results:
        gone = [fault == "no-show" for fault in result.faults]
        for one in range(seats):
            beaten = 0
            for other in set(range(seats)) - {one}:
                ahead = (gone[one], result.placing[one]) < (gone[other], result.placing[other])
                level = not gone[one] and not gone[other] and result.placing[one] == result.placing[other]
                points = Fraction(2 * ahead + level, 2) * (not gone[one])
                beaten += ahead and not gone[one]
                score[result.seats[one]] += points / (seats - 1)
                pair = result.seats[one], result.seats[other]
                against[pair] = against.get(pair, 0) + points
            others = [gone[other] for other in range(seats) if other != one]
            won[result.seats[one]] += beaten == seats - 1 and not all(others)
    berger = [
        sum(p * score[b] for (a, b), p in against.items() if a == entrant) for entrant in range(entrants)
    ]
    return score, won, berger


@pytest.mark.parametrize("entrants", range(2, 65))
def test_random_tournaments_against_a_recount(entrants):
    dice = random.Random(entrants)
    for seats in (2, 3, 4):
        if entrants < seats:
            continue
        options = Options(seats=seats)
        schedule = FORMATS["round-robin"].schedule(entrants, options, None, {})
        results = list(random_results(schedule, dice))
        found = table(results, entrants, options, tie_breaks=["won", "sonneborn-berger"])
        score, won, berger = recount(results, entrants, seats)
        assert sorted(row.entrant for row in found.rows) == list(range(entrants))
        for row in found.rows:
            assert (row.score, row.won) == (score[row.entrant], won[row.entrant])
            assert row.tie_breaks == (won[row.entrant], berger[row.entrant])
        keys = [(row.score, *row.tie_breaks) for row in found.rows]
        assert keys == sorted(keys, reverse=True)
        for (above, below), (key, next_key) in zip(pairwise(found.rows), pairwise(keys), strict=True):
            assert (above.rank == below.rank) == (key == next_key)
            if key != next_key:
                differing = next(i for i in range(3) if key[i] != next_key[i])
                assert below.decided_by == ("points", "won", "sonneborn-berger")[differing]


@pytest.mark.parametrize("entrants", [2, 5, 16, 33])
def test_the_order_of_the_results_does_not_matter(entrants):
    dice = random.Random(entrants)
    schedule = FORMATS["round-robin"].schedule(entrants, TWO, None, {})
    results = list(random_results(schedule, dice))
    shuffled = dice.sample(results, len(results))
    assert table(results, entrants, TWO, tie_breaks=NAMES) == table(shuffled, entrants, TWO, tie_breaks=NAMES)


def test_tie_breaks_are_checked():
    assert check_tie_breaks(["wins", "koya"]) == ("wins", "koya")
    with pytest.raises(BadOption, match="there is no 'luck'; there are: direct-encounter, wins"):
        check_tie_breaks(["luck"])
    with pytest.raises(BadOption, match="'wins' stands in the list twice"):
        check_tie_breaks(["wins", "wins"])

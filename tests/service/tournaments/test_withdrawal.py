"""Withdrawals: before half of the games annulled, later forfeited; the tournament still comes to its end."""

import random
from dataclasses import replace

import numpy as np
import pytest

from service.tournaments.formats import FORMATS
from service.tournaments.pairing import Options, Partners, Result
from service.tournaments.plan import Plan
from service.tournaments.results import FAULTS, Results
from service.tournaments.withdrawal import counted
from service.tournaments.withdrawal import settle as settle_plan
from tests.service.tournaments.playing import random_results, table
from tests.service.tournaments.test_schedule import SEED, TABLES, cases

TWO = Options()


def five():
    """Five entrants, four games each."""
    return FORMATS["round-robin"].schedule(5, TWO, None, {})


def settle(schedule, options, done, withdrawn):
    """What the withdrawals come to: the annulled, and sets of games struck and forfeited."""
    entrants = int(schedule.lineups().max()) + 1
    mask = np.zeros(schedule.count, bool)
    mask[list(done)] = True
    found = settle_plan(Plan.of(schedule, entrants), options, mask, withdrawn)
    return found.annulled, set(found.struck.tolist()), set(found.forfeited.tolist())


def forfeits(schedule, options, done, withdrawn):
    """The results of the forfeited games."""
    plan = Plan.of(schedule, int(schedule.lineups().max()) + 1)
    played = Results.of(random_results(schedule, random.Random(1), done), options.seats)
    found, settlement = counted(plan, options, played, withdrawn)
    rows = np.isin(found.games, settlement.forfeited)
    columns = (found.games, found.seats, found.placing, found.faults)
    for game, seats, placing, codes in zip(*(column[rows].tolist() for column in columns), strict=True):
        faults = [FAULTS[code - 1] if code else None for code in codes]
        yield Result(game, tuple(seats), tuple(placing), tuple(faults))


def first_games(schedule, entrant, count):
    return set(list(schedule.games_of(entrant))[:count])


@pytest.mark.parametrize(("played", "annulled"), [(0, True), (1, True), (2, False), (3, False), (4, False)])
def test_half_of_the_games_is_the_line(played, annulled):
    schedule = five()
    gone, struck, forfeited = settle(schedule, TWO, first_games(schedule, 3, played), {3})
    assert gone == ({3} if annulled else set())
    assert struck == (set(schedule.games_of(3)) if annulled else set())
    assert len(forfeited) == (0 if annulled else 4 - played)


def test_the_rest_is_forfeited_by_the_one_who_left():
    schedule = five()
    found = list(forfeits(schedule, TWO, first_games(schedule, 3, 2), {3}))
    assert len(found) == 2
    for result in found:
        gone = result.seats.index(3)
        assert result.seats == schedule.game(result.game).seats
        assert (result.faults[gone], result.faults[1 - gone]) == ("withdrawn", None)
        assert result.placing[gone] > result.placing[1 - gone]


def test_two_who_left_late_both_lose_their_game():
    schedule = five()
    between = set(schedule.games_of(0)) & set(schedule.games_of(1))
    done = (set(schedule.games_of(0)) | set(schedule.games_of(1))) - between
    (result,) = forfeits(schedule, TWO, done, {0, 1})
    assert {result.game} == between
    rows = table([result], 5, TWO).rows
    assert [(row.score, row.lost_by_forfeit) for row in rows if row.entrant in (0, 1)] == [(0, 1), (0, 1)]


def test_an_annulled_entrant_leaves_no_trace_in_the_scores():
    schedule = five()
    results = list(random_results(schedule, random.Random(2), first_games(schedule, 3, 1)))
    found = table(results, 5, TWO, schedule, {3})
    assert [row.games for row in found.rows] == [0] * 5
    assert (found.rows[-1].entrant, found.rows[-1].decided_by, found.rows[-1].rank) == (3, "annulled", 5)


def test_at_a_table_of_four_the_others_share_the_first_place():
    options = Options(seats=4)
    schedule = FORMATS["round-robin"].schedule(5, options, None, {})
    found = list(forfeits(schedule, options, first_games(schedule, 0, 2), {0}))
    assert len(found) == 2
    for result in found:
        assert [place == 1 for place in result.placing] == [entrant != 0 for entrant in result.seats]


def test_with_rotating_partners_the_rest_is_struck():
    options = Options(4, Partners.ROTATING)
    schedule = FORMATS["round-robin"].schedule(8, options, None, {})
    done = first_games(schedule, 0, 5)
    gone, struck, forfeited = settle(schedule, options, done, {0})
    assert (gone, forfeited) == (set(), set())
    assert struck == set(schedule.games_of(0)) - done


def test_nobody_left_changes_nothing():
    assert settle(five(), TWO, {1, 2}, ()) == (set(), set(), set())


def run(schedule, options, dice, leaving):
    """Play on in a random order with entrants leaving, always starting again from the results alone."""
    results, withdrawn = {}, set()
    while True:
        _, struck, forfeited = settle(schedule, options, set(results), withdrawn)
        settled = struck | forfeited
        waiting = [game for game in range(schedule.count) if game not in settled and game not in results]
        if schedule.complete and not waiting:
            return results, withdrawn
        batch = dice.sample(waiting, min(len(waiting), dice.randint(1, 1 + schedule.count // 4)))
        teams = options.partners is not Partners.NONE
        results |= {result.game: result for result in random_results(schedule, dice, batch, teams)}
        if leaving and dice.random() < 0.3:
            withdrawn.add(leaving.pop())


@pytest.mark.parametrize("entrants", range(2, 65))
def test_random_tournaments_with_withdrawals_come_to_their_end(entrants):
    dice = random.Random(entrants)
    ways = [replace(table, cycles=dice.randint(1, 2), duplicate=dice.random() < 0.2) for table in TABLES]
    for kind, count, options in cases([entrants], options=ways, challengers=(1, 3)):
        schedule = kind.schedule(count, options, SEED, {})
        leaving = dice.sample(range(count), min(3, count - 1))
        results, withdrawn = run(schedule, options, dice, leaving)
        annulled, struck, _ = settle(schedule, options, set(results), withdrawn)
        found = table(results.values(), count, options, schedule, withdrawn)
        assert not found.partial
        assert sorted(row.entrant for row in found.rows) == list(range(count))
        assert {row.entrant for row in found.rows if row.decided_by == "annulled"} == annulled
        for row in found.rows:
            own = set(schedule.games_of(row.entrant)) - struck
            assert row.games == (0 if row.entrant in annulled else len(own))
            assert row.games == row.won + row.drawn + row.lost + row.won_by_forfeit + row.lost_by_forfeit

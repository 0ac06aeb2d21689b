"""The columns of a schedule are its games, for every format and option."""

import pytest

from service.tournaments.plan import Plan
from tests.service.tournaments.test_schedule import schedules


@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 7, 8, 13, 18])
def test_columns_are_the_games(entrants):
    for count, _, schedule in schedules([entrants]):
        plan = Plan.of(schedule, count)
        assert plan.count == schedule.count
        assert [tuple(line) for line in plan.lineups.tolist()] == [
            schedule.game(game).seats for game in range(schedule.count)
        ]
        for entrant in range(count):
            assert plan.games_of(entrant).tolist() == list(schedule.games_of(entrant))

"""The estimate of what is left: by measured lengths, by places, by whoever has most to do."""

import pytest

from service.tournaments.formats import FORMATS
from service.tournaments.outlook import estimate_ms
from service.tournaments.pairing import Options, Partners
from service.tournaments.steps import to_make
from tests.service.tournaments.test_steps import World, two_sided


def estimated(world, lengths, workers=100):
    now = world.situation()
    unmade, _ = to_make(world.plan, world.options, now)
    return estimate_ms(world.plan, unmade, now, lengths, workers)


def test_nothing_is_known_before_the_first_result():
    assert estimated(two_sided(4), {}) is None


@pytest.mark.parametrize(
    ("entrants", "places", "workers", "rounds"),
    [
        (8, 1, 100, 7),  # everyone plays seven games, one after the other
        (8, 7, 100, 1),  # all at once
        (8, 1, 1, 28),  # a single place to play at
        (8, 1, 2, 14),
        (7, 1, 100, 7),  # 21 games, at most 3 at once
    ],
)
def test_games_of_one_length(entrants, places, workers, rounds):
    world = two_sided(entrants, places)
    assert estimated(world, {0: (1, 1000), 1: (1, 1000)}, workers) == pytest.approx(1000 * rounds, rel=0.01)


def test_a_slow_bot_decides():
    assert estimated(two_sided(8), {0: (2, 20_000), 1: (4, 4_000)}) == 7 * 10_000


def test_what_is_done_or_settled_counts_no_more_and_what_is_under_way_counts_half():
    world = two_sided(4)
    lengths = dict.fromkeys(range(4), (1, 1000))
    assert estimated(world, lengths) == 3000
    world.made = dict.fromkeys(world.plan.schedule.games_in(1), "done")
    assert estimated(world, lengths) == 2000
    world.made |= dict.fromkeys(world.plan.schedule.games_in(2), "running")
    assert estimated(world, lengths) == 1500
    world.withdrawn = {0, 1, 2}
    assert estimated(world, lengths) == 500


def test_more_seats_at_a_table_take_more_places():
    world = World.of(FORMATS["round-robin"], 4, Options(seats=4, cycles=2), [1] * 4)
    assert estimated(world, {0: (1, 1000)}) == 2000
    teams = World.of(FORMATS["round-robin"], 4, Options(4, Partners.FIXED), [1] * 4)
    assert estimated(teams, {0: (1, 1000)}) == 3000


def test_who_cannot_play_now_is_taken_to_come_back():
    world = two_sided(4)
    world.places[2] = 0
    assert estimated(world, {0: (1, 1000)}) == pytest.approx(3000, rel=0.01)

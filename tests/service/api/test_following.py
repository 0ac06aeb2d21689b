"""How far a tournament is: the counts and the estimate that a reader gets."""

import pytest

from tests.service.api.test_tournaments import league, play_games, running

__all__ = ["league", "running"]


def read(service, tournament_id):
    return service.nobody.get(f"/v1/tournaments/{tournament_id}").json


def test_nothing_is_said_before_the_start(service, league):
    assert read(service, league["id"])["progress"] is None


def test_counts_and_an_estimate_follow_the_games(service, running):
    started, _ = running
    assert read(service, started["id"])["progress"] == {
        "games_total": 3,
        "games_done": 0,
        "games_settled": 0,
        "running": 0,
        "estimate_ms": None,
    }
    play_games(service, started["id"], 1)
    progress = read(service, started["id"])["progress"]
    assert (progress["games_done"], progress["running"]) == (1, 0)
    assert progress["estimate_ms"] >= 0


def test_games_that_need_no_play_are_counted(service, ada, running):
    started, bots = running
    ada.delete(f"/v1/tournaments/{started['id']}/entrants/{bots[0]}")
    progress = read(service, started["id"])["progress"]
    assert (progress["games_total"], progress["games_settled"]) == (3, 2)


@pytest.mark.parametrize("query", ["", "?state=running"])
def test_lists_leave_it_out(service, running, query):
    for item in service.nobody.get(f"/v1/tournaments{query}").json["items"]:
        assert "progress" not in item

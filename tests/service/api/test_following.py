"""How far a tournament is: the counts and the estimate that a reader gets."""

import pytest

from service.due import Desk, do_due
from tests.service.api.conftest import problem
from tests.service.api.playing import now_ms
from tests.service.api.test_tournaments import enter, league, make, play_games, running
from tests.service.test_due import NOBODY

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


def test_it_starts_by_itself_at_its_time(service, ada, monkeypatch):
    monkeypatch.setattr("service.api.tournaments.SOON_MS", 0)
    league = make(ada, start_at="2020-01-01T00:00:00Z")
    for _ in range(3):
        assert enter(ada, league, service.bot(service.somebody())["id"]).status_code == 201
    do_due(Desk(service.store, NOBODY, service.settings, now_ms()))
    assert read(service, league["id"])["state"] == "running"


def test_a_time_to_start_can_be_set_later(service, ada, league, monkeypatch):
    monkeypatch.setattr("service.api.tournaments.SOON_MS", 0)
    for _ in range(2):
        enter(ada, league, service.bot(service.somebody())["id"])
    path = f"/v1/tournaments/{league['id']}"
    assert ada.patch(path, json={"start_at": "2020-01-01T00:00:00Z"}).status_code == 200
    do_due(Desk(service.store, NOBODY, service.settings, now_ms()))
    assert read(service, league["id"])["state"] == "running"


def test_entry_closes_at_its_time_for_all_but_the_host(service, ada, bob):
    league = make(ada, entries_close_at="2020-01-01T00:00:00Z")
    ada.post(f"/v1/tournaments/{league['id']}/open")
    bot = service.bot(bob)["id"]
    assert problem(enter(bob, league, bot)) == (409, "entry-closed")
    assert enter(ada, league, bot).status_code == 201

"""Delayed work: tournaments that start at their time, or are cancelled if they cannot be played."""

import pytest

from service.config import Settings
from service.due import Desk, do_due
from service.jobs import Jobs
from service.models import BotState, TournamentState
from service.store.owners import now_ms
from tests.service.venue import a_tournament, an_entrant

NOBODY = Jobs.at("redis://127.0.0.1:1")  # nothing is to be asked of it


def waiting(venue, entrants, start_in_ms, **settings):
    """A tournament that is to start by itself."""
    at = now_ms() + start_in_ms
    contest = venue.store.tournaments.create(a_tournament(start_at=at, **settings))
    for bot in venue.bots(entrants):
        venue.store.tournaments.enter(contest.id, an_entrant(bot), 100)
    venue.store.due.add("start", {"tournament": contest.id}, at)
    return contest


def do(venue, **settings):
    return do_due(Desk(venue.store, NOBODY, Settings(**settings), now_ms()))


def state(venue, contest):
    return venue.store.tournaments.get(contest.id).state


def test_a_tournament_starts_at_its_time_and_not_before(venue):
    late, due = waiting(venue, 3, 60_000), waiting(venue, 3, -5)
    assert do(venue) == 1
    assert (state(venue, late), state(venue, due)) == (TournamentState.OPEN, TournamentState.RUNNING)
    assert venue.play_out(due).games_done == 3
    assert do(venue) == 0


def test_a_start_that_was_put_off_waits(venue):
    contest = waiting(venue, 3, -5)
    settings = {**venue.store.tournaments.get(contest.id).settings, "start_at": now_ms() + 60_000}
    venue.store.tournaments.update(contest.id, {"settings": settings})
    assert do(venue) == 1
    assert state(venue, contest) is TournamentState.OPEN
    assert do(venue) == 0
    settings["start_at"] = None
    venue.store.tournaments.update(contest.id, {"settings": settings})
    venue.store.due.add("start", {"tournament": contest.id}, 0)
    assert (do(venue), do(venue)) == (1, 0)
    assert state(venue, contest) is TournamentState.OPEN


@pytest.mark.parametrize(
    ("entrants", "settings", "reason"),
    [(1, {}, "at least two entrants"), (6, {"games_per_tournament": 5}, "has 15 games")],
)
def test_what_cannot_be_played_is_cancelled_with_the_reason(venue, entrants, settings, reason):
    contest = waiting(venue, entrants, -5)
    do(venue, **settings)
    found = venue.store.tournaments.get(contest.id)
    assert found.state is TournamentState.CANCELLED
    assert reason in found.state_reason


def test_bots_that_were_retired_do_not_count(venue):
    contest = waiting(venue, 2, -5)
    gone = venue.store.tournaments.get(contest.id).entrants[0]["bot"]
    venue.store.bots.set_state(gone, BotState.RETIRED)
    do(venue)
    assert state(venue, contest) is TournamentState.CANCELLED


def test_one_that_was_started_by_hand_is_left_alone(venue):
    contest = waiting(venue, 3, -5)
    venue.store.tournaments.start(contest.id, 3)
    venue.store.tournaments.set_state(contest.id, TournamentState.PAUSED)
    assert (do(venue), do(venue)) == (1, 0)
    assert state(venue, contest) is TournamentState.PAUSED


def test_work_on_what_is_gone_or_unknown_harms_nothing(venue):
    venue.store.due.add("start", {"tournament": "t_quixo_0000000000000000"}, 0)
    venue.store.due.add("something newer", {}, 0)
    contest = waiting(venue, 3, -5)
    assert do(venue) == 3
    assert state(venue, contest) is TournamentState.RUNNING
    assert do(venue) == 0, "what is unknown comes again in a minute, for whoever knows it"

"""The short forms of the store's durability proofs; the long ones are `./run chaos store_…`."""

import pytest

from tests.chaos import (
    store_aof,
    store_away,
    store_duplicates,
    store_idempotency,
    store_kill,
    store_zombies,
)
from tests.conftest import SERVERS, new_server


@pytest.fixture(params=SERVERS)
def own_server(request, tmp_path):
    """A server of this test's own, to be killed and paused."""
    server = new_server(request.param, tmp_path / "data").start()
    yield server
    server.stop()


@pytest.mark.parametrize("kind", SERVERS)
def test_a_cut_file_has_nothing_half_applied(kind, tmp_path):
    new_server(kind, tmp_path)  # skips where there is none
    assert store_aof.run(kind, tmp_path, cuts=5, matches=30) == []


def test_a_killed_redis_loses_nothing_confirmed(own_server):
    outcome = store_kill.run(own_server, kills=2, matches=250)
    assert (outcome.lost, outcome.wrong, outcome.unfinished) == ([], [], 0)
    assert outcome.confirmed == 250


def test_five_hints_for_each_match_are_one(redis_server):
    outcome = store_duplicates.run(redis_server.url, matches=40)
    assert (outcome.applied, outcome.entries, outcome.wrong) == (40, 40, [])


def test_a_woken_worker_writes_nothing(redis_server):
    assert store_zombies.run(redis_server.url, times=1) == (1, [])


def test_racing_requests_with_one_key_make_one_match(redis_server):
    outcome = store_idempotency.run(redis_server.url, keys=25)
    assert (outcome.made, outcome.split, outcome.wrong_payloads) == (25, 0, 0)


@pytest.mark.parametrize("gone", [False, True])
def test_redis_away_is_named_in_time_and_forgotten_soon(own_server, gone):
    outcome = store_away.run(own_server, 1.0, gone)
    assert outcome.wrong == []
    assert outcome.refused > 0
    assert outcome.slowest_s <= store_away.SLOWEST_S
    assert outcome.well_after_s <= store_away.WELL_WITHIN_S

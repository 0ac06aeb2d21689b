"""The short forms of the chaos proofs, on the embedded server and on Debian's redis-server."""

import os

import pytest

from tests.chaos import coordinator, redis_away, replays, workers
from tests.servers import redis_server_binary

PROOFS = {
    "killed": workers.SHORT[0],
    "frozen": workers.SHORT[1],
    "five messages each": workers.SHORT[2],
    "broker emptied": workers.SHORT[3],
    "stopped": workers.SHORT[4],
    "not swept": workers.SHORT[5],
    "coordinator killed": coordinator.SHORT[0],
    "redis paused": redis_away.SHORT[0],
    "redis killed": redis_away.SHORT[1],
    "redis full": redis_away.SHORT[2],
}
SERVERS = ["embedded", pytest.param("redis-server", marks=pytest.mark.redis_server)]


@pytest.mark.chaos
@pytest.mark.timeout(300)
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("name", PROOFS)
def test_nothing_is_lost_and_nothing_counts_twice(name, server):
    if server == "redis-server" and redis_server_binary() is None:
        assert not os.environ.get("CI"), "CI must have redis-server: apt install redis-server"
        pytest.skip("no redis-server on this machine")
    missed = [row for row in PROOFS[name](server) if not row.ok]
    assert missed == []


@pytest.mark.chaos
@pytest.mark.timeout(300)
def test_replays_are_the_same_bit_by_bit():
    assert [row for row in replays.run_all(60) if not row.ok] == []

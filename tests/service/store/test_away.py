"""Redis away, slow, full or read-only: the cause is named, nothing is half done, repeats count once."""

import threading
import time

import pytest

from service.errors import Unavailable
from service.models import Written
from service.store import Store
from tests.conftest import SERVERS, new_server
from tests.service.store.make import a_bot, a_match, claimed, move, started


@pytest.fixture(params=SERVERS)
def server(request, tmp_path):
    server = new_server(request.param, tmp_path).start()
    yield server
    server.stop()


@pytest.fixture
def quick(server):
    """A store that gives up after half a second or so."""
    return Store.connect(server.url, timeout_s=0.25, retries=1, connections=4)


def pair_of(store):
    return store.bots.create(a_bot("a", concurrency=9)), store.bots.create(a_bot("b", concurrency=9))


def test_the_cause_is_named(server, quick):
    quick.ping()
    server.pause()
    with pytest.raises(Unavailable, match="did not answer in time") as caught:
        quick.ping()
    assert caught.value.retry_after_s >= 1
    server.kill()
    with pytest.raises(Unavailable, match="cannot be reached"):
        quick.ping()
    server.start()
    quick.ping()


def test_a_write_that_was_carried_out_unheard_counts_once(server):
    """The answer is lost, redis-py repeats the call, and the repetition reads as already applied."""
    patient = Store.connect(server.url, timeout_s=0.3, retries=6)
    claim = claimed(patient, a_match(*pair_of(patient)))
    patient.matches.append(claim, 1, [started()])
    server.pause()
    timer = threading.Timer(0.6, server.go_on)  # the first try and its repetitions wait in the socket by then
    timer.start()
    assert patient.matches.append(claim, 2, [move(0)]) in (Written.APPLIED, Written.ALREADY)
    timer.join()
    assert patient.matches.append(claim, 2, [move(0)]) is Written.ALREADY
    assert len(patient.matches.events(claim.match.id)) == 2


def test_scripts_are_sent_again_to_a_server_that_was_restarted(server, quick):
    claim = claimed(quick, a_match(*pair_of(quick)))
    server.restart()
    assert quick.matches.append(claim, 1, [started()]) is Written.APPLIED
    assert quick.matches.release(claim) is Written.APPLIED


def test_waiting_for_a_connection_is_bounded(server):
    few = Store.connect(server.url, timeout_s=0.3, retries=0, connections=2)
    few.ping()
    server.pause()
    refused: list[float] = []

    def ask() -> None:
        begun = time.monotonic()
        with pytest.raises(Unavailable):
            few.ping()
        refused.append(time.monotonic() - begun)

    askers = [threading.Thread(target=ask) for _ in range(12)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(10)
    assert len(refused) == 12
    assert max(refused) < 2
    server.go_on()


def _create_without_end(store, bots) -> None:
    while True:
        store.matches.create(a_match(*bots))


def test_a_full_redis_refuses_and_does_nothing_by_halves(server, quick):
    bots = pair_of(quick)
    claim = claimed(quick, a_match(*bots))
    with server.client() as client:
        client.config_set("maxmemory", client.info("memory")["used_memory"] + 200_000)
        with pytest.raises(Unavailable, match="Redis is full") as caught:
            _create_without_end(quick, bots)
        assert len(quick.matches.list(limit=20).items) > 10
        assert caught.value.retry_after_s >= 1
        with pytest.raises(Unavailable, match="Redis is full"):
            quick.matches.append(claim, 1, [started()])
        assert quick.matches.get(claim.match.id).plies == 0  # reading goes on
        client.config_set("maxmemory", 0)
    assert quick.matches.append(claim, 1, [started()]) is Written.APPLIED
    quick.sweep.mend()
    assert quick.sweep.mend() == {}
    assert list(quick.audit.differences("quixo")) == []


def test_a_replica_is_told_apart(server, quick):
    with server.client() as client:
        client.replicaof("127.0.0.1", "9")
        with pytest.raises(Unavailable, match="read-only"):
            quick.bots.create(a_bot("a"))
        client.replicaof("NO", "ONE")
    quick.bots.create(a_bot("a"))

"""Leases as a worker keeps them: renewed while a step keeps its time, and for the newest claim only."""

import threading
import time

import pytest

from service.store import Store
from tests.service.store.make import a_bot, a_match, claimed
from workers.leases import Leases

LEASE_MS = 900


@pytest.fixture
def store(redis_url):
    opened = Store.connect(redis_url)
    yield opened
    opened.close()


@pytest.fixture
def leases(store):
    kept = Leases(store, LEASE_MS)
    kept.start()
    yield kept
    kept.stop()


@pytest.fixture
def claim(store):
    bots = store.bots.create(a_bot("a")), store.bots.create(a_bot("b", owner="o_2"))
    return claimed(store, a_match(*bots))


def claimed_anew(store, claim, worker="w"):
    return store.matches.claim(claim.match.id, worker, LEASE_MS)


def test_a_lease_is_renewed_for_as_long_as_the_step_may_take(store, leases, claim):
    store.matches.renew([claim], LEASE_MS)
    with leases.holding(claim, lambda: None) as held:
        held.deadline = time.monotonic() + 60
        time.sleep(1.5 * LEASE_MS / 1000)
        assert claimed_anew(store, claim) is None
        held.deadline = time.monotonic()
        time.sleep(1.5 * LEASE_MS / 1000)
        assert claimed_anew(store, claim) is not None, "a runner that hangs loses its match"


def test_a_match_that_is_lost_is_aborted(store, leases, claim):
    aborted = threading.Event()
    with leases.holding(claim, aborted.set) as held:
        held.deadline = time.monotonic() + 60
        store.db.run("HINCRBY", f"{{quixo}}:match:{claim.match.id}", "fence", 1)
        assert aborted.wait(5)
        assert held.lost


def test_a_worker_that_claims_its_own_lost_match_again_keeps_the_new_claim(store, leases, claim):
    """It was frozen, or a step hung: the old step ends at once and takes nothing with it."""
    aborted = threading.Event()
    with leases.holding(claim, aborted.set) as old:
        store.db.run("ZADD", "{quixo}:leases", 1, claim.match.id)
        again = claimed_anew(store, claim)
        assert again is not None
        new = leases.holding(again, lambda: None)
        held = new.__enter__()
        held.deadline = time.monotonic() + 60
        assert aborted.is_set()
        assert old.lost
    assert leases.count == 1
    time.sleep(1.5 * LEASE_MS / 1000)
    assert claimed_anew(store, claim) is None, "it is still renewed"
    new.__exit__(None, None, None)
    assert leases.count == 0

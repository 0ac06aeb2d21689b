"""What an operator sees and sets: counts, what is wrong with the server, retention."""

import time

import pytest

from service.ids import at_time
from service.models import MatchState
from service.store import Store
from service.store.operator import _problems
from service.store.retention import Kept
from tests.conftest import new_server
from tests.service.store.make import a_bot, a_match, claimed, played, workers_there

DAY_MS = 24 * 3600 * 1000


def old_match(days: float, *bots, **changes):
    """A match that was made so many days ago."""
    made = time.time_ns() // 1_000_000 - int(days * DAY_MS)
    fresh = a_match(*bots, **changes)
    return a_match(*bots, **changes, id=f"m_{fresh.game}_{at_time(made)}{fresh.id[-7:]}")


def test_info_counts(store):
    a, b = store.bots.create(a_bot("a", concurrency=9)), store.bots.create(a_bot("b", concurrency=9))
    played(store, a_match(a, b), 1, 2)
    claimed(store, a_match(a, b))
    store.matches.create([a_match(a, b, ladder="quixo"), a_match(a, b)])
    info = store.info()
    assert {name: info[name] for name in ("matches", "queued", "running", "waiting", "reserved")} == {
        "matches": 4,
        "queued": 2,
        "running": 1,
        "waiting": 2,
        "reserved": 1,
    }
    assert (info["ledger_entries"], info["outbox"], info["held"], info["unfolded"]) == (1, 3, 0, 0)
    assert info["keys"] > 0
    assert info["memory_bytes"] > 0


def test_a_good_server_has_no_complaints(store):
    assert store.operator.selfcheck() == ()


@pytest.mark.parametrize(
    ("setting", "value", "complaint"),
    [
        ("appendonly", "no", "append-only"),
        ("appendfsync", "no", "appendfsync"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
        ("maxclients", "100", "connections"),
    ],
)
def test_a_bad_server_is_told_of(tmp_path, setting, value, complaint):
    server = new_server("embedded", tmp_path, **{setting: value}).start()
    try:
        (found,) = Store.connect(server.url).operator.selfcheck()
        assert complaint in found
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("version", "skew_ms", "complaint"),
    [
        ("7.0.0", 999, None),
        ("8.1", -0.0, None),
        ("6.2.14", 0, "6.2.14"),
        ("7.2.4", 1_001, "differ by 1001 ms"),
    ],
)
def test_an_old_server_and_a_clock_that_is_off_are_told_of(store, version, skew_ms, complaint):
    server = store.db.run("INFO") | {"redis_version": version}
    found = list(_problems(server, {}, skew_ms))
    assert [complaint in problem for problem in found] == [True] * (complaint is not None)


def test_nothing_is_deleted_unless_it_is_asked_for(store):
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    played(store, old_match(5000, a, b), 1, 2)
    assert store.retention.apply(Kept()) == 0
    assert len(store.matches.list().items) == 1


def test_records_are_deleted_first_and_matches_later(store):
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    matches = [old_match(days, a, b) for days in (100, 40, 1)]
    for match in matches:
        played(store, match, 1, 2)
    before = store.ratings.table("quixo")
    while store.retention.apply(Kept(records_days=30, matches_days=90)):
        pass
    assert [m.id for m in store.matches.list().items] == [matches[2].id, matches[1].id]
    assert [bool(store.matches.record(m.id)) for m in matches[1:]] == [False, True]
    assert store.ratings.table("quixo") == before
    assert [c.match for c in store.ratings.history("quixo", a.id).items] == [m.id for m in matches[::-1]]
    assert list(store.audit.differences("quixo")) == []


def test_a_tournament_match_leaves_all_its_lists(store):
    from tests.service.store.test_tournaments import running

    contest, (a, b, _) = running(store)
    match = old_match(100, a, b, tournament=contest.id, pairing=0, round=1)
    played(store, match, 1, 2)
    store.retention.apply(Kept(matches_days=1))
    assert store.tournaments.get(contest.id).games_done == 1
    assert list(store.audit.differences("quixo")) == []
    keys = store.db.run("KEYS", f"*{match.id}*")
    assert keys == []


def test_what_is_not_over_is_never_deleted(store):
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    held = old_match(100, a, b)
    store.matches.hold(claimed(store, held), "x")
    store.matches.create(old_match(99, a, b))
    while store.retention.apply(Kept(1, 1)):
        pass
    states = {match.state for match in store.matches.list().items}
    assert states == {MatchState.HELD, MatchState.QUEUED}
    workers_there(store)


def test_keys_are_bounded_by_what_is_kept(redis_url):
    """A finished match leaves two keys of its own: itself and its record (D6)."""
    store = Store.connect(redis_url)
    a, b = store.bots.create(a_bot("a")), store.bots.create(a_bot("b"))
    for _ in range(5):
        played(store, a_match(a, b), 1, 2)
    before = store.info()["keys"]
    for _ in range(50):
        played(store, a_match(a, b), 1, 2)
    assert store.info()["keys"] - before == 2 * 50

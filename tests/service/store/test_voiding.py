"""Voids, the ledger's chain, and the audit: everything that follows from the ledger can be made anew."""

import hashlib
import random
import threading

import pytest

from engines.protocol import canonical
from service import elo
from service.errors import Conflict
from service.models import MatchState, Written
from service.store import Store
from service.store.generations import Generations
from service.store.voiding import Voiding
from tests.service.store.make import LEASE_MS, a_bot, a_match, claimed, finish, move, played, started
from tests.service.store.test_tournaments import game, running


@pytest.fixture
def crowd(store):
    return [store.bots.create(a_bot(f"bot {i}", owner=f"o_{i}")) for i in range(4)]


def differences(store: Store, ladder: str = "quixo") -> list:
    return list(store.audit.differences(ladder))


def table(store: Store) -> dict[str, tuple[int, int]]:
    return {r.bot: (r.rating, r.games) for r in store.ratings.table("quixo").items}


def test_the_ledger_is_a_chain(store, crowd):
    for _ in range(4):
        played(store, a_match(*crowd[:2]), 1, 2)
    chain = bytes(32)
    for entry in store.ledger.entries("quixo"):
        digest = hashlib.sha256(canonical(entry.payload)).digest()
        chain = hashlib.sha256(chain + digest).digest()
        assert entry.chain == chain.hex()
    assert [e.id for e in store.ledger.entries("quixo", after=1, limit=2)] == [2, 3]
    assert store.ledger.length("quixo") == 4


def test_a_void_leaves_no_trace_in_the_ratings(store, crowd):
    a, b, c, _ = crowd
    first, wrong, last = a_match(a, b), a_match(b, c), a_match(c, a)
    for match in (first, wrong, last):
        played(store, match, 1, 2)
    after = store.matches.void(wrong.id, "played under wrong rules", "o_admin")
    assert (after.state, after.state_reason) == (MatchState.VOID, "played under wrong rules")
    ratings = {bot.id: elo.START for bot in (a, b, c)}
    for x, y in ((a, b), (c, a)):
        change = elo.changes([ratings[x.id], ratings[y.id]], [0, 0], [1, 2])
        ratings[x.id] += change[0]
        ratings[y.id] += change[1]
    assert {bot: rating for bot, (rating, _) in table(store).items()} == ratings
    assert store.ratings.history("quixo", b.id).total == 1
    entry = store.ledger.entries("quixo")[-1].payload
    assert (entry["kind"], entry["match"], entry["voids"], entry["by"]) == ("void", wrong.id, 2, "o_admin")
    assert differences(store) == []
    played(store, a_match(a, b), 1, 1)  # by a writer that still knows the generation before
    assert differences(store) == []
    assert store.matches.void(wrong.id, "again", "o_admin").state_reason == "played under wrong rules"
    assert store.ledger.length("quixo") == 5


def test_voiding_an_unrated_match_folds_nothing_anew(store, crowd):
    match = a_match(*crowd[:2], rated=False, unrated_reason="asked for")
    played(store, match, 1, 2)
    store.matches.void(match.id, "why not", "o_1")
    assert store.db.run("GET", "{quixo}:generation") is None
    assert differences(store) == []


@pytest.mark.parametrize("state", ["queued", "running", "held"])
def test_what_is_not_finished_can_be_voided(store, crowd, state):
    match = a_match(*crowd[:2])
    claim = claimed(store, match)
    if state == "queued":
        match = a_match(*crowd[:2])
        store.matches.create(match)
    else:
        store.matches.append(claim, 1, [started()])
    if state == "held":
        store.matches.hold(claim, "x")
    assert store.matches.void(match.id, "an upgrade", "o_1").state is MatchState.VOID
    if state == "running":
        assert store.matches.append(claim, 2, [move(0)]) is Written.FENCED
        assert finish(store, claim, 1, 2) is Written.FENCED
        assert store.matches.record(match.id) == [started()]
    assert store.matches.claim(match.id, "w", LEASE_MS) is None
    assert differences(store) == []
    assert store.sweep.mend() == {}


def test_a_cancelled_match_cannot_be_voided(store, crowd):
    match = a_match(*crowd[:2])
    store.matches.create(match)
    store.matches.cancel(match.id)
    with pytest.raises(Conflict):
        store.matches.void(match.id, "x", "o_1")


def test_results_that_come_in_during_a_void_are_kept(redis_url):
    """Finishes and voids race on one ladder; afterwards the ratings equal the fold of the ledger."""
    store = Store.connect(redis_url)
    crowd = [store.bots.create(a_bot(f"bot {i}", concurrency=500)) for i in range(4)]
    rng = random.Random(3)
    done = [a_match(*rng.sample(crowd, 2)) for _ in range(120)]
    for match in done:
        played(store, match, *rng.choice([(1, 2), (2, 1), (1, 1)]))
    later = [claimed(store, a_match(*rng.sample(crowd, 2))) for _ in range(120)]

    def finish_all(claims):
        own = Store.connect(redis_url)
        for claim in claims:
            assert finish(own, claim, 1, 2) is Written.APPLIED

    writers = [threading.Thread(target=finish_all, args=(later[i::2],)) for i in range(2)]
    for writer in writers:
        writer.start()
    for match in rng.sample(done, 12):
        store.matches.void(match.id, "x", "o_1")
    for writer in writers:
        writer.join()
    assert store.ledger.length("quixo") == 120 + 120 + 12
    assert sum(games for _, games in table(store).values()) == 2 * (240 - 12)
    assert differences(store) == []


def test_a_fold_that_is_behind_is_not_swapped_in(store, crowd):
    wrong = a_match(*crowd[:2])
    played(store, wrong, 1, 2)
    generations = Generations(store.db, store.ledger)
    behind = generations.begin("quixo", frozenset({wrong.id}))
    played(store, a_match(*crowd[1:3]), 1, 2)
    match = store.matches.get(wrong.id)
    voiding = Voiding(store.db, generations)
    assert voiding.attempt(match, "x", "o_1", behind) == "behind"
    assert differences(store) == []
    generations.catch_up(behind)
    assert voiding.attempt(match, "x", "o_1", behind) == "void"
    assert differences(store) == []


def test_a_late_result_of_a_replaced_match_does_not_count(store):
    """A pairing whose match was voided and made anew takes the new match's result only."""
    contest, (a, b, _) = running(store)
    match = game(contest, 0, a, b)
    claim = claimed(store, match)
    store.matches.append(claim, 1, [started()])
    store.db.run("HSET", f"{{quixo}}:games:{contest.id}", 0, "m_quixo_another")  # it was made anew
    finish(store, claim, 1, 2)
    assert store.tournaments.results(contest.id) == ()


def test_old_generations_are_dropped(store, crowd, monkeypatch):
    match = a_match(*crowd[:2])
    played(store, match, 1, 2)
    store.matches.void(match.id, "x", "o_1")
    assert store.db.run("EXISTS", "{quixo}:g0:table") == 1
    store.db.run("ZADD", "{quixo}:generations", 1, 0)
    assert store.sweep.mend() == {"generations": 1}
    assert store.db.run("KEYS", "{quixo}:g0:*") == []
    assert differences(store) == []


def bend_rating(store: Store, crowd, matches) -> str:
    store.db.run("HSET", f"{{quixo}}:g0:rating:{crowd[0].id}", "v:1", "1700000 1 1 0 0")
    return "rating"


def bend_table(store: Store, crowd, matches) -> str:
    store.db.run("ZADD", "{quixo}:g0:table", 5, crowd[0].id)
    return "ladder table"


def bend_history(store: Store, crowd, matches) -> str:
    store.db.run("RPUSH", f"{{quixo}}:g0:history:{crowd[0].id}", "9 1 2 1 1")
    return "rating history"


def bend_ledger(store: Store, crowd, matches) -> str:
    first = store.db.run("XRANGE", "{quixo}:ledger", "-", "+")[0]
    store.db.run("XADD", "{quixo}:ledger", "99-0", "e", first[1]["e"], "h", first[1]["h"])
    return "ledger chain"


def bend_result(store: Store, crowd, matches) -> str:
    found = store.db.run("HGET", f"{{quixo}}:match:{matches[0].id}", "result")
    store.db.run("HSET", f"{{quixo}}:match:{matches[0].id}", "result", found.replace("[1,2]", "[2,1]"))
    return "ledger entry"


def bend_record(store: Store, crowd, matches) -> str:
    from service.store.archive import RedisArchive
    from service.store.match_codec import event_text

    archive = RedisArchive(store.db)
    events = archive.get(matches[0].id)
    archive.put(matches[0].id, list(map(event_text, [{**events[0], "nonces": ["ff", ""]}, *events[1:]])))
    return "record chain"


def bend_state(store: Store, crowd, matches) -> str:
    store.db.run("ZADD", "{quixo}:queued", 0, matches[0].id)
    return "set of queued matches"


@pytest.mark.parametrize(
    "bend", [bend_rating, bend_table, bend_history, bend_ledger, bend_result, bend_record, bend_state]
)
def test_the_audit_finds_what_was_changed(store, crowd, bend):
    matches = [a_match(*crowd[:2]), a_match(*crowd[1:3])]
    for match in matches:
        played(store, match, 1, 2)
    assert differences(store) == []
    assert bend(store, crowd, matches) in {difference.what for difference in differences(store)}


@pytest.mark.parametrize("bend", [bend_rating, bend_table, bend_history])
def test_what_is_derived_is_repaired(store, crowd, bend):
    matches = [a_match(*crowd[:2]), a_match(*crowd[1:3])]
    for match in matches:
        played(store, match, 1, 2)
    right = table(store)
    bend(store, crowd, matches)
    assert "folded anew" in store.audit.repair("quixo")[0]
    assert differences(store) == []
    assert table(store) == right

"""A match from its creation to its record."""

from dataclasses import replace

import pytest

from service.errors import Conflict, NotFound, Refused
from service.models import MatchState, Written
from service.store import MatchFilter, Once, Store
from service.store.running import CLAIMS_WITHOUT_PROGRESS, FAILURES_TO_HOLD
from tests.service.store.make import (
    LEASE_MS,
    a_bot,
    a_match,
    claimed,
    finish,
    finished,
    head_of,
    move,
    played,
    result_of,
    started,
    workers_there,
)


@pytest.fixture
def pair(store):
    return store.bots.create(a_bot("a")), store.bots.create(a_bot("b", owner="o_2"))


def expire(store: Store, match) -> None:
    """Let a match's lease run out now."""
    store.db.run("ZADD", f"{{{match.game}}}:leases", 1, match.id)


def test_a_match_is_kept_as_it_is(store, pair):
    match = a_match(*pair, options={"b": 1, "a": True}, unrated_reason=None, private=True)
    assert store.matches.create(match) == [match]
    assert store.matches.get(match.id) == match
    assert store.matches.get_many([match.id, a_match(*pair).id]) == [match, None]


@pytest.mark.parametrize("wrong", ["m_chess_0000000000000000", "nonsense", "m_quixo_zzzzzzzzzzzzzzzz"])
def test_what_is_no_match_is_not_found(store, wrong):
    for ask in (store.matches.get, store.matches.events, store.matches.record, store.matches.cancel):
        with pytest.raises(NotFound):
            ask(wrong)
    with pytest.raises(NotFound):
        store.matches.void(wrong, "why", "o_1")


def test_a_match_is_claimed_by_one(store, pair):
    match = a_match(*pair)
    claim = claimed(store, match)
    assert claim.match == replace(match, state=MatchState.RUNNING)
    assert (claim.fence, claim.events) == (1, ())
    assert store.matches.claim(match.id, "other", LEASE_MS) is None


def test_a_match_without_its_places_is_not_claimed(store, pair):
    """F3: the hint is nothing without the reservation."""
    match = a_match(*pair)
    store.matches.create(match)
    assert store.matches.claim(match.id, "w", LEASE_MS) is None
    workers_there(store)
    assert store.schedule.ready(5) == [match.id]
    assert store.matches.claim(match.id, "w", LEASE_MS) is not None


def test_an_append_is_applied_once(store, pair):
    claim = claimed(store, a_match(*pair))
    assert store.matches.append(claim, 1, [started()]) is Written.APPLIED
    assert store.matches.append(claim, 1, [started()]) is Written.ALREADY
    batch = [move(0), {"type": "forced", "turn": 1, "seat": 1, "move": "c1N", "by": "forced"}]
    assert store.matches.append(claim, 2, batch) is Written.APPLIED
    assert store.matches.append(claim, 2, batch) is Written.ALREADY
    assert store.matches.append(claim, 2, [move(0, charged_us=5), batch[1]]) is Written.FENCED
    assert store.matches.append(claim, 2, [*batch, move(2)]) is Written.FENCED
    assert store.matches.append(claim, 5, [move(2)]) is Written.FENCED
    match = store.matches.get(claim.match.id)
    assert (match.plies, match.started_at) == (2, started()["at"])
    assert store.matches.events(match.id) == [(1, started()), (2, batch[0]), (3, batch[1])]
    assert store.matches.events(match.id, after=1, limit=1) == [(2, batch[0])]


def test_a_match_goes_on_where_its_events_end(store, pair):
    claim = claimed(store, a_match(*pair))
    store.matches.append(claim, 1, [started()])
    store.matches.append(claim, 2, [move(0)])
    expire(store, claim.match)
    again = store.matches.claim(claim.match.id, "other", LEASE_MS)
    assert again is not None
    assert (again.fence, again.events) == (2, (started(), move(0)))
    for late in (
        store.matches.append(claim, 3, [move(1, seat=1)]),
        store.matches.append(claim, 2, [move(0)]),
        store.matches.release(claim),
        store.matches.failed(claim, "x"),
        finish(store, claim, 1, 2),
    ):
        assert late is Written.FENCED
    assert store.matches.renew([claim], LEASE_MS) == [claim.match.id]
    assert store.matches.renew([again], LEASE_MS) == []
    assert store.matches.append(again, 2, [move(0)]) is Written.FENCED  # that was the other fence's
    assert store.matches.append(again, 3, [move(1, seat=1)]) is Written.APPLIED


def test_another_epoch_fences(store, pair):
    claim = claimed(store, a_match(*pair))
    store.operator.new_epoch()
    assert store.matches.append(claim, 1, [started()]) is Written.FENCED
    assert store.matches.renew([claim], LEASE_MS) == [claim.match.id]


def test_a_claim_that_a_power_loss_has_undone_stays_undone(store, pair):
    """D5: the last claim is lost with the file's tail; the next one gets its fence, but not its rights."""
    claim = claimed(store, a_match(*pair))
    store.matches.append(claim, 1, [started()])
    key = f"{{quixo}}:match:{claim.match.id}"
    store.db.run("HSET", key, "fence", 0, "next", 1)
    store.db.run("DEL", f"{{quixo}}:events:{claim.match.id}")
    expire(store, claim.match)
    again = store.matches.claim(claim.match.id, "other", LEASE_MS)
    assert again is not None
    assert (again.fence, again.events) == (claim.fence, ())
    assert store.matches.append(claim, 1, [started()]) is Written.FENCED
    assert store.matches.append(again, 1, [started()]) is Written.APPLIED


def test_a_lease_far_ahead_has_run_out(store, pair):
    """The clock was set back: D3."""
    claim = claimed(store, a_match(*pair))
    seconds, _ = store.db.run("TIME")
    store.db.run("ZADD", "{quixo}:leases", int(seconds) * 1000 + 10 * LEASE_MS, claim.match.id)
    assert store.sweep.hints() == [claim.match.id]
    assert store.matches.claim(claim.match.id, "other", LEASE_MS) is not None


def test_renewing_keeps_a_lease_and_appending_too(store, pair):
    claim = claimed(store, a_match(*pair))
    for keep in (
        lambda: store.matches.renew([claim], LEASE_MS),
        lambda: store.matches.append(claim, 1, [started()]),
    ):
        expire(store, claim.match)
        keep()
        assert store.matches.claim(claim.match.id, "other", LEASE_MS) is None


def test_a_released_match_is_claimed_at_once(store, pair):
    claim = claimed(store, a_match(*pair))
    store.matches.append(claim, 1, [started()])
    assert store.matches.release(claim) is Written.APPLIED
    assert store.matches.release(claim) is Written.ALREADY
    assert store.matches.append(claim, 2, [move(0)]) is Written.FENCED
    assert store.sweep.hints() == [claim.match.id]
    assert store.matches.claim(claim.match.id, "other", LEASE_MS) is not None


def test_failures_in_a_row_hold_a_match(store, pair):
    match = a_match(*pair)
    claim = claimed(store, match)
    for count in range(FAILURES_TO_HOLD):
        assert claim is not None, count
        store.matches.failed(claim, "KeyError: 'x'")
        expire(store, match)
        claim = store.matches.claim(match.id, "w", LEASE_MS)
    assert claim is None
    found = store.matches.get(match.id)
    assert (found.state, found.state_reason) == (MatchState.HELD, "KeyError: 'x'")
    assert store.matches.list(MatchFilter(state=MatchState.HELD)).items == (found,)
    assert store.schedule.open_matches(pair[0].id) == 0


def test_progress_forgets_failures(store, pair):
    match = a_match(*pair)
    claim = claimed(store, match)
    for ply in range(2 * FAILURES_TO_HOLD):
        store.matches.append(claim, ply + 1, [move(ply) if ply else started()])
        store.matches.failed(claim, "again")
        expire(store, match)
        claim = store.matches.claim(match.id, "w", LEASE_MS)
        assert claim is not None


def test_a_match_that_kills_its_workers_is_held(store, pair):
    match = a_match(*pair)
    claimed(store, match)
    for _ in range(CLAIMS_WITHOUT_PROGRESS):
        expire(store, match)
        store.matches.claim(match.id, "w", LEASE_MS)
    found = store.matches.get(match.id)
    assert found.state is MatchState.HELD
    assert "made no progress" in (found.state_reason or "")


def test_a_held_match_is_resumed_by_the_operator(store, pair):
    claim = claimed(store, a_match(*pair))
    store.matches.append(claim, 1, [started()])
    store.matches.hold(claim, "rules of another version")
    with pytest.raises(Conflict):
        store.matches.cancel(claim.match.id)
    assert store.matches.resume(claim.match.id).state is MatchState.QUEUED
    assert store.matches.resume(claim.match.id).state is MatchState.QUEUED  # the same call again
    assert store.schedule.ready(1) == [claim.match.id]
    again = store.matches.claim(claim.match.id, "w", LEASE_MS)
    assert again is not None
    assert again.events == (started(),)


def test_only_what_has_not_begun_is_cancelled(store, pair):
    waiting, running = a_match(*pair), a_match(*pair)
    claimed(store, running)
    store.matches.create(waiting)
    with pytest.raises(Conflict) as caught:
        store.matches.cancel(running.id)
    assert caught.value.problem == "wrong-state"
    assert store.matches.cancel(waiting.id, "not wanted").state_reason == "not wanted"
    assert store.schedule.counts()["waiting"] == 0
    assert store.matches.claim(waiting.id, "w", LEASE_MS) is None


def test_what_is_over_is_not_claimed(store, pair):
    """A late hint for a match that is over does nothing, and gives places back that were left."""
    match = a_match(*pair)
    played(store, match, 1, 2)
    store.schedule.book([match])
    assert store.matches.claim(match.id, "w", LEASE_MS) is None
    assert store.matches.get(match.id).state is MatchState.FINISHED
    assert store.schedule.counts()["reserved"] == 0


def test_finishing_does_everything_once(store, pair):
    match = a_match(*pair)
    claim = claimed(store, match)
    store.matches.append(claim, 1, [started()])
    store.matches.append(claim, 2, [move(0)])
    result = result_of(1, 2)
    last = [move(1, seat=1), finished(result)]
    everything = [started(), move(0), *last]
    head = head_of(match, everything)
    written = [store.matches.finish(claim, 3, last, result, head) for _ in range(3)]
    assert written == [Written.APPLIED, Written.ALREADY, Written.ALREADY]
    assert store.matches.finish(claim, 3, last, result_of(2, 1), "0" * 64) is Written.FENCED
    found = store.matches.get(match.id)
    assert (found.state, found.result, found.chain_head) == (MatchState.FINISHED, result, head)
    assert (found.ledger_id, found.plies, found.finished_at) == (1, 2, finished(result)["at"])
    assert store.matches.record(match.id) == everything
    table = store.ratings.table("quixo")
    assert [(r.bot, r.rating, r.games, r.wins, r.losses) for r in table.items] == [
        (pair[0].id, 1_520_000, 1, 1, 0),
        (pair[1].id, 1_480_000, 1, 0, 1),
    ]
    assert store.ledger.length("quixo") == 1
    assert store.outbox.size() == 3
    assert store.schedule.counts()["reserved"] == 0
    assert list(store.audit.differences("quixo")) == []


def test_events_read_the_same_before_and_after_folding(store, pair, redis_server):
    match = a_match(*pair)
    claim = claimed(store, match)
    store.matches.append(claim, 1, [started(), move(0), move(1, seat=1)])
    before = store.matches.events(match.id)
    with redis_server.client() as client:
        assert client.exists(f"{{quixo}}:events:{match.id}")
    result = result_of(1, 1)
    store.matches.finish(claim, 4, [finished(result)], result, "0" * 64)
    with redis_server.client() as client:
        assert not client.exists(f"{{quixo}}:events:{match.id}")
    assert store.matches.events(match.id, limit=3) == before
    assert store.matches.events(match.id, after=3) == [(4, finished(result))]
    assert store.matches.events(match.id, after=4) == []
    assert store.matches.wait_events(match.id, 3, 1000) == [(4, finished(result))]


def test_an_unrated_match_changes_no_rating(store, pair):
    played(store, a_match(*pair, rated=False, unrated_reason="asked for"), 1, 2)
    assert store.ratings.table("quixo").items == ()
    assert store.ledger.entries("quixo")[0].payload["rated"] is False


def test_a_match_that_nobody_came_to_is_unrated(store, pair):
    claim = claimed(store, a_match(*pair))
    assert finish(store, claim, 1, 1, outcome="void", reason="no-show") is Written.APPLIED
    assert store.ratings.table("quixo").items == ()
    assert store.matches.get(claim.match.id).state is MatchState.FINISHED


def test_a_new_version_has_a_line_of_its_own(store, pair):
    a, b = pair
    first, straggler = a_match(a, b), a_match(a, b)
    played(store, first, 1, 2)
    newer = replace(a, version="2")
    played(store, a_match(newer, b), 1, 2)
    rating = store.ratings.get("quixo", a.id)
    assert (rating.version, rating.games, rating.provisional) == ("2", 1, True)
    assert rating.rating > 1_520_000  # it begins where the line before stood
    played(store, straggler, 2, 1)  # a match of the old version ends late
    assert store.ratings.get("quixo", a.id).version == "2"
    lines = {line.version: line for line in store.ratings.lines("quixo", a.id)}
    assert (lines["1"].games, lines["2"].games) == (2, 1)
    assert lines["1"].rating < 1_520_000
    assert list(store.audit.differences("quixo")) == []


def test_teams_are_rated_as_sides_and_one_bot_may_hold_both_seats(store):
    a, b = (store.bots.create(a_bot(n, games=("quixo-teams",))) for n in "ab")
    c = store.bots.create(a_bot("c", games=("quixo-teams",)))
    played(store, a_match(a, b, a, c, ladder="quixo-teams"), 1, 2, 1, 2)
    found = {r.bot: r for r in store.ratings.table("quixo-teams").items}
    assert {bot: (r.games, r.wins, r.losses) for bot, r in found.items()} == {
        a.id: (1, 1, 0),
        b.id: (1, 0, 1),
        c.id: (1, 0, 1),
    }
    history = store.ratings.history("quixo-teams", b.id).items[0]
    assert history.opponents == (a.id,)


def test_history_is_paged_from_the_newest(store, pair):
    made = [a_match(*pair) for _ in range(5)]
    for match in made:
        played(store, match, 1, 2)
    first = store.ratings.history("quixo", pair[0].id, limit=2)
    assert [change.match for change in first.items] == [made[4].id, made[3].id]
    assert first.total == 5
    rest = store.ratings.history("quixo", pair[0].id, first.next, 10)
    assert [change.match for change in rest.items] == [m.id for m in reversed(made[:3])]
    assert rest.next is None
    assert rest.items[-1].before == 1_500_000


def test_what_is_being_played_the_newest_first(store):
    pair = [store.bots.create(a_bot(name, owner=f"o_{name}", concurrency=9)) for name in "ab"]
    one, two = a_match(*pair), a_match(*pair, private=True, requested_by="o_9")
    three, over = a_match(*pair), a_match(*pair)
    for match in (one, two, three):
        claimed(store, match)
    played(store, over, 1, 2)
    everybody, nobody = MatchFilter(viewer=None), MatchFilter(viewer="")
    assert [m.id for m in store.matches.running(everybody, 9)] == [three.id, two.id, one.id]
    assert [m.id for m in store.matches.running(nobody, 9)] == [three.id, one.id]
    assert [m.id for m in store.matches.running(everybody, 1)] == [three.id]
    assert store.matches.running(MatchFilter(game="sorry"), 9) == []


def test_lists_by_every_filter(store, pair):
    a, b = pair
    c = store.bots.create(a_bot("c", owner="o_3", games=("sorry",)))
    one, two = a_match(a, b), a_match(a, b, private=True, requested_by="o_9")
    three = a_match(c, c, ladder="sorry")
    for match in (one, two, three):
        store.matches.create(match)

    def listed(**wanted):
        return [m.id for m in store.matches.list(MatchFilter(**wanted)).items]

    assert listed() == [three.id, two.id, one.id]
    assert listed(game="quixo") == [two.id, one.id]
    assert listed(bot=c.id) == [three.id]
    assert listed(owner="o_2") == [two.id, one.id]
    assert listed(viewer="") == [three.id, one.id]
    assert listed(viewer="o_9", owner="o_1") == [two.id, one.id]
    assert listed(state=MatchState.QUEUED) == [three.id, two.id, one.id]
    assert listed(state=MatchState.RUNNING) == []
    assert listed(since=2_000_000_000_000) == []
    assert listed(until=1_000) == []
    assert listed(since=1_000, until=4_000_000_000_000) == [three.id, two.id, one.id]
    page = store.matches.list(limit=2)
    assert [m.id for m in page.items] == [three.id, two.id]
    assert [m.id for m in store.matches.list(cursor=page.next, limit=2).items] == [one.id]


def test_open_matches_are_bounded(store, pair):
    first = [a_match(*pair) for _ in range(2)]
    store.matches.create(first, limit=2)
    with pytest.raises(Refused) as caught:
        store.matches.create(a_match(*pair), limit=2)
    assert caught.value.problem == "quota"
    store.matches.cancel(first[0].id)
    store.matches.create(a_match(*pair), limit=2)


def test_bulk_is_all_or_none(store, pair):
    made = [a_match(*pair) for _ in range(30)]
    assert store.matches.create(made) == made
    with pytest.raises(ValueError, match="one ladder"):
        store.matches.create([a_match(*pair), a_match(*pair, ladder="sorry")])


def test_what_was_played_today_is_counted_once(store, pair):
    a, b = pair
    made = [a_match(a, b), a_match(b, a, rated=False, unrated_reason="asked for")]
    store.matches.create(made)
    store.matches.create(made)
    assert store.matches.rated_today("quixo", [[b.id, a.id], [a.id]]) == [1, 0]
    assert store.matches.challenged_today(b.id) == 2
    assert store.matches.challenged_today(a.id) == 0  # its own owner asked


def test_a_request_that_comes_again_gets_its_matches(store, pair):
    once = Once("o_1", "key", "payload")
    first = store.matches.create([a_match(*pair), a_match(*pair)], once=once)
    workers_there(store)
    store.matches.claim(store.schedule.ready(1)[0], "w", LEASE_MS)
    drafts = [replace(a_match(*pair), secret="other", commitment="other") for _ in range(2)]
    assert store.matches.create(drafts, once=once) == first
    listed = store.matches.list().items
    assert sorted(match.state for match in listed) == ["queued", "running"]
    with pytest.raises(Refused) as caught:
        store.matches.create(a_match(*pair), once=Once("o_1", "key", "other"))
    assert caught.value.problem == "idempotency-key-reused"
    with pytest.raises(Refused):  # another ladder is another slot; the key is bound all the same
        store.matches.create(a_match(*pair, ladder="sorry"), once=Once("o_1", "key", "other"))


def test_a_turn_s_age_counts_from_its_last_event_and_anew_when_it_is_asked_again(store, pair):
    match = a_match(*pair)
    assert store.matches.create(match)
    assert store.matches.turn_age_ms(match.id) == 0
    claim = claimed(store, match)
    store.matches.append(claim, 1, [started()])
    store.db.run("HINCRBY", f"{{{match.game}}}:match:{match.id}", "turn_began_at", -5000)
    assert 5000 <= store.matches.turn_age_ms(match.id) < 7000
    store.matches.append(claim, 2, [move(1)])
    assert store.matches.turn_age_ms(match.id) < 2000
    store.db.run("HINCRBY", f"{{{match.game}}}:match:{match.id}", "turn_began_at", -5000)
    expire(store, match)
    assert store.matches.claim(match.id, "other", LEASE_MS)
    assert store.matches.turn_age_ms(match.id) < 2000

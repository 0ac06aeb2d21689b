"""F3, and that nothing that could run waits: reservations, fair turns, hints."""

import random
import statistics
from collections import Counter
from itertools import islice

import pytest

from service.models import BotState
from service.store import Store
from service.store.schedule import EVERYTHING
from tests.service.store.make import LEASE_MS, a_bot, a_match, claimed, finish, played, workers_there


@pytest.fixture
def there(store):
    """Workers with places enough."""
    workers_there(store)
    return store


def bots(store: Store, count: int, concurrency: int = 1):
    return [store.bots.create(a_bot(f"bot {i}", concurrency=concurrency), count) for i in range(count)]


def test_a_bot_is_never_overrun(there):
    a, b, c = bots(there, 3)
    first, second, third = a_match(a, b), a_match(a, c), a_match(b, c)
    there.matches.create([first, second, third])
    assert there.schedule.ready(10) == [first.id]
    assert there.schedule.ready(10) == []
    there.schedule.release([first.id])
    assert there.schedule.ready(10) == [second.id]
    there.schedule.release([first.id])  # once more changes nothing
    assert there.schedule.ready(10) == []
    there.schedule.release([second.id])
    assert there.schedule.ready(10) == [third.id]


def test_concurrency_is_counted_over_everything(there):
    a, b = bots(there, 2, concurrency=3)
    for ladder in ("quixo", "sorry"):
        there.matches.create([a_match(a, b, ladder=ladder) for _ in range(3)])
    assert len(there.schedule.ready(10)) == 3
    assert there.schedule.open_matches(a.id) == 3


def test_a_bot_in_two_seats_counts_one_match(there):
    a, b = bots(there, 2)
    match = a_match(a, b, a, b, ladder="quixo-teams")
    there.matches.create(match)
    assert there.schedule.ready(10) == [match.id]


def test_more_room_lets_waiting_matches_start(there):
    a, b = bots(there, 2, concurrency=1)
    made = [a_match(a, b) for _ in range(3)]
    there.matches.create(made)
    assert len(there.schedule.ready(10)) == 1
    there.bots.update(a.id, {"concurrency": 3})
    there.bots.update(b.id, {"concurrency": 3})
    assert len(there.schedule.ready(10)) == 2


@pytest.mark.parametrize("state", [BotState.AWAY, BotState.PAUSED, BotState.RETIRED, BotState.UNVERIFIED])
def test_a_bot_that_may_not_play_starts_nothing(there, state):
    a, b, c = bots(there, 3)
    there.bots.set_state(a.id, state)
    blocked, free = a_match(a, b), a_match(b, c)
    there.matches.create([blocked, free])
    assert there.schedule.ready(10) == [free.id]
    there.schedule.release([free.id])
    assert there.schedule.ready(10) == []
    there.bots.set_state(a.id, BotState.ACTIVE)
    assert there.schedule.ready(10) == [blocked.id]


def test_no_more_hints_than_places(store):
    a, b = bots(store, 2, concurrency=100)
    store.matches.create([a_match(a, b) for _ in range(10)])
    assert store.schedule.ready(10) == []  # nobody is there
    store.workers.beat("one", "matches", 2, 0)
    store.workers.beat("two", "matches", 1, 0)
    store.workers.beat("other", "control", 50, 0)
    assert len(store.schedule.ready(10)) == 3
    assert store.schedule.ready(10) == []
    store.workers.beat("one", "matches", 4, 0)
    assert len(store.schedule.ready(1)) == 1
    assert len(store.schedule.ready(10)) == 1
    store.workers.gone("one")
    assert store.schedule.ready(10) == []


def test_shares_take_turns_however_much_one_asks_for(there):
    """An owner with 50 queued matches delays another's 5 by at most one match each."""
    a, b = bots(there, 2)
    greedy = [a_match(a, b, requested_by="o_greedy") for _ in range(50)]
    modest = [a_match(a, b, requested_by="o_modest") for _ in range(5)]
    there.matches.create(greedy)
    there.matches.create(modest)
    order = []
    while ready := there.schedule.ready(10):
        order += ready
        there.schedule.release(ready)
    assert len(order) == 55
    last = max(order.index(match.id) for match in modest)
    assert last <= 10


def test_an_owner_s_tournaments_share_his_turns(there):
    """Ten tournaments of one owner get as many starts as the one of another."""
    a, b = bots(there, 2)
    many = [
        a_match(a, b, requested_by="o_many", tournament=f"t_quixo_{number}")
        for _ in range(10)
        for number in range(10)
    ]
    one = [a_match(a, b, requested_by="o_one", tournament="t_quixo_a") for _ in range(100)]
    there.schedule.add(many)
    there.schedule.add(one)
    order = []
    while (ready := there.schedule.ready(1)) and len(order) < 100:
        order += ready
        there.schedule.release(ready)
    first = Counter(match_id in {m.id for m in one} for match_id in order)
    assert abs(first[True] - first[False]) <= 12
    by_tournament = Counter(m.tournament for m in many if m.id in order)
    assert max(by_tournament.values()) - min(by_tournament.values()) <= 1


def test_a_share_that_was_idle_has_no_claim_on_the_past(there):
    a, b = bots(there, 2)
    for _ in range(20):
        played(there, a_match(a, b, requested_by="o_early"), 1, 2)
    early = [a_match(a, b, requested_by="o_early") for _ in range(6)]
    late = [a_match(a, b, requested_by="o_late") for _ in range(6)]
    there.matches.create(early)
    there.matches.create(late)
    order = []
    while ready := there.schedule.ready(1):
        order += ready
        there.schedule.release(ready)
    shares = Counter(match_id in {m.id for m in late} for match_id in order[:6])
    assert abs(shares[True] - shares[False]) <= 2


def test_a_stopped_share_starts_nothing_and_goes_on_where_it_was(there):
    a, b, c = bots(there, 3)
    one, two = a_match(a, b, requested_by="o_1"), a_match(a, c, requested_by="o_2")
    there.schedule.stop("o_1")
    there.matches.create(one)
    there.matches.create(two)
    assert there.schedule.ready(10) == [two.id]
    there.schedule.release([two.id])
    there.schedule.go_on("o_1")
    assert there.schedule.ready(10) == [one.id]


def test_matchmaking_can_be_paused_as_a_whole(there):
    a, b = bots(there, 2)
    match = a_match(a, b)
    there.matches.create(match)
    there.matchmaking.pause("an upgrade", "o_admin")
    there.matchmaking.pause("an upgrade", "o_admin")
    status = there.matchmaking.status()
    assert (status["paused"], status["reason"], status["by"]) == (True, "an upgrade", "o_admin")
    assert there.schedule.ready(10) == []
    there.matchmaking.resume()
    assert there.matchmaking.status() == {"paused": False, "reason": None, "by": None, "at": None}
    assert there.schedule.ready(10) == [match.id]
    assert EVERYTHING not in there.schedule.stopped()


def test_a_slow_bot_blocks_only_its_opponents(there):
    slow, *others = bots(there, 6)
    stuck = a_match(slow, others[0])
    there.matches.create(stuck)
    there.schedule.ready(10)
    rest = [a_match(slow, other) for other in others] + [a_match(*others[i : i + 2]) for i in (1, 3)]
    there.matches.create(rest)
    assert set(there.schedule.ready(10)) == {rest[-2].id, rest[-1].id}


@pytest.mark.parametrize("seed", range(8))
def test_random_loads_keep_the_invariants(there, seed):
    """No bot above its concurrency; whatever waits has a bot without room; all is played in the end."""
    rng = random.Random(seed)
    crowd = [there.bots.create(a_bot(f"b{i}", concurrency=rng.choice([1, 1, 2, 3]))) for i in range(7)]
    rooms = {bot.id: bot.concurrency for bot in crowd}
    left = [
        a_match(
            *rng.sample(crowd, rng.choice([2, 3, 4])), ladder="sorry", requested_by=f"o_{rng.randrange(3)}"
        )
        for _ in range(60)
    ]
    seats = {m.id: {p.bot for p in m.players} for m in left}
    waiting: set[str] = set()
    running: set[str] = set()
    while left or waiting or running:
        if left and rng.random() < 0.5:
            batch = [left.pop() for _ in range(min(len(left), rng.randrange(1, 9)))]
            there.matches.create(batch)
            waiting |= {m.id for m in batch}
        if running and rng.random() < 0.6:
            done = rng.sample(sorted(running), rng.randrange(1, len(running) + 1))
            running -= set(done)
            there.schedule.release(done)
        if waiting and rng.random() < 0.1:
            gone = rng.choice(sorted(waiting))
            waiting.remove(gone)
            there.matches.cancel(gone)
        started = set(there.schedule.ready(100))
        assert started <= waiting
        waiting -= started
        running |= started
        load = Counter(bot for match in running for bot in seats[match])
        assert all(load[bot] <= room for bot, room in rooms.items())
        for match in waiting:
            assert any(load[bot] == rooms[bot] for bot in seats[match]), "it could run, but waits"
    assert there.schedule.counts() == {"waiting": 0, "startable": 0, "reserved": 0, "hinted": 0}


def test_bots_are_busy_most_of_the_time(there):
    """200 bots of concurrency 1, random lengths, six waiting games a bot: busy at least 90 % of the time."""
    rng = random.Random(4)
    crowd = bots(there, 200)
    games = [a_match(a, b) for i, a in enumerate(crowd) for b in crowd[i + 1 :]]
    rng.shuffle(games)
    games = games[:2500]
    ahead = iter(games)
    finishing: list[tuple[float, str]] = []
    now, queued, spans = 0.0, 0, []
    while True:
        while queued < 6 * len(crowd) and (batch := list(islice(ahead, 100))):
            there.matches.create(batch)
            queued += len(batch)
        workers_there(there)
        for match_id in there.schedule.ready(500):
            length = rng.uniform(0.2, 1.8)
            spans.append((now, now + length))
            finishing.append((now + length, match_id))
            queued -= 1
        if not finishing:
            break
        finishing.sort(reverse=True)
        now, match_id = finishing.pop()
        there.schedule.release([match_id])
    assert len(spans) == len(games)
    # Until the queue runs dry (the last games of a finite list cannot fill all bots).
    full = statistics.quantiles([begun for begun, _ in spans], n=20)[-3]
    used = sum(min(end, full) - begun for begun, end in spans if begun < full)
    assert 2 * used / (200 * full) >= 0.9


def test_a_finished_match_gives_its_places_back(there):
    a, b = bots(there, 2)
    one, two = a_match(a, b), a_match(a, b)
    claim = claimed(there, one)
    there.matches.create(two)
    assert there.schedule.ready(5) == []
    finish(there, claim, 1, 2)
    assert there.schedule.ready(5) == [two.id]
    assert there.matches.claim(two.id, "w", LEASE_MS) is not None

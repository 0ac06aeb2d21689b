"""What a sweep finds: matches without a worker, and everything that a crash between two steps can leave."""

import pytest

from service.errors import Unavailable
from service.models import BotState, TournamentState
from service.store import Store
from service.store.connection import Connection
from tests.service.store.make import LEASE_MS, a_bot, a_match, claimed, finish, played, workers_there
from tests.service.store.test_tournaments import game, running


@pytest.fixture
def pair(store):
    return store.bots.create(a_bot("a", concurrency=50)), store.bots.create(a_bot("b", concurrency=50))


def age_hints(store: Store) -> None:
    for match_id in store.db.run("ZRANGE", "{capacity}:hinted", 0, -1):
        store.db.run("ZADD", "{capacity}:hinted", 1, match_id)


def test_a_hint_that_nobody_took_comes_again(store, pair):
    match = a_match(*pair)
    store.matches.create(match)
    workers_there(store)
    assert store.schedule.ready(5) == [match.id]
    assert store.sweep.hints() == []
    age_hints(store)
    assert store.sweep.hints() == [match.id]
    assert store.sweep.hints() == []  # several sweeps may run
    store.matches.claim(match.id, "w", LEASE_MS)
    age_hints(store)
    assert store.sweep.hints() == []


def test_an_expired_lease_is_hinted_again(store, pair):
    claims = [claimed(store, a_match(*pair)) for _ in range(3)]
    for claim in claims[:2]:
        store.db.run("ZADD", "{quixo}:leases", 1, claim.match.id)
    assert set(store.sweep.hints()) == {claim.match.id for claim in claims[:2]}


def test_a_long_queue_does_not_starve_expired_matches(store, pair):
    claim = claimed(store, a_match(*pair))
    store.matches.create([a_match(*pair) for _ in range(300)])
    store.db.run("ZADD", "{quixo}:leases", 1, claim.match.id)
    assert store.sweep.hints(10) == [claim.match.id]


def test_never_more_hints_than_free_places(store, pair):
    claims = [claimed(store, a_match(*pair)) for _ in range(10)]
    for claim in claims[:6]:
        store.db.run("ZADD", "{quixo}:leases", 1, claim.match.id)
    workers_there(store, 6)  # 4 matches run, so 2 places are free
    assert len(store.sweep.hints()) == 2
    assert store.sweep.hints() == []
    age_hints(store)
    assert len(store.sweep.hints()) == 2


class Dying(Connection):
    """A connection whose process dies before its n-th call."""

    left = 0

    def _count(self) -> None:
        if self.left == 0:
            raise Unavailable("killed")
        self.left -= 1

    def run(self, *command):
        self._count()
        return super().run(*command)

    def many(self, commands, atomic=False):
        self._count()
        return super().many(commands, atomic)

    def call(self, name, keys, args=()):
        self._count()
        return super().call(name, keys, args)

    def calls(self, calls):
        self._count()
        return super().calls(calls)


def dying(store: Store, after: int) -> Store:
    """A store that is cut off after so many calls."""
    connection = Dying(store.db.client)
    connection.left = after
    return Store(connection)


def every_cut(action):
    """Run an action cut off after 0, 1, 2… calls until it gets through; yields after each cut."""
    for after in range(50):
        try:
            action(after)
        except Unavailable:
            yield after
        else:
            return
    raise AssertionError("it never gets through")


def settled(store: Store) -> None:
    """After one mending nothing is left to mend, and the audit agrees."""
    store.sweep.mend()
    assert store.sweep.mend() == {}
    for ladder in ("quixo", "sorry"):
        assert list(store.audit.differences(ladder)) == []


def test_a_creation_cut_anywhere_is_mended(store, pair):
    made = []

    def create(after):
        match = a_match(*pair)
        made.append(match)
        dying(store, after).matches.create(match, limit=1000)

    cuts = sum(1 for _ in every_cut(create))
    settled(store)
    there = [m for m in store.matches.get_many([m.id for m in made]) if m]
    workers_there(store)
    assert set(store.schedule.ready(100)) == {m.id for m in there}
    assert cuts >= 3


def test_a_finish_cut_anywhere_is_mended(store, pair):
    claims = []

    def end(after):
        claim = claimed(store, a_match(*pair))
        claims.append(claim)
        store.matches.append(claim, 1, [{"type": "started", "at": 1, "nonces": ["", ""], "no_shows": []}])
        from dataclasses import replace

        begun = replace(claim, events=({"type": "started", "at": 1, "nonces": ["", ""], "no_shows": []},))
        finish(dying(store, after), begun, 1, 2)

    assert sum(1 for _ in every_cut(end)) >= 4
    settled(store)
    done = [m for m in store.matches.get_many([c.match.id for c in claims]) if m and m.result]
    assert store.ledger.length("quixo") == len(done)
    assert store.schedule.counts()["reserved"] == len(claims) - len(done)
    assert store.info()["unfolded"] == 0


def test_a_void_cut_anywhere_is_mended(store, pair):
    def void(after):
        match = a_match(*pair)
        played(store, match, 1, 2)
        dying(store, after).matches.void(match.id, "x", "o_1")

    assert sum(1 for _ in every_cut(void)) >= 5
    settled(store)


def test_a_state_change_cut_anywhere_is_mended(store):
    contest, (a, b, _) = running(store)
    store.matches.create([game(contest, 0, a, b)])

    def pause(after):
        store.tournaments.set_state(contest.id, TournamentState.RUNNING)
        dying(store, after).tournaments.set_state(contest.id, TournamentState.PAUSED)

    for _ in every_cut(pause):
        store.sweep.mend()
        paused = store.tournaments.get(contest.id).state is TournamentState.PAUSED
        assert (contest.id in store.schedule.stopped()) == paused


def test_a_bot_change_cut_anywhere_is_mended(store, pair):
    store.matches.create([a_match(*pair)])
    workers_there(store)

    def away(after):
        store.bots.set_state(pair[0].id, BotState.ACTIVE)
        dying(store, after).bots.set_state(pair[0].id, BotState.AWAY)

    for _ in every_cut(away):
        store.sweep.mend()
    assert store.schedule.ready(5) == []


def test_lost_capacity_data_is_made_anew(store, pair):
    """What is outside the ladders' slots follows from the matches."""
    claim = claimed(store, a_match(*pair))
    waiting = a_match(*pair)
    store.matches.create(waiting)
    for key in store.db.run("KEYS", "{capacity}:*"):
        store.db.run("DEL", key)
    mended = store.sweep.mend()
    assert (mended["booked"], mended["let_wait"]) == (1, 1)
    workers_there(store)
    assert store.schedule.open_matches(pair[0].id) == 1
    finish(store, claim, 1, 2)
    store.sweep.mend()
    assert store.schedule.ready(5) == [waiting.id]

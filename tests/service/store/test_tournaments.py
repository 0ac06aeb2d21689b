"""Tournaments in the store: entry, state, games as they are needed, results by pairing."""

from dataclasses import replace

import pytest

from service.errors import Conflict, NotFound, Refused
from service.ids import new_id
from service.models import MatchState, Tournament, TournamentState
from service.store import Once, Store, TournamentFilter
from service.tournaments.pairing import Result
from tests.service.store.make import a_bot, a_match, claimed, finish, played, result_of, workers_there


def a_tournament(ladder: str = "quixo", **changes) -> Tournament:
    contest = Tournament(
        id=new_id("t", ladder),
        name="the league",
        game=ladder,
        format="round-robin",
        owner="o_1",
        options={},
        clock={},
        settings={"seats": 2, "private": False},
        seed="00" * 32,
        state=TournamentState.OPEN,
        created_at=1,
    )
    return replace(contest, **changes)


def entrant(bot, withdrawn_at=None) -> dict:
    return {
        "bot": bot.id,
        "name": bot.name,
        "version": bot.version,
        "owner": bot.owner,
        "entered_at": 1_700_000_000_000,
        "withdrawn_at": withdrawn_at,
    }


def running(store: Store, count: int = 3, **changes):
    """A tournament that has begun, and its bots."""
    contest = store.tournaments.create(a_tournament(**changes))
    bots = [store.bots.create(a_bot(f"bot {i}", owner=f"o_{i}")) for i in range(count)]
    for bot in bots:
        store.tournaments.enter(contest.id, entrant(bot), 100)
    store.tournaments.start(contest.id, count * (count - 1) // 2)
    workers_there(store)
    return contest, bots


def game(contest, pairing: int, *bots, **changes):
    return a_match(*bots, ladder=contest.game, tournament=contest.id, pairing=pairing, round=1, **changes)


def test_a_tournament_is_kept_as_it_is(store):
    contest = a_tournament(
        settings={"seats": 2, "tie_breaks": ["wins"], "max_entrants": 8}, state_reason=None
    )
    assert store.tournaments.create(contest) == contest == store.tournaments.get(contest.id)
    with pytest.raises(NotFound):
        store.tournaments.get("t_quixo_0000000000000000")


def test_entrants_keep_their_order_and_number(store):
    contest = store.tournaments.create(a_tournament())
    bots = [store.bots.create(a_bot(f"b{i}")) for i in range(4)]
    for bot in bots:
        store.tournaments.enter(contest.id, entrant(bot), 4)
    store.tournaments.enter(contest.id, entrant(bots[0]), 4)  # the same call again
    with pytest.raises(Conflict) as caught:
        store.tournaments.enter(contest.id, {**entrant(bots[1]), "version": "2"}, 4)
    assert caught.value.problem == "already-entered"
    with pytest.raises(Conflict) as caught:
        store.tournaments.enter(contest.id, entrant(a_bot()), 4)
    assert (caught.value.problem, "4 entrants" in caught.value.detail) == ("tournament-full", True)
    store.tournaments.withdraw(contest.id, bots[1].id)  # before the start: as if it had never entered
    with pytest.raises(NotFound):
        store.tournaments.withdraw(contest.id, bots[1].id)
    assert [e["bot"] for e in store.tournaments.get(contest.id).entrants] == [
        bots[0].id,
        bots[2].id,
        bots[3].id,
    ]
    store.tournaments.start(contest.id, 3)
    with pytest.raises(Conflict) as caught:
        store.tournaments.enter(contest.id, entrant(bots[1]), 4)
    assert caught.value.problem == "entry-closed"
    after = store.tournaments.withdraw(contest.id, bots[2].id)
    assert [e["withdrawn_at"] is not None for e in after.entrants] == [False, True, False]
    assert store.tournaments.withdraw(contest.id, bots[2].id).entrants == after.entrants


def test_an_entry_that_comes_again_is_one(store):
    contest = store.tournaments.create(a_tournament(state=TournamentState.OPEN))
    bot, other = a_bot("a"), a_bot("b")
    once = Once("o_1", "key-1", "digest of the request")
    first = store.tournaments.enter(contest.id, entrant(bot), 4, once)
    later = {**entrant(bot), "entered_at": first["entered_at"] + 1}
    assert store.tournaments.enter(contest.id, later, 4, once) == first
    assert store.tournaments.entered_before(contest.id, once) == first
    assert store.tournaments.entered_before(contest.id, replace(once, key="key-2")) is None
    with pytest.raises(Refused) as caught:
        store.tournaments.enter(contest.id, entrant(other), 4, replace(once, payload="another"))
    assert caught.value.problem == "idempotency-key-reused"
    assert [e["bot"] for e in store.tournaments.get(contest.id).entrants] == [bot.id]


def test_a_start_sees_every_entrant(store):
    """The revision that `start` names is the one whose schedule was counted."""
    contest = store.tournaments.create(a_tournament())
    store.tournaments.enter(contest.id, entrant(store.bots.create(a_bot())), 4)
    with pytest.raises(Conflict) as caught:
        store.tournaments.start(contest.id, 0, contest.revision)
    assert caught.value.problem == "stale"
    store.tournaments.start(contest.id, 0, store.tournaments.get(contest.id).revision)
    with pytest.raises(Conflict) as caught:
        store.tournaments.start(contest.id, 1)
    assert caught.value.problem == "wrong-state"
    with pytest.raises(Conflict):
        store.tournaments.update(contest.id, {"name": "later"})


def test_states_change_from_the_expected_one_only(store):
    contest, _ = running(store)
    paused = store.tournaments.set_state(
        contest.id, TournamentState.PAUSED, (TournamentState.RUNNING,), "lunch"
    )
    assert (paused.state, paused.state_reason) == (TournamentState.PAUSED, "lunch")
    assert len(paused.entrants) == 3
    with pytest.raises(Conflict):
        store.tournaments.set_state(contest.id, TournamentState.FINISHED, (TournamentState.RUNNING,))


def test_a_paused_tournament_starts_nothing_at_once(store):
    contest, (a, b, c) = running(store)
    store.matches.create([game(contest, 0, a, b)])
    store.tournaments.set_state(contest.id, TournamentState.PAUSED)
    assert store.schedule.ready(10) == []
    with pytest.raises(Conflict, match="paused"):
        store.matches.create([game(contest, 1, b, c)])
    store.tournaments.set_state(contest.id, TournamentState.RUNNING)
    assert len(store.schedule.ready(10)) == 1


def test_a_cancelled_tournament_ends_its_queued_matches(store):
    contest, (a, b, c) = running(store)
    made = store.matches.create([game(contest, 0, a, b), game(contest, 1, a, c)])
    claim = store.matches.claim(store.schedule.ready(1)[0], "w", 8000)
    assert claim
    store.tournaments.set_state(contest.id, TournamentState.CANCELLED)
    assert store.sweep.mend() == {"cancelled": 1}
    states = {store.matches.get(m.id).state for m in made}
    assert states == {MatchState.RUNNING, MatchState.CANCELLED}
    assert store.sweep.mend() == {}


def test_a_pairing_has_one_match(store):
    """A restarted coordinator that makes the same pairings makes nothing twice."""
    contest, (a, b, c) = running(store)
    first = store.matches.create([game(contest, 0, a, b), game(contest, 1, b, c)])
    again = store.matches.create([game(contest, 1, b, c), game(contest, 2, a, c)])
    assert again[0].id == first[1].id
    assert store.tournaments.games(contest.id, [0, 1, 2, 3]) == {
        0: first[0].id,
        1: first[1].id,
        2: again[1].id,
    }
    assert [m.entrants for m in (*first, again[1])] == [(0, 1), (1, 2), (0, 2)]
    progress = store.pairings.progress(contest.id)
    assert (progress.next, progress.made, progress.done, progress.open) == (3, 3, 0, 3)
    assert store.schedule.counts()["waiting"] == 3


def test_results_are_counted_by_pairing(store):
    contest, (a, b, c) = running(store)
    played(store, game(contest, 2, a, c), 1, 1)
    played(store, game(contest, 0, b, a), 2, 1)
    claim = claimed(store, game(contest, 1, b, c))
    finish(store, claim, 1, 2, faults=[{"turn": 4, "seat": 1, "reason": "timeout"}])
    assert store.tournaments.results(contest.id) == (
        Result(0, (1, 0), (2, 1), (None, None)),
        Result(1, (1, 2), (1, 2), (None, "timeout")),
        Result(2, (0, 2), (1, 1), (None, None)),
    )
    assert store.tournaments.get(contest.id).games_done == 3
    assert store.pairings.progress(contest.id).done == 3
    assert list(store.audit.differences("quixo")) == []


def test_points_are_kept_where_they_count(store):
    contest, (a, b, _) = running(store, ladder="sorry-points")
    claim = claimed(store, game(contest, 1, a, b))
    finish(store, claim, 1, 2, points=[120, -5])
    assert store.tournaments.results(contest.id) == (Result(1, (0, 1), (1, 2), (None, None), (120, -5)),)
    played(store, game(contest, 0, b, a), 1, 2)
    assert [r.game for r in store.tournaments.results(contest.id)] == [0, 1]


def test_nobody_came_is_a_result_without_points(store):
    contest, (a, b, _) = running(store)
    finish(store, claimed(store, game(contest, 0, a, b)), 1, 1, outcome="void", reason="no-show")
    (result,) = store.tournaments.results(contest.id)
    assert result.faults == ("no-show", "no-show")
    assert store.ratings.table("quixo").items == ()


def test_a_voided_game_is_to_be_made_anew(store):
    contest, (a, b, c) = running(store)
    match = game(contest, 0, a, b)
    played(store, match, 1, 2)
    played(store, game(contest, 1, b, c), 1, 2)
    store.matches.void(match.id, "the bot's machine was down", "o_1")
    progress = store.pairings.progress(contest.id)
    assert (progress.done, progress.made, progress.next) == (1, 1, 0)
    assert [r.game for r in store.tournaments.results(contest.id)] == [1]
    again = game(contest, 0, a, b)
    assert store.matches.create(again)[0].id == again.id
    assert store.pairings.progress(contest.id).made == 2
    store.schedule.ready(5)
    finish(store, store.matches.claim(again.id, "w", 8000), 2, 1)
    assert [(r.game, r.placing) for r in store.tournaments.results(contest.id)] == [(0, (2, 1)), (1, (1, 2))]
    assert list(store.audit.differences("quixo")) == []


def test_news_of_a_tournament_come_in_order(store):
    contest, (a, b, _) = running(store)
    played(store, game(contest, 0, a, b), 1, 2)
    store.tournaments.set_state(contest.id, TournamentState.FINISHED)
    news = store.tournaments.events(contest.id)
    assert [event["type"] for _, event in news] == ["state", "result", "state"]
    assert news[1][1]["result"] == result_of(1, 2)
    assert store.tournaments.events(contest.id, news[1][0]) == news[2:]
    assert store.tournaments.wait_events(contest.id, news[-1][0], 20) == []


def test_open_tournaments_are_bounded(store):
    contest = store.tournaments.create(a_tournament(), 1)
    with pytest.raises(Refused) as caught:
        store.tournaments.create(a_tournament(ladder="sorry"), 1)
    assert caught.value.problem == "quota"
    store.tournaments.set_state(contest.id, TournamentState.CANCELLED)
    store.tournaments.create(a_tournament(), 1)


def test_a_request_that_comes_again_makes_one_tournament(store):
    once = Once("o_1", "key", "payload")
    first = store.tournaments.create(a_tournament(), 1, once)
    assert store.tournaments.create(a_tournament(), 2, once) == first
    assert store.quotas.open("tournaments", "o_1") == {first.id}


def test_lists(store):
    one = store.tournaments.create(a_tournament())
    two = store.tournaments.create(a_tournament(ladder="sorry", owner="o_2"))
    hidden = store.tournaments.create(a_tournament(owner="o_3", settings={"private": True, "seats": 2}))
    bot = store.bots.create(a_bot(owner="o_4"))
    store.tournaments.enter(hidden.id, entrant(bot), 9)

    def listed(**wanted):
        return [t.id for t in store.tournaments.list(TournamentFilter(**wanted)).items]

    assert listed(viewer="") == [two.id, one.id]
    assert listed(viewer="o_4") == listed(viewer="o_3") == listed() == [hidden.id, two.id, one.id]
    assert listed(game="sorry") == [two.id]
    assert listed(owner="o_1") == [one.id]
    assert listed(state=TournamentState.RUNNING) == []
    page = store.tournaments.list(limit=1)
    assert [t.id for t in store.tournaments.list(cursor=page.next, limit=5).items] == [two.id, one.id]


def test_a_large_tournament_costs_little_before_its_results(redis_url):
    """499 500 games of 1 000 bots: nothing is kept for a game before it is made."""
    store = Store.connect(redis_url)
    contest = store.tournaments.create(a_tournament())
    before = store.info()["memory_bytes"]
    for i in range(1000):
        store.tournaments.enter(contest.id, entrant(a_bot(f"bot {i}")), 1000)
    store.tournaments.start(contest.id, 499_500)
    assert store.info()["memory_bytes"] - before < 2 * 2**20

"""Tournaments over a real store: nobody is overrun, nobody waits in vain, nothing is made twice."""

import random
import threading
from collections import Counter
from contextlib import suppress

import pytest

from service.competition import plan_of, withdrawn_from
from service.coordinate import AWAY, NO_BOT, advance
from service.errors import Conflict
from service.matches import PLAYED_ENOUGH
from service.models import BotState, MatchState, TournamentState
from service.starting import begin
from service.store import Store
from service.store.connection import Connection
from tests.service.store.make import a_match
from tests.service.tournaments.test_schedule import TABLES, cases
from tests.service.venue import NOW, a_tournament, an_entrant


def pairings_of(venue, tournament):
    """By pairing, the match that has its result."""
    plan = plan_of(venue.store.tournaments.get(tournament.id))
    return venue.store.tournaments.games(tournament.id, range(plan.count))


FORMATS = [
    ("quixo", 6, {}),
    ("quixo", 7, {"cycles": 2}),
    ("quixo", 6, {"kind": "gauntlet", "challengers": 2}),
    ("quixo-teams", 4, {"partners": "fixed"}),
    ("quixo-teams", 5, {"partners": "rotating"}),
    ("sorry", 5, {"seats": 3}),
    ("sorry", 4, {"seats": 4, "duplicate": True}),
]


@pytest.mark.parametrize(("game", "count", "settings"), FORMATS)
def test_every_game_is_played_once_and_by_whom_the_schedule_says(venue, game, count, settings):
    bots = venue.bots(count, games=(game,))
    contest = venue.play_out(venue.tournament(bots, game, **settings))
    plan = plan_of(contest)
    assert (contest.games_done, contest.games_total) == (plan.count, plan.count)
    assert len(venue.begun) == plan.count
    for pairing, match in pairings_of(venue, contest).items():
        players = venue.store.matches.get(match).players
        assert [p.bot for p in players] == [bots[entrant].id for entrant in plan.lineups[pairing]]
    assert list(venue.store.audit.differences(game)) == []


SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 40))]


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_could_run_runs(venue, seed):
    """F3, and nothing waits in vain: two tournaments and single matches over the same bots."""
    dice = venue.dice = random.Random(seed)
    bots = [bot for places in (1, 1, 1, 2, 3) for bot in venue.bots(2, places)]
    contests = [venue.tournament(dice.sample(bots, 7)), venue.tournament(dice.sample(bots, 8))]
    for _ in range(200):
        if dice.random() < 0.3:
            venue.store.matches.create(a_match(*dice.sample(bots, 2), requested_by=dice.choice(bots).owner))
        venue.settle_down()
        for contest in contests:
            if venue.store.tournaments.get(contest.id).state is TournamentState.RUNNING:
                assert venue.could_run(contest) == []
        venue.finish_some()
    for contest in contests:
        venue.play_out(contest)


def test_a_slow_bot_holds_up_nobody_but_its_own_opponents(venue):
    bots = venue.bots(6)
    contest = venue.tournament(bots)
    venue.settle_down()
    slow = next(iter(venue.running))
    while len(venue.running) > 1:
        for match_id in [match_id for match_id in venue.running if match_id != slow]:
            venue.finish(match_id)
        venue.settle_down()
    held_up = {player.bot for player in venue.running[slow].match.players}
    plan, now = plan_of(contest), venue.store.tournaments.get(contest.id)
    done = {result.game for result in venue.store.tournaments.results(contest.id)}
    rest = set(range(plan.count)) - done
    assert rest
    assert all(held_up & {now.entrants[e]["bot"] for e in plan.lineups[game]} for game in rest)


def test_tournaments_share_a_bot_in_turns(venue):
    """A bot that two tournaments want plays in both, neither waits until the other is over."""
    shared, *others = venue.bots(13)
    contests = [venue.tournament([shared, *others[:6]]), venue.tournament([shared, *others[6:]])]
    turns = []
    for _ in range(200):
        venue.settle_down()
        own = [c for c in venue.running.values() if shared.id in {p.bot for p in c.match.players}]
        turns += [c.match.tournament for c in own if not turns or turns[-1] != c.match.id]
        for match_id in list(venue.running):
            venue.finish(match_id)
        if len(turns) == 12:
            break
    assert sorted(Counter(turns).values()) == [6, 6]
    assert max(abs(turns[:n].count(contests[0].id) - n / 2) for n in range(1, 13)) <= 1


def test_two_coordinators_make_the_same_schedule(venue):
    contest = venue.tournament(venue.bots(8))
    stores = [Store(venue.store.db), Store(venue.store.db), venue.store]
    for _ in range(60):
        threads = [
            threading.Thread(target=advance, args=(store, contest.id, NOW, 100))
            for store in stores
            for _ in "ab"
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        venue.dispatch()
        if not venue.running:
            break
        venue.finish_some()
    assert venue.store.tournaments.get(contest.id).state is TournamentState.FINISHED
    assert len(venue.begun) == 28
    assert len(set(pairings_of(venue, contest).values())) == 28


def test_only_as_many_games_are_made_as_are_needed(venue):
    contest = venue.tournament(venue.bots(16))
    venue.coordinate()
    assert venue.store.pairings.progress(contest.id).made == 8
    venue.settle_down()
    venue.finish(next(iter(venue.running)))
    assert venue.coordinate() == 0, "the two that are free have met"
    venue.finish(next(iter(venue.running)))
    assert venue.coordinate() == 2


# Restarts


class Killed(BaseException):
    """What a process that is killed does not get to handle."""


class Mortal(Connection):
    """A connection of a process that is killed before its n-th word to Redis."""

    def __init__(self, client, lives: int) -> None:
        super().__init__(client)
        self.lives = lives

    def _one_less(self):
        if self.lives == 0:
            raise Killed
        self.lives -= 1

    def run(self, *command):
        self._one_less()
        return super().run(*command)

    def many(self, commands, atomic=False):
        self._one_less()
        return super().many(commands, atomic)

    def call(self, name, keys, args=(), raw=False):
        self._one_less()
        return super().call(name, keys, args, raw)

    def calls(self, calls):
        self._one_less()
        return super().calls(calls)


@pytest.mark.parametrize("lives", range(16))
def test_a_coordinator_killed_anywhere_makes_the_same_schedule(venue, lives):
    """Killed again and again at the same place, then started anew, in every round of 8 entrants."""
    bots = venue.bots(8)
    contest = venue.tournament(bots)
    venue.store.tournaments.withdraw(contest.id, bots[7].id) if lives % 2 else None
    while venue.store.tournaments.get(contest.id).state is not TournamentState.FINISHED:
        mortal = Store(Mortal(venue.store.db.client, lives))
        with suppress(Killed):
            advance(mortal, contest.id, NOW, 100)
        venue.store.sweep.mend()  # what the sweep does every half minute
        venue.advance(contest.id)
        venue.dispatch()
        venue.finish_some()
    plan, made = plan_of(contest), pairings_of(venue, contest)
    played = [m for m in venue.store.matches.get_many(venue.begun) if m.state is MatchState.FINISHED]
    assert len(played) == len(set(made.values())) == (21 if lives % 2 else 28)
    for match in played:
        assert made[match.pairing] == match.id
        assert [bots[entrant].id for entrant in plan.lineups[match.pairing]] == [p.bot for p in match.players]
    assert list(venue.store.audit.differences("quixo")) == []


def test_a_team_of_two_bots_plays_as_one_entrant(venue):
    """The first bot holds the lower of the team's two seats; the team has room as long as both have."""
    bots = venue.bots(5, games=("quixo-teams",))
    contest = venue.store.tournaments.create(a_tournament("quixo-teams", partners="fixed", seats=4))
    for entrant in (an_entrant(bots[0], bots[1]), an_entrant(bots[2], bots[3]), an_entrant(bots[4])):
        venue.store.tournaments.enter(contest.id, entrant, 10)
    begin(venue.store, venue.store.tournaments.get(contest.id), 10)
    over = venue.play_out(contest)
    assert over.games_done == 3
    for match in venue.store.matches.get_many(venue.begun):
        seats = [player.bot for player in match.players]
        for first, second in ((bots[0], bots[1]), (bots[2], bots[3])):
            if first.id in seats:
                assert seats.index(second.id) == seats.index(first.id) + 2
        assert (seats.count(bots[4].id), bots[4].id in seats) in ((2, True), (0, False))
    assert list(venue.store.audit.differences("quixo-teams")) == []


# Life


def test_a_paused_tournament_makes_nothing_and_goes_on_later(venue):
    contest = venue.tournament(venue.bots(4))
    venue.settle_down()
    venue.store.tournaments.set_state(contest.id, TournamentState.PAUSED)
    for match_id in list(venue.running):
        venue.finish(match_id)  # late results count
    venue.settle_down()
    assert (venue.running, venue.store.tournaments.get(contest.id).games_done) == ({}, 2)
    venue.store.tournaments.set_state(contest.id, TournamentState.RUNNING)
    assert venue.play_out(contest).games_done == 6


def test_a_cancelled_tournament_ends_what_has_not_begun(venue):
    bots = venue.bots(6)
    venue.workers(1)
    contest = venue.tournament(bots)
    venue.settle_down()
    assert len(venue.running) == 1
    venue.store.tournaments.set_state(contest.id, TournamentState.CANCELLED)
    venue.workers(100)
    venue.settle_down()
    [last] = venue.running
    states = Counter(m.state for m in venue.store.matches.get_many(list(venue.begun)))
    assert states == {MatchState.RUNNING: 1}
    assert venue.store.schedule.counts()["waiting"] == 0
    assert venue.store.schedule.stopped() == set()
    venue.finish(last)
    assert venue.store.tournaments.get(contest.id).games_done == 1
    assert list(venue.store.audit.differences("quixo")) == []


def test_a_voided_game_is_played_anew_even_after_the_end(venue):
    contest = venue.play_out(venue.tournament(venue.bots(4)))
    match = pairings_of(venue, contest)[2]
    venue.store.matches.void(match, "the bot's machine was down", "o_admin")
    assert venue.store.tournaments.get(contest.id).state is TournamentState.RUNNING
    again = venue.play_out(contest)
    assert again.games_done == 6
    assert pairings_of(venue, contest)[2] != match
    assert list(venue.store.audit.differences("quixo")) == []


def test_who_withdraws_early_is_struck_and_late_forfeits(venue):
    bots = venue.bots(5)
    contest = venue.tournament(bots)
    venue.settle_down()
    venue.store.tournaments.withdraw(contest.id, bots[0].id)
    over = venue.play_out(contest)
    played = [m for m in venue.store.matches.get_many(venue.begun) if m.state is MatchState.FINISHED]
    assert sum(bots[0].id in {p.bot for p in m.players} for m in played) <= 1, "only what was under way"
    assert over.games_done == 6 + len(played) - 6
    assert list(venue.store.audit.differences("quixo")) == []


def test_waiting_games_of_a_withdrawn_entrant_are_cancelled(venue):
    bots = venue.bots(4)
    venue.workers(0)
    contest = venue.tournament(bots)
    venue.settle_down()
    books = venue.store.pairings.books(contest.id)
    venue.store.tournaments.withdraw(contest.id, bots[0].id)
    venue.workers(10)
    over = venue.play_out(contest)
    states = Counter(m.state for m in venue.store.matches.get_many(list(books.open.values())))
    assert states == {MatchState.CANCELLED: 1, MatchState.FINISHED: 1}
    assert over.games_done == 3


# Who does not come


def away(venue, bot):
    venue.store.bots.set_state(bot.id, BotState.AWAY)


def test_an_entrant_that_stays_away_is_withdrawn_in_the_end(venue):
    bots = venue.bots(4)
    contest = venue.tournament(bots)
    away(venue, bots[2])
    for _ in range(20):
        venue.settle_down()
        venue.finish_some()
    now = venue.store.tournaments.get(contest.id)
    assert (now.state, now.games_done) == (TournamentState.RUNNING, 3), "the others have played"
    [task] = [t for t in venue.store.due.take() if t.kind == "coordinate"]
    assert task.payload == {"tournament": contest.id}
    venue.now_ms += 1_000
    venue.advance(contest.id)
    over = venue.play_out(contest)
    assert over.entrants[2]["withdrawn_reason"] == AWAY
    assert [e["withdrawn_at"] is None for e in over.entrants] == [True, True, False, True]


def test_who_comes_back_in_time_plays_on(venue):
    bots = venue.bots(4)
    contest = venue.tournament(bots)
    away(venue, bots[2])
    venue.settle_down()
    venue.now_ms += 900
    venue.store.bots.set_state(bots[2].id, BotState.ACTIVE)  # its room stirs the tournament
    venue.settle_down()
    assert venue.store.pairings.books(contest.id).absent == {}
    away(venue, bots[2])
    venue.settle_down()
    venue.now_ms += 900
    venue.advance(contest.id)
    venue.store.bots.set_state(bots[2].id, BotState.ACTIVE)
    assert venue.play_out(contest).games_done == 6


def test_a_pause_does_not_count_as_absence(venue):
    bots = venue.bots(4)
    contest = venue.tournament(bots)
    away(venue, bots[2])
    venue.settle_down()
    venue.store.tournaments.set_state(contest.id, TournamentState.PAUSED)
    venue.settle_down()
    venue.now_ms += 5_000
    venue.store.tournaments.set_state(contest.id, TournamentState.RUNNING)
    venue.settle_down()
    assert venue.store.tournaments.get(contest.id).entrants[2]["withdrawn_at"] is None


def test_whose_games_are_played_need_not_stay(venue):
    bots = venue.bots(3)
    contest = venue.tournament(bots)
    done = Counter()
    while done[bots[0].id] < 2:
        venue.settle_down()
        match = venue.finish(next(iter(venue.running)))
        done.update(player.bot for player in match.players)
    away(venue, bots[0])
    venue.settle_down()
    venue.now_ms += 5_000
    assert venue.play_out(contest).entrants[0]["withdrawn_at"] is None


def test_a_retired_bot_is_withdrawn_at_once(venue):
    bots = venue.bots(4)
    contest = venue.tournament(bots)
    venue.store.bots.set_state(bots[1].id, BotState.RETIRED)
    over = venue.play_out(contest)
    assert over.entrants[1]["withdrawn_reason"] == NO_BOT


# The start


def test_the_start_fixes_names_and_versions_and_leaves_out_who_is_no_more(venue):
    bots = venue.bots(4)
    contest = venue.store.tournaments.create(a_tournament())
    for bot in bots:
        venue.store.tournaments.enter(contest.id, an_entrant(bot), 100)
    venue.store.bots.update(bots[0].id, {"version": "2", "name": "newer"})
    venue.store.bots.set_state(bots[3].id, BotState.RETIRED)
    started = begin(venue.store, venue.store.tournaments.get(contest.id), 100)
    assert (started.entrants[0]["name"], started.entrants[0]["version"]) == ("newer", "2")
    assert [e["bot"] for e in started.entrants] == [bot.id for bot in bots[:3]]
    assert started.games_total == 3


def test_a_tournament_that_cannot_be_played_does_not_start(venue):
    contest = venue.store.tournaments.create(a_tournament())
    with pytest.raises(Conflict, match="at least two"):
        begin(venue.store, contest, 100)


# All at once

NUMBERS = [*range(2, 9), *(pytest.param(n, marks=pytest.mark.long) for n in range(9, 65))]
GAMES = {
    "none": {2: "quixo", 3: "sorry", 4: "sorry"},
    "fixed": {4: "quixo-teams"},
    "rotating": {4: "sorry-teams"},
}


def a_way(dice, entrants):
    """A random format that so many entrants can play, and its game."""
    ways = [
        (kind, options)
        for kind, count, options in cases([entrants], options=TABLES, challengers=(1, 3))
        if entrants <= 16 or options.seats == 2
    ]
    kind, options = dice.choice(ways)
    game = GAMES[str(options.partners)][options.seats]
    settings = {"kind": kind.name, "seats": options.seats, "partners": str(options.partners)}
    settings |= {"challengers": options.challengers, "cycles": dice.randint(1, 2) if entrants < 24 else 1}
    return game, settings | {"duplicate": game.startswith("sorry") and entrants < 9 and dice.random() < 0.5}


@pytest.mark.parametrize("entrants", NUMBERS)
def test_whatever_happens_it_comes_to_its_end(venue, entrants):
    """Random formats and results; entrants withdraw or go away, coordinators are killed, games voided."""
    dice = venue.dice = random.Random(entrants)
    game, settings = a_way(dice, entrants)
    bots = venue.bots(entrants, dice.randint(1, 3), games=(game,))
    contest = venue.tournament(bots, game, **settings)
    for _ in range(10_000):
        with suppress(Killed):
            advance(Store(Mortal(venue.store.db.client, dice.randint(0, 15))), contest.id, venue.now_ms, 100)
        if dice.random() < 0.2:
            something_happens(venue, dice, contest, bots)
        venue.store.sweep.mend()
        venue.settle_down()
        if venue.store.tournaments.get(contest.id).state is TournamentState.FINISHED:
            break
        venue.now_ms += 0 if venue.running else 1_000  # who stays away is withdrawn in the end
        venue.advance(contest.id)
        venue.finish_some()
    over = venue.store.tournaments.get(contest.id)
    assert over.state is TournamentState.FINISHED
    plan = plan_of(over)
    made = pairings_of(venue, over)
    for match in venue.store.matches.get_many(list(made.values())):
        assert match.state is MatchState.FINISHED
        assert [p.bot for p in match.players] == [bots[e].id for e in plan.lineups[match.pairing]]
    missing = set(range(plan.count)) - made.keys()
    withdrawn = set(withdrawn_from(over))
    assert all(withdrawn & set(plan.lineups[game].tolist()) for game in missing)
    assert list(venue.store.audit.differences(game)) == []


def something_happens(venue, dice, contest, bots):
    bot, kind = dice.choice(bots), dice.randrange(4)
    if kind == 0 and dice.random() < 0.3:
        venue.store.tournaments.withdraw(contest.id, bot.id)
    elif kind == 1:
        venue.store.bots.set_state(bot.id, dice.choice([BotState.AWAY, BotState.ACTIVE]))
    elif kind == 2 and (made := pairings_of(venue, contest)):
        match = dice.choice(list(made.values()))
        venue.running.pop(match, None)
        venue.store.matches.void(match, "as a test", "o_admin")
    elif kind == 3:
        for state in (TournamentState.PAUSED, TournamentState.RUNNING):
            with suppress(Conflict):
                venue.store.tournaments.set_state(contest.id, state, tuple(FROM[state]))
            venue.settle_down()


FROM = {
    TournamentState.PAUSED: [TournamentState.RUNNING],
    TournamentState.RUNNING: [TournamentState.PAUSED],
}


# Rated or not


def test_a_changed_version_plays_on_unrated(venue):
    bots = venue.bots(3)
    contest = venue.tournament(bots)
    venue.store.bots.update(bots[0].id, {"version": "2"})
    venue.play_out(contest)
    for match in venue.store.matches.get_many(venue.begun):
        changed = bots[0].id in {player.bot for player in match.players}
        assert match.rated is not changed
        assert ("entered as version 1 and is 2 now" in (match.unrated_reason or "")) is changed


def test_two_bots_play_so_many_rated_games_a_day(venue):
    venue.rated_a_day = 3
    contest = venue.play_out(venue.tournament(venue.bots(2, concurrency=4), cycles=8))
    again = venue.play_out(venue.tournament([venue.store.bots.get(e["bot"]) for e in contest.entrants]))
    assert again.games_done == 1
    matches = venue.store.matches.get_many(venue.begun)
    assert [match.rated for match in matches] == [True] * 3 + [False] * 6
    assert {match.unrated_reason for match in matches} == {None, PLAYED_ENOUGH}


def test_a_private_tournament_s_matches_are_private_and_unrated(venue):
    venue.play_out(venue.tournament(venue.bots(2), private=True))
    [match] = venue.store.matches.get_many(venue.begun)
    assert (match.private, match.rated) == (True, False)

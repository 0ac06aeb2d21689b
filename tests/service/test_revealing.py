"""A deck that several games share is not told before all of them are over."""

import pytest

from service.matches import Order, make_matches
from service.models import TournamentState
from service.revealing import withheld
from tests.service.venue import NOW, Control, game_named


def duplicates(venue, count, **settings):
    """A tournament of Sorry! in which each deck is played from both seats."""
    bots = venue.bots(count, concurrency=4, games=("sorry",))
    return venue.tournament(bots, "sorry", duplicate=True, **settings)


def read(venue, claim_or_id):
    return venue.store.matches.get(claim_or_id)


def test_a_set_s_games_have_one_secret_and_wait_for_one_another(venue):
    contest = duplicates(venue, 3)
    venue.settle_down()
    by_set = {}
    for claim in venue.running.values():
        by_set.setdefault(claim.match.set, []).append(claim.match)
    assert len(by_set) == 3
    assert all(len(games) == 2 and games[0].secret == games[1].secret for games in by_set.values())
    assert len({games[0].secret for games in by_set.values()}) == 3
    first, second = next(iter(by_set.values()))
    venue.finish(first.id)
    assert withheld(venue.store, read(venue, first.id))
    venue.finish(second.id)
    assert not withheld(venue.store, read(venue, first.id))
    venue.play_out(contest)


def test_what_is_not_made_yet_keeps_the_deck_too(venue):
    bots = venue.bots(2, games=("sorry",))
    contest = venue.tournament(bots, "sorry", duplicate=True)
    venue.settle_down()
    [first] = venue.running
    match = venue.finish(first)
    assert withheld(venue.store, match), "the other game of the set is not even made"
    venue.play_out(contest)
    assert not withheld(venue.store, match)


@pytest.mark.parametrize("state", [TournamentState.CANCELLED])
def test_a_cancelled_tournament_keeps_no_deck(venue, state):
    contest = venue.tournament(venue.bots(2, games=("sorry",)), "sorry", duplicate=True)
    venue.settle_down()
    [first] = venue.running
    match = venue.finish(first)
    venue.store.tournaments.set_state(contest.id, state)
    assert not withheld(venue.store, match)


def test_a_withdrawn_entrant_s_games_keep_no_deck(venue):
    bots = venue.bots(2, games=("sorry",))
    contest = venue.tournament(bots, "sorry", duplicate=True)
    venue.settle_down()
    [first] = venue.running
    match = venue.finish(first)
    venue.store.tournaments.withdraw(contest.id, bots[0].id)
    assert not withheld(venue.store, match)


def test_a_replay_has_a_deck_of_its_own(venue):
    """The voided game has shown cards of the set's deck, or all of it where the set was over."""
    contest = venue.play_out(duplicates(venue, 2))
    games = venue.store.tournaments.games(contest.id, [0, 1])
    before = read(venue, games[0])
    venue.store.matches.void(games[0], "as a test", "o_admin")
    assert not withheld(venue.store, read(venue, games[1])), "nothing more is played with the old deck"
    venue.settle_down()
    assert not withheld(venue.store, read(venue, games[1]))
    venue.play_out(contest)
    after = read(venue, venue.store.tournaments.games(contest.id, [0])[0])
    assert after.secret != before.secret
    assert (after.shared_deal, after.set) == (False, None), "it is a unit of its own"


def test_shared_openings_alone_keep_nothing_back(venue):
    venue.play_out(venue.tournament(venue.bots(2), cycles=2))
    matches = venue.store.matches.get_many(venue.begun)
    assert len({match.set for match in matches}) == 1
    assert len({match.opening_seed for match in matches}) == 1
    assert len({match.secret for match in matches}) == 2
    assert not any(withheld(venue.store, match) for match in matches)


def test_games_asked_for_together(venue):
    bots, rules = venue.bots(2, games=("sorry",)), game_named("sorry")
    order = Order(
        rules,
        tuple(bots),
        rules.full_options({}),
        Control.from_json("blitz"),
        bots[0].owner,
        count=4,
        duplicate=True,
    )
    made = venue.store.matches.create(make_matches(order, NOW, 100))
    venue.dispatch()
    first = next(iter(venue.running))
    venue.finish(first)
    assert withheld(venue.store, read(venue, first))
    other = next(match.id for match in made if first in match.set_games and match.id != first)
    venue.store.matches.cancel(other)
    assert not withheld(venue.store, read(venue, first))


def test_the_ledger_names_the_set(venue):
    contest = venue.play_out(duplicates(venue, 2))
    sets = [entry.payload["set"] for entry in venue.store.ledger.entries("sorry")]
    assert sets == [f"{contest.id}:0"] * 2

"""A ladder's fit as a job: made from the ledger, kept beside the Elo ratings, made anew with more."""

import pytest

from service.fitting import NOT_BEFORE_MS, compare, due, fit_ladder
from tests.service.store.make import a_match, played
from tests.service.venue import NOW


def lines(venue, bots, version="1"):
    return venue.store.fits.lines("quixo", [(bot.id, version) for bot in bots])


def test_everyone_who_has_played_has_a_rating_with_an_interval(venue):
    bots = venue.bots(6)
    venue.play_out(venue.tournament(bots, cycles=4))
    report = fit_ladder(venue.store, "quixo", NOW)
    assert (report.ledger, report.games, report.lines, report.left_out) == (60, 60, 6, 0)
    assert report.pools == ((6, True),)
    assert venue.store.fits.report("quixo") == report
    found = lines(venue, bots)
    assert sum(line.rating for line in found) / 6 == pytest.approx(1500)
    assert all((line.games, line.opponents, line.pool) == (20, 5, 0) for line in found)
    assert all(20 < line.half_width < 400 for line in found)
    elo = {bot.id: venue.store.ratings.get("quixo", bot.id).rating for bot in bots}
    best = max(zip(found, bots, strict=True), key=lambda pair: pair[0].rating)[1]
    assert elo[best.id] > 1_500_000, "online Elo and the fit agree on who is good"


def test_two_lines_are_compared_by_their_covariance(venue):
    bots = venue.bots(5)
    venue.play_out(venue.tournament(bots, cycles=3))
    fit_ladder(venue.store, "quixo", NOW)
    one, other = lines(venue, bots[:2])
    gap, likelihood = compare(venue.store, "quixo", one, other)
    back, unlikelihood = compare(venue.store, "quixo", other, one)
    assert gap.points == pytest.approx(-back.points, abs=0.01)
    assert gap.half_width == pytest.approx(back.half_width)
    assert likelihood + unlikelihood == pytest.approx(1)
    assert (likelihood > 0.5) == (gap.points > 0)
    assert compare(venue.store, "quixo", one, one)[0].points == 0
    variances = [(line.half_width / 1.96) ** 2 for line in (one, other)]
    own, theirs, both = venue.store.fits.covariances("quixo", one, other)
    assert [own, theirs] == pytest.approx(variances, rel=1e-3)
    assert both < 0, "in one pool of equal players strengths are pulled apart"


def test_pools_that_never_met_are_reported_and_not_joined(venue):
    first, second = venue.bots(4), venue.bots(3)
    venue.play_out(venue.tournament(first, cycles=2))
    venue.play_out(venue.tournament(second, cycles=2))
    report = fit_ladder(venue.store, "quixo", NOW)
    assert [size for size, _ in report.pools] == [4, 3]
    assert {line.pool for line in lines(venue, first)} == {0}
    assert {line.pool for line in lines(venue, second)} == {1}
    for bots in (first, second):
        one, other = lines(venue, bots[:2])
        own, theirs, _ = venue.store.fits.covariances("quixo", one, other)
        assert [own, theirs] == pytest.approx([(x.half_width / 1.96) ** 2 for x in (one, other)], rel=1e-3)


def test_a_new_version_is_a_new_line_with_a_wide_interval(venue):
    a, b = venue.bots(2)
    for number in range(40):
        seats = (a, b) if number % 2 else (b, a)
        played(venue.store, a_match(*seats), *((1, 2) if number % 3 else (2, 1)))
    newer = venue.store.bots.update(a.id, {"version": "2"})
    for seats, placing in (((newer, b), (1, 2)), ((b, newer), (1, 2))):
        played(venue.store, a_match(*seats), *placing)
    fit_ladder(venue.store, "quixo", NOW)
    [old], [new] = lines(venue, [a]), lines(venue, [a], "2")
    assert (old.games, new.games) == (40, 2)
    assert new.half_width > 1.5 * old.half_width
    elo = venue.store.ratings.get("quixo", a.id)
    assert (elo.version, elo.games, elo.provisional) == ("2", 2, True), "online Elo moves fast again"
    assert [line.games for line in venue.store.ratings.lines("quixo", a.id)] == [40, 2]


def test_voids_and_unrated_games_are_not_in_it(venue):
    bots = venue.bots(2)
    matches = [a_match(*bots) for _ in range(5)]
    for match in matches:
        played(venue.store, match, 1, 2)
    played(venue.store, a_match(*bots, rated=False, unrated_reason="as a test"), 2, 1)
    venue.store.matches.void(matches[0].id, "as a test", "o_admin")
    report = fit_ladder(venue.store, "quixo", NOW)
    assert (report.ledger, report.games) == (7, 4)
    assert report.pools == ((2, False),), "who won everything has no finite rating but for the prior"


def test_a_fit_is_due_when_the_ledger_has_grown_but_not_too_soon(venue):
    bots = venue.bots(2)
    assert list(due(venue.store, NOW)) == []
    played(venue.store, a_match(*bots), 1, 2)
    assert list(due(venue.store, NOW)) == ["quixo"]
    fit_ladder(venue.store, "quixo", NOW)
    assert list(due(venue.store, NOW + 10**9)) == []
    played(venue.store, a_match(*bots), 1, 2)
    assert list(due(venue.store, NOW + NOT_BEFORE_MS - 1)) == []
    assert list(due(venue.store, NOW + NOT_BEFORE_MS)) == ["quixo"]


def test_a_newer_fit_takes_over_and_the_old_one_goes(venue):
    bots = venue.bots(2)
    played(venue.store, a_match(*bots), 1, 2)
    fit_ladder(venue.store, "quixo", NOW)
    before = lines(venue, bots)
    played(venue.store, a_match(*bots), 1, 2)
    fit_ladder(venue.store, "quixo", NOW + 1)
    assert [line.games for line in before] == [1, 1]
    assert [line.games for line in lines(venue, bots)] == [2, 2]
    kept = [
        key for key in venue.store.db.client.scan_iter("*fit-*:*") if venue.store.db.client.ttl(key) == -1
    ]
    assert len(kept) == 2, "lines and covariances of the newest fit; the older ones expire"


def test_only_one_fits_a_ladder_at_a_time(venue):
    assert venue.store.fits.begin("quixo", 1000)
    assert not venue.store.fits.begin("quixo", 1000)
    assert venue.store.fits.begin("sorry", 1000)
    venue.store.fits.end("quixo")
    assert venue.store.fits.begin("quixo", 1000)


def test_games_of_a_duplicate_set_are_one_unit(venue):
    """The same results with and without sets: with them the intervals are cluster-robust."""
    bots = venue.bots(4, games=("sorry",), concurrency=8)
    venue.play_out(venue.tournament(bots, "sorry", duplicate=True, cycles=8))
    report = fit_ladder(venue.store, "sorry", NOW)
    assert report.games == 96
    sets = {entry.payload["set"] for entry in venue.store.ledger.entries("sorry", 0, 1000)}
    assert len(sets) == 48

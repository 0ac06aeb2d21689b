"""A tournament's records in one file: what is in it, for whom, in what order, and what a cut looks like."""

from __future__ import annotations

import gzip
import json

import pytest

from engines.record import verify
from service.api import streams
from service.competition import plan_of
from service.coordinate import advance
from service.models import TournamentState
from service.store.retention import Kept
from tests.service.api.conftest import problem
from tests.service.api.playing import beat, now_ms, play
from tests.service.api.test_tournaments import enter, make


@pytest.fixture
def people(service):
    return [service.somebody() for _ in range(4)]


def started(service, host, people, **settings):
    """A tournament of one bot of each, that has begun; its id."""
    contest = make(host, **settings)
    game = settings.get("game", "quixo")
    for person in people:
        bot = service.bot(person, games=[game], concurrency=10)
        assert enter(host, contest, bot["id"]).status_code == 201
    assert host.post(f"/v1/tournaments/{contest['id']}/start").status_code == 200
    return contest["id"]


def play_on(service, contest, games=1000):
    """Make what can be made and play so many games of it."""
    beat(service.store)
    advance(service.store, contest, now_ms(), 100)
    made = service.store.pairings.books(contest).open
    for _, match in sorted(made.items())[:games]:
        play(service.store, match, moves=2, loser=1)


def export(person, contest, **headers):
    answer = person.get(f"/v1/tournaments/{contest}/records", headers=headers)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer


def records(person, contest):
    return [json.loads(line) for line in export(person, contest).data.splitlines()]


def played_in_order(service, contest):
    """The ids of the matches in the order of the schedule."""
    count = plan_of(service.store.tournaments.get(contest)).count
    return list(service.store.tournaments.games(contest, range(count)).values())


def test_every_game_that_is_over_has_a_line_that_holds_in_the_order_of_the_schedule(service, ada, people):
    contest = started(service, ada, people, cycles=2)
    play_on(service, contest, games=5)
    made = played_in_order(service, contest)
    found = records(service.nobody, contest)
    assert [r["header"]["match_id"] for r in found] == made[:5], "games that are not over have no line"
    assert [verify(record) for record in found] == [[]] * 5
    play_on(service, contest)
    answer = export(service.nobody, contest)
    assert answer.mimetype == "application/jsonl"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{contest}.jsonl"'
    assert len(answer.data.splitlines()) == 12
    assert answer.data.endswith(b"}\n")
    assert streams.streams.taken == 0


def test_a_line_is_what_the_record_s_own_address_gives(service, ada, people):
    contest = started(service, ada, people)
    play_on(service, contest)
    for person in (service.nobody, people[0], ada):
        for record in records(person, contest):
            assert record == person.get(f"/v1/matches/{record['header']['match_id']}/record").json
    receipts = [e for r in records(people[0], contest) for e in r["events"] if "receipt" in e]
    assert receipts, "an owner has the receipts of his own bots' turns"
    assert b'"receipt":' not in export(service.nobody, contest).data
    assert b'"receipt":' not in export(ada, contest).data, "the host plays in none of them"


def test_it_is_compressed_if_that_is_asked_for(service, ada, people):
    contest = started(service, ada, people)
    play_on(service, contest)
    plain = export(service.nobody, contest)
    zipped = export(service.nobody, contest, **{"Accept-Encoding": "br, gzip"})
    assert "Content-Encoding" not in plain.headers
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in zipped.headers["Vary"]
    assert gzip.decompress(zipped.data) == plain.data
    assert len(zipped.data) < len(plain.data) / 2
    refused = export(service.nobody, contest, **{"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


def test_nothing_has_been_played_yet(service, ada, people):
    draft = make(ada)["id"]
    assert export(service.nobody, draft).data == b""
    contest = started(service, ada, people)
    assert export(service.nobody, contest, **{"Accept-Encoding": "gzip"}).data[:2] == b"\x1f\x8b"


def test_a_private_tournament_is_there_for_its_host_and_for_each_entrant_s_own_games(service, ada, people):
    contest = started(service, ada, people, private=True)
    play_on(service, contest)
    assert len(records(ada, contest)) == 6
    assert len(records(people[0], contest)) == 3, "he has played in three"
    for stranger in (service.nobody, service.somebody()):
        assert problem(stranger.get(f"/v1/tournaments/{contest}/records")) == (404, "not-found")


def test_a_deck_that_is_still_played_with_is_withheld(service, ada, people):
    contest = started(service, ada, people[:2], game="sorry", duplicate=True)
    play_on(service, contest, games=1)
    assert records(ada, contest) == []
    play_on(service, contest)
    assert len(records(ada, contest)) == 2


def test_names_are_withheld_until_the_end_and_records_hold_after_it(service, ada, people):
    contest = started(service, ada, people[:2], pseudonyms=True)
    path = f"/v1/tournaments/{contest}/records"
    for person in (ada, people[0], service.nobody):
        assert problem(person.get(path)) == (409, "record-withheld")
    play_on(service, contest)
    advance(service.store, contest, now_ms(), 100)
    assert service.store.tournaments.get(contest).state is TournamentState.FINISHED
    [record] = records(service.nobody, contest)
    assert verify(record) == []
    assert record == service.nobody.get(f"/v1/matches/{record['header']['match_id']}/record").json


def test_a_voided_game_has_the_line_of_the_one_that_took_its_place(service, ada, people):
    contest = started(service, ada, people[:2])
    play_on(service, contest)
    [first] = played_in_order(service, contest)
    service.store.matches.void(first, "for the test", "o_1")
    assert records(ada, contest) == []
    play_on(service, contest)
    [record] = records(ada, contest)
    assert record["header"]["match_id"] not in (first, None)


def test_what_was_deleted_by_its_age_has_no_line(service, ada, people):
    contest = started(service, ada, people[:2])
    play_on(service, contest)
    [match] = played_in_order(service, contest)
    service.store.matches._parts.archive.delete(match)
    assert records(ada, contest) == []
    gone = ada.get(f"/v1/matches/{match}/record")
    assert problem(gone) == (404, "not-found")
    assert "deleted" in gone.json["detail"]
    assert service.store.retention.apply(Kept()) == 0


def test_a_stop_of_the_server_cuts_it_short_and_no_place_is_lost(service, ada, people):
    contest = started(service, ada, people)
    play_on(service, contest)
    answer = ada.get(f"/v1/tournaments/{contest}/records", buffered=False)
    lines = iter(answer.response)
    assert next(lines)
    assert streams.streams.taken == 1
    streams.stopping.set()
    try:
        with pytest.raises(Exception, match="being stopped"):
            list(lines)
    finally:
        streams.stopping.clear()
        answer.close()
    assert streams.streams.taken == 0


def test_more_than_there_may_be_at_once_are_told_to_come_again(start_service):
    service = start_service(max_streams=0)
    contest = make(service.somebody())["id"]
    refused = service.nobody.get(f"/v1/tournaments/{contest}/records")
    assert problem(refused) == (503, "too-many-streams")
    assert refused.headers["Retry-After"] == "5"

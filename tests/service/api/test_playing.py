"""From a match to ratings: events, record, ladder, history; and what the operator does to them."""

import pytest

from engines.record import verify
from service.models import Role
from tests.service.api.conftest import fields, problem
from tests.service.api.playing import begin, claim, play


@pytest.fixture
def pair(service, ada, bob):
    return [service.bot(ada)["id"], service.bot(bob)["id"]]


@pytest.fixture
def match(ada, pair):
    return ada.post("/v1/matches", json={"game": "quixo", "bots": pair}).json["items"][0]["id"]


def test_a_finished_match_s_record_holds_what_can_be_checked(service, ada, bob, match):
    play(service.store, match)
    seen = service.nobody.get(f"/v1/matches/{match}").json
    assert seen["state"] == "finished"
    assert seen["result"]["reason"] == "resigned"
    record = service.nobody.get(f"/v1/matches/{match}/record").json
    assert verify(record) == []
    assert record["chain_head"] == seen["chain_head"]
    assert not any("receipt" in event for event in record["events"])
    own = ada.get(f"/v1/matches/{match}/record").json
    assert {e["seat"] for e in own["events"] if "receipt" in e} == {0}
    assert verify(own) == []


def test_events_come_in_pages_with_their_ids(service, match):
    play(service.store, match)
    path = f"/v1/matches/{match}/events"
    everything = service.nobody.get(path).json
    assert [event["id"] for event in everything["items"]] == list(range(1, everything["next"] + 1))
    assert everything["over"] is True
    assert (everything["items"][0]["type"], everything["items"][-1]["type"]) == ("started", "finished")
    first = service.nobody.get(f"{path}?limit=2").json
    assert (len(first["items"]), first["next"], first["over"]) == (2, 2, False)
    rest = service.nobody.get(f"{path}?after=2").json
    assert first["items"] + rest["items"] == everything["items"]
    assert service.nobody.get(f"{path}?after=999").json == {"items": [], "next": 999, "over": True}


def test_events_of_a_live_match_tell_no_secret(service, ada, match):
    begin(service.store, match)
    text = ada.get(f"/v1/matches/{match}/events").get_data(as_text=True)
    assert service.store.matches.get(match).secret not in text
    assert problem(ada.get(f"/v1/matches/{match}/record")) == (409, "match-not-over")


@pytest.mark.parametrize("query", ["after=-1", "after=x", "wait=31", "wait=-1", "limit=0", "limit=1001"])
def test_bad_event_queries_are_refused(service, match, query):
    assert problem(service.nobody.get(f"/v1/matches/{match}/events?{query}")) == (422, "invalid")


def test_ratings_follow(service, ada, pair, match):
    play(service.store, match, loser=1)
    table = service.nobody.get("/v1/ratings/quixo").json["items"]
    assert [(row["rank"], row["bot"], row["wins"], row["losses"]) for row in table] == [
        (1, pair[0], 1, 0),
        (2, pair[1], 0, 1),
    ]
    assert table[0]["rating"] == table[0]["rating_milli"] / 1000 > 1500 > table[1]["rating"]
    assert table[0]["provisional"] is True
    one = service.nobody.get(f"/v1/ratings/quixo/{pair[0]}").json
    assert one == table[0]
    [change] = service.nobody.get(f"/v1/ratings/quixo/{pair[0]}/history").json["items"]
    assert (change["match"], change["before"], change["after"]) == (match, 1500, table[0]["rating"])
    assert (change["place"], change["opponents"]) == (1, [pair[1]])


def test_ratings_come_in_pages(service, ada, bob, pair):
    for _ in range(3):
        match = ada.post("/v1/matches", json={"game": "quixo", "bots": pair}).json["items"][0]["id"]
        play(service.store, match)
    first = service.nobody.get("/v1/ratings/quixo?limit=1").json
    second = service.nobody.get(f"/v1/ratings/quixo?limit=1&cursor={first['next']}").json
    assert first["items"][0]["rank"], second["items"][0]["rank"] == (1, 2)
    assert second["next"] is None
    history, cursor = [], ""
    while cursor is not None:
        page = service.nobody.get(f"/v1/ratings/quixo/{pair[0]}/history?limit=2{cursor}").json
        history += page["items"]
        cursor = f"&cursor={page['next']}" if page["next"] else None
    assert len({change["match"] for change in history}) == 3


def test_ladders_and_bots_without_ratings(service, pair):
    assert {row["ladder"] for row in service.nobody.get("/v1/ratings").json["items"]} >= {"quixo", "sorry"}
    assert problem(service.nobody.get("/v1/ratings/chess")) == (404, "not-found")
    assert problem(service.nobody.get(f"/v1/ratings/quixo/{pair[0]}")) == (404, "not-found")
    assert problem(service.nobody.get("/v1/ratings/quixo/b_0000000000000000")) == (404, "not-found")


def test_voiding_takes_the_ratings_back(service, ada, pair, match):
    play(service.store, match)
    admin = service.somebody(Role.ADMIN)
    answer = admin.post(f"/v1/admin/matches/{match}/void", json={"reason": "the bots were one program"})
    assert answer.status_code == 200
    assert (answer.json["state"], answer.json["state_reason"]) == ("void", "the bots were one program")
    assert service.nobody.get("/v1/ratings/quixo").json["items"] == []
    assert problem(ada.post(f"/v1/admin/matches/{match}/void", json={"reason": "mine"})) == (
        403,
        "missing-role",
    )


def test_a_void_needs_a_reason(service, match):
    answer = service.somebody(Role.ADMIN).post(f"/v1/admin/matches/{match}/void", json={})
    assert problem(answer) == (422, "invalid")
    assert fields(answer) == ["reason"]


def test_held_matches_are_listed_and_resumed(service, match):
    admin = service.somebody(Role.ADMIN)
    service.store.matches.hold(claim(service.store, match), "kept failing")
    [held] = admin.get("/v1/admin/held").json["items"]
    assert (held["id"], held["state_reason"]) == (match, "kept failing")
    assert admin.post(f"/v1/admin/matches/{match}/resume").json["state"] == "queued"
    assert problem(admin.post(f"/v1/admin/matches/{match}/resume")) == (409, "wrong-state")
    assert admin.get("/v1/admin/held").json["items"] == []


def test_a_running_match_cannot_be_cancelled(service, ada, match):
    begin(service.store, match)
    assert problem(ada.post(f"/v1/matches/{match}/cancel")) == (409, "wrong-state")

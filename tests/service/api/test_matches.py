"""Asking for matches: each wrong request has its own error; what comes out is what was asked for."""

import pytest

from engines.clock import PRESETS
from service.models import Role
from tests.service.api.conftest import fields, problem

UNKNOWN = "b_0000000000000000"


@pytest.fixture
def pair(service, ada, bob):
    """Bots of two owners."""
    return [service.bot(ada)["id"], service.bot(bob)["id"]]


def ask(person, bots, **more):
    return person.post("/v1/matches", json={"game": "quixo", "bots": bots, **more})


def test_one_match(service, ada, bob, pair):
    made = ask(ada, pair, clock="bullet", opening=4)
    assert made.status_code == 201
    [match] = made.json["items"]
    assert made.headers["Location"] == f"/v1/matches/{match['id']}"
    assert (match["state"], match["rated"], match["unrated_reason"]) == ("queued", True, None)
    assert match["clock"] == PRESETS["bullet"].to_json()
    assert [p["bot"] for p in match["players"]] == pair
    assert match["opening_plies"] == 4
    read = service.nobody.get(f"/v1/matches/{match['id']}").json
    assert read == match
    assert not {"secret", "opening_seed"} & set(read)


def test_count_rotates_the_seats(ada, pair):
    made = ask(ada, pair, count=3).json["items"]
    assert [m["players"][0]["bot"] for m in made] == [pair[0], pair[1], pair[0]]


def test_a_clock_in_full(ada, pair):
    clock = {"control": "byoyomi", "base_ms": 1000, "periods": 3, "period_ms": 500}
    assert ask(ada, pair, clock=clock).json["items"][0]["clock"]["periods"] == 3


@pytest.mark.parametrize(
    ("body", "kind", "field"),
    [
        ({"game": "chess"}, "invalid", "game"),
        ({"bots": [UNKNOWN, UNKNOWN]}, "unknown-bot", "bots.0"),
        ({"bots": ["nonsense", UNKNOWN]}, "invalid", "bots.0"),
        ({"bots": []}, "invalid", "bots"),
        ({"bots": [UNKNOWN]}, "wrong-seat-count", "bots"),
        ({"bots": [UNKNOWN] * 3}, "wrong-seat-count", "bots"),
        ({"count": 0}, "invalid", "count"),
        ({"count": 1000}, "invalid", "count"),
        ({"clock": "endless"}, "bad-clock", "clock"),
        ({"clock": 5}, "bad-clock", "clock"),
        ({"clock": {"control": "fischer"}}, "bad-clock", "clock.base_ms"),
        ({"clock": {"control": "fischer", "base_ms": -1}}, "bad-clock", "clock.base_ms"),
        ({"clock": {"control": "fischer", "base_ms": 10**12}}, "bad-clock", "clock.base_ms"),
        ({"clock": {"control": [], "base_ms": 1}}, "bad-clock", "clock.control"),
        (
            {"clock": {"control": "fischer", "base_ms": 1000, "allowance_ms": 9}},
            "bad-clock",
            "clock.allowance_ms",
        ),
        ({"clock": {"hours": 1}}, "bad-clock", "clock.hours"),
        ({"options": {"size": 6}}, "bad-option", "options.size"),
        ({"options": {"size": True}}, "bad-option", "options.size"),
        ({"options": {"colour": "red"}}, "bad-option", "options.colour"),
        ({"options": []}, "invalid", "options"),
        ({"opening": 21}, "invalid", "opening"),
        ({"attempts": 0}, "invalid", "attempts"),
        ({"rated": "no"}, "invalid", "rated"),
    ],
)
def test_wrong_requests_have_errors_of_their_own(ada, pair, body, kind, field):
    answer = ada.post("/v1/matches", json={"game": "quixo", "bots": pair, **body})
    assert problem(answer) == (422, kind)
    assert fields(answer)[0] == field


def test_a_bot_cannot_play_itself(ada, pair):
    answer = ask(ada, [pair[0], pair[0]])
    assert problem(answer) == (422, "own-bot-both-sides")
    assert fields(answer) == ["bots.1"]


def test_two_bots_of_one_owner_play_unrated_and_the_match_says_why(service, ada):
    made = ask(ada, [service.bot(ada)["id"], service.bot(ada)["id"]])
    [match] = made.json["items"]
    assert match["rated"] is False
    assert "one owner" in match["unrated_reason"]


def test_a_game_that_the_bot_does_not_play(service, ada, pair):
    other = service.bot(ada, games=["sorry"])["id"]
    answer = ask(ada, [other, pair[1]])
    assert problem(answer) == (422, "game-not-played")
    assert fields(answer) == ["bots.0"]


def test_an_unverified_bot(service, ada, pair):
    fresh = service.bot(ada, active=False)["id"]
    answer = ask(ada, [pair[0], fresh])
    assert problem(answer) == (409, "unverified-bot")
    assert fields(answer) == ["bots.1"]


@pytest.mark.parametrize(("how", "kind"), [("away", "bot-away"), ("retire", "bot-retired")])
def test_bots_that_are_not_there(ada, pair, how, kind):
    path = f"/v1/bots/{pair[0]}"
    assert (ada.patch(path, json={"away": True}) if how == "away" else ada.delete(path)).status_code < 300
    assert problem(ask(ada, pair)) == (409, kind)


def test_somebody_else_s_private_bot_is_unknown(service, ada, bob, pair):
    hidden = service.bot(bob, private=True)["id"]
    answer = ask(ada, [pair[0], hidden])
    assert problem(answer) == (422, "unknown-bot")
    assert fields(answer) == ["bots.1"]


def test_challenges_are_the_owner_s_choice(service, ada, bob, pair):
    closed = service.bot(bob, challenges="nobody")["id"]
    some = service.bot(bob, challenges="owners", challengers=[ada.id])["id"]
    assert problem(ask(ada, [pair[0], closed])) == (403, "challenge-refused")
    assert ask(bob, [pair[0], closed]).status_code == 201
    assert ask(ada, [pair[0], some]).status_code == 201
    assert problem(ask(service.somebody(), [pair[0], some])) == (403, "challenge-refused")


def test_challenges_a_day(service, ada, bob, pair):
    limited = service.bot(bob, challenges_per_day=2)["id"]
    assert ask(ada, [pair[0], limited], count=2).status_code == 201
    answer = ask(ada, [pair[0], limited])
    assert problem(answer) == (429, "challenges-used-up")
    assert fields(answer) == ["bots.1"]
    assert ask(bob, [pair[0], limited]).status_code == 201


def test_rated_games_a_pair_and_day_are_bounded(start_service):
    service = start_service(rated_per_pair_day=3)
    ada, bob = service.somebody(), service.somebody()
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    assert [m["rated"] for m in ask(ada, pair, count=2).json["items"]] == [True, True]
    made = ask(ada, pair[::-1], count=2).json["items"]
    assert [m["rated"] for m in made] == [True, False]
    assert "today" in made[1]["unrated_reason"]


def test_open_matches_have_a_quota_that_ends_free_again(start_service):
    service = start_service(open_matches_per_owner=2)
    ada, bob = service.somebody(), service.somebody()
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    [first, _] = ask(ada, pair, count=2).json["items"]
    assert problem(ask(ada, pair)) == (409, "quota")
    assert ada.post(f"/v1/matches/{first['id']}/cancel").status_code == 200
    assert ask(ada, pair).status_code == 201


def test_cancelling(service, ada, bob, pair):
    [match] = ask(ada, pair).json["items"]
    path = f"/v1/matches/{match['id']}/cancel"
    assert problem(bob.post(path)) == (404, "not-found")
    assert ada.post(path).json["state"] == "cancelled"
    assert ada.post(path).status_code == 200


def test_filters(service, ada, bob, pair):
    sorry = [service.bot(who, games=["sorry"])["id"] for who in (ada, bob, service.somebody())]
    [a] = ask(ada, pair).json["items"]
    [b] = ask(ada, sorry, game="sorry").json["items"]
    ada.post(f"/v1/matches/{b['id']}/cancel")

    def listed(query):
        return [match["id"] for match in ada.get(f"/v1/matches{query}").json["items"]]

    assert listed("") == [b["id"], a["id"]]
    assert listed("?game=quixo") == [a["id"]]
    assert listed(f"?bot={sorry[2]}") == [b["id"]]
    assert listed("?owner=me&state=queued") == [a["id"]]
    assert listed(f"?owner={bob.id}") == [b["id"], a["id"]]
    assert listed(f"?from={a['created_at']}") == [b["id"], a["id"]]
    assert listed(f"?to={a['created_at']}") == []
    assert listed("?from=2100-01-01T00:00:00Z") == []


def test_a_wrong_time_is_refused_by_name(ada):
    for text in ("yesterday", "2026-01-01", "2026-01-01T00:00:00", "99999-01-01T00:00:00Z"):
        answer = ada.get("/v1/matches", query_string={"from": text})
        assert problem(answer) == (422, "invalid")
        assert fields(answer) == ["from"]


def test_private_matches_are_seen_by_those_concerned(service, ada, bob):
    mine = [service.bot(ada, private=True)["id"], service.bot(ada)["id"]]
    [match] = ask(ada, mine).json["items"]
    assert match["unrated_reason"]
    path = f"/v1/matches/{match['id']}"
    assert ada.get(path).status_code == 200
    assert service.somebody(Role.ADMIN).get(path).status_code == 200
    for tail in ("", "/events", "/record"):
        assert problem(bob.get(path + tail)) == (404, "not-found")
    assert bob.get("/v1/matches").json["items"] == []
    assert len(ada.get("/v1/matches").json["items"]) == 1


def test_the_record_comes_with_the_end(ada, pair):
    [match] = ask(ada, pair).json["items"]
    assert problem(ada.get(f"/v1/matches/{match['id']}/record")) == (409, "match-not-over")


@pytest.mark.parametrize(
    "path", ["m_quixo_0000000000000000", "m_nothing_0000000000000000", "m_", "b_1", "{quixo}"]
)
def test_a_match_that_is_not_there(ada, path):
    for tail in ("", "/events", "/record"):
        assert problem(ada.get(f"/v1/matches/{path}{tail}")) == (404, "not-found")

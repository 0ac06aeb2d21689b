"""A match from the request to the ratings, and every way a bot can spoil one."""

import time

import pytest

from bots.sdk import Bot
from engines.record import verify
from engines.registry import GAMES
from tests.e2e.conftest import wait_for
from workers.client import ApiError, Client
from workers.embedded import free_port


def first_move(name="first"):
    bot = Bot(name)

    @bot.move(*GAMES)
    def move(turn):
        return turn.legal_moves[0]

    return bot


def answering(text, name="odd"):
    bot = Bot(name)

    @bot.move(*GAMES)
    def move(turn):
        if isinstance(text, float):
            time.sleep(text)
            return turn.legal_moves[0]
        return text

    return bot


@pytest.fixture(scope="module")
def pair(service):
    """Two owners with a well-behaved Quixo bot each."""
    owners = [service.owner(), service.owner()]
    return owners, [service.bot(owner, "quixo", first_move()) for owner in owners]


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_every_game_is_played_rated_and_its_record_holds(service, game):
    owners = [service.owner(), service.owner()]
    one, two = (service.bot(owner, game, first_move()) for owner in owners)
    seats = GAMES[game].seats[0]
    match = service.match(owners[0], game, [one, two] * (seats // 2), clock="rapid")
    assert match["state"] == "finished"
    assert match["rated"], match["unrated_reason"]
    record = owners[1].get(f"/v1/matches/{match['id']}/record")
    assert verify(record) == []
    receipts = [event["seat"] % 2 for event in record["events"] if "receipt" in event]
    assert set(receipts) == {1}, "an owner sees the receipts of his own bot only"
    ratings = [owners[0].get(f"/v1/ratings/{game}/{bot}") for bot in (one, two)]
    assert [row["games"] for row in ratings] == [1, 1]
    assert sum(row["rating_milli"] for row in ratings) == 3_000_000
    history = owners[0].get(f"/v1/ratings/{game}/{one}/history")["items"]
    assert [line["match"] for line in history] == [match["id"]]


SPOILERS = [
    ("zz", "illegal-move"),
    (9999, "illegal-move"),
    (3.0, "timeout"),
]


@pytest.mark.parametrize(("answer", "reason"), SPOILERS)
def test_a_bot_that_spoils_a_match_loses_it_for_its_own_reason(service, pair, answer, reason):
    (owner, _), (good, _) = pair
    other = service.owner()
    bad = service.bot(other, "quixo", answering(answer))
    clock = {"control": "per_move", "base_ms": 1500}
    match = service.match(owner, "quixo", [bad, good], clock=clock)
    assert match["result"]["reason"] == reason
    assert match["result"]["placing"] == [2, 1]
    events = owner.get(f"/v1/matches/{match['id']}/events")["items"]
    fault = next(event for event in events if event["type"] == "fault")
    assert fault["seat"] == 0
    assert len(fault["detail"]) > 10


def test_a_bot_that_is_gone_does_not_come_and_the_other_wins(service, pair):
    (owner, _), (good, _) = pair
    other = service.owner()
    port = free_port()
    made = service.register(other, "quixo", f"http://127.0.0.1:{port}/")
    with first_move().listen(port=port, secret=made["secret"]):
        other.post(f"/v1/bots/{made['id']}/verify", {})
        wait_for(lambda: other.get(f"/v1/bots/{made['id']}")["state"] == "active", "verification")
    match = service.match(owner, "quixo", [good, made["id"]])
    fault = owner.get(f"/v1/matches/{match['id']}/events")["items"][1]
    assert fault["detail"].endswith(
        "three tries (the last one: the bot could not be reached: connection refused)"
    )
    assert match["result"]["reason"] == "no-show"
    assert match["result"]["placing"] == [1, 2]


def test_matches_between_bots_of_one_owner_are_unrated_and_say_why(service):
    owner = service.owner()
    one, two = service.bot(owner, "quixo", first_move()), service.bot(owner, "quixo", first_move())
    match = service.match(owner, "quixo", [one, two])
    assert not match["rated"]
    assert "one owner" in match["unrated_reason"]


def refused(call, *args, **kwargs):
    with pytest.raises(ApiError) as error:
        call(*args, **kwargs)
    return error.value


def test_every_wrong_request_has_its_own_error(service, pair):
    (owner, other), (one, two) = pair
    sorry = service.bot(other, "sorry", first_move())
    unverified = service.register(other, "quixo", f"http://127.0.0.1:{free_port()}/")["id"]
    cases = [
        (["b_0000000000000000", one], "unknown-bot"),
        ([one, one], "own-bot-both-sides"),
        ([one, sorry], "game-not-played"),
        ([one], "wrong-seat-count"),
        ([one, two, sorry], "wrong-seat-count"),
        ([one, unverified], "unverified-bot"),
    ]
    seen = {}
    for bots, slug in cases:
        error = refused(owner.post, "/v1/matches", {"game": "quixo", "bots": bots})
        seen[slug] = error.problem["type"].rsplit("/", 1)[-1]
        assert 400 <= error.status < 500
        assert error.problem["detail"]
        assert set(error.problem) >= {"type", "title", "status", "detail"}
    assert seen == {slug: slug for _, slug in cases}


def test_without_a_key_nothing_is_created(service):
    error = refused(Client(service.base).post, "/v1/matches", {"game": "quixo", "bots": []})
    assert error.status == 401


@pytest.mark.slow  # every match waits twenty seconds for the bot to come
def test_a_bot_that_fails_five_matches_in_a_row_is_paused_and_told_why(service, pair):
    (owner, _), (good, _) = pair
    other = service.owner()
    port = free_port()
    made = service.register(other, "quixo", f"http://127.0.0.1:{port}/", concurrency=8)
    with first_move().listen(port=port, secret=made["secret"]):
        other.post(f"/v1/bots/{made['id']}/verify", {})
        wait_for(lambda: other.get(f"/v1/bots/{made['id']}")["state"] == "active", "verification")
    owner.post("/v1/matches", {"game": "quixo", "bots": [good, made["id"]], "count": 5})
    wait_for(lambda: other.get(f"/v1/bots/{made['id']}")["state"] == "paused", "the breaker", 120)
    assert "did not answer `start`" in other.get(f"/v1/bots/{made['id']}")["state_reason"]
    error = refused(owner.post, "/v1/matches", {"game": "quixo", "bots": [good, made["id"]]})
    assert error.problem["type"].endswith("bot-paused")
    with first_move().listen(port=port, secret=made["secret"]):
        other.post(f"/v1/bots/{made['id']}/verify", {})
        wait_for(lambda: other.get(f"/v1/bots/{made['id']}")["state"] == "active", "the owner's check")


def test_an_owner_sees_how_his_bot_does_and_nobody_else_may(service, pair):
    (owner, other), (good, _) = pair
    stranger = service.owner()
    slow = service.bot(stranger, "quixo", answering(0.05, "slow"))
    service.match(owner, "quixo", [good, slow])
    wait_for(lambda: stranger.get(f"/v1/bots/{slow}/health")["turns"] > 0, "the health")
    seen = stranger.get(f"/v1/bots/{slow}/health")
    assert 50 <= seen["charged"]["p50_ms"] <= seen["charged"]["p99_ms"] <= seen["charged"]["max_ms"]
    assert seen["last_seen_at"] is not None
    assert seen["faults"] == {}
    assert refused(other.get, f"/v1/bots/{slow}/health").status == 404

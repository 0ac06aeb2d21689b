"""Duplicate deals over the whole service: one deck from both seats, told of only when both games are over."""

import threading

import pytest

from bots.sdk import Bot
from engines.record import verify
from tests.e2e.conftest import wait_for
from tests.e2e.test_match import refused

pytestmark = pytest.mark.slow


def test_one_deck_from_both_seats(service):
    owners = [service.owner(), service.owner()]
    told, begun, second_may_go = [], [], threading.Event()

    def make_bot():
        player = Bot("patient")

        @player.move
        def move(turn):
            begun.append(turn.match_id)
            if turn.match_id != begun[0]:
                second_may_go.wait(60)
            return turn.legal_moves[0]

        @player.end
        def end(end, *_):
            told.append((end.match_id, end.seed))

        return player

    bots = [service.bot(owner, "sorry", make_bot(), concurrency=1) for owner in owners]
    wanted = {"game": "sorry", "bots": bots, "clock": "rapid", "count": 2, "duplicate": True}
    pair = [m["id"] for m in owners[0].post("/v1/matches", wanted)["items"]]
    first = wait_over(service, owners[0], pair, 1)[0]
    error = refused(owners[0].get, f"/v1/matches/{first}/record")
    assert (error.status, error.problem["type"]) == (409, "/problems/record-withheld")
    second_may_go.set()
    wait_over(service, owners[0], pair, 2)
    records = [owners[0].get(f"/v1/matches/{match}/record") for match in pair]
    assert [verify(record) for record in records] == [[], []]
    assert records[0]["seed"] == records[1]["seed"], "the bots' nonces did not change the deck"
    assert records[0]["events"][0]["nonces"] == ["", ""]
    assert owners[0].get(f"/v1/matches/{pair[0]}")["shared_deal"] is True
    wait_for(lambda: len(told) == 4, "all ends")
    by_match = {match: {seed for m, seed in told if m == match} for match in pair}
    assert by_match[first] == {None}, "the seed was not told while the other game was to come"
    other = next(match for match in pair if match != first)
    assert by_match[other] == {records[0]["seed"]}


def wait_over(service, client, matches, count):
    def over():
        return [m for m in matches if client.get(f"/v1/matches/{m}")["state"] == "finished"]

    wait_for(lambda: len(over()) >= count, "the games", 60)
    return over()

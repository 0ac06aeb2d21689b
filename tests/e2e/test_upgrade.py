"""An upgrade with matches in flight: they go on under the rules they began with, or are voided by name."""

import json
from dataclasses import replace

import pytest

from engines.clock import Control
from engines.registry import GAMES
from service.matches import Common, Order, make_match
from service.models import MatchState
from service.store import keys
from tests.chaos.arena import arena
from tests.e2e.conftest import wait_for
from tests.e2e.test_match import first_move


def test_a_match_of_another_version_of_the_rules_is_voided_and_says_why(service):
    owners = [service.owner(), service.owner()]
    ids = [service.bot(owner, "quixo", first_move()) for owner in owners]
    store = service.store
    bots = [store.bots.get(bot) for bot in ids]
    kind = GAMES["quixo"]
    order = Order(kind, tuple(bots), kind.full_options({}), Control.from_json("blitz"), bots[0].owner)
    old = replace(make_match(order, bots, Common(), None, 0), engine_version=kind.version + 1)
    store.matches.create(old)
    path = f"/v1/matches/{old.id}"
    wait_for(lambda: owners[0].get(path)["state"] == "void", "the void")
    assert f"version {kind.version + 1}" in owners[0].get(path)["state_reason"]
    assert list(store.audit.differences("quixo")) == []


def make_older(store, match_id):
    """As if the match had been made, and begun, by a program with an earlier version of the rules."""
    doc = json.loads(store.db.run("HGET", keys.match(match_id), "doc"))
    store.db.run("HSET", keys.match(match_id), "doc", json.dumps(doc | {"engine_version": 0}))


@pytest.mark.slow
def test_matches_in_flight_go_on_or_are_voided_by_name_after_an_upgrade():
    with arena(concurrency=10) as place:
        before = place.stack.parts[place.start_worker()]
        place.add_bots("quixo", 4, pause_s=0.1)
        asked = place.ask(6)
        place.wait_plies(asked, 8)
        before.terminate()
        before.wait(30)
        left = {match.id: match for match in place.now(asked)}
        assert all(match.state is not MatchState.FINISHED for match in left.values())
        old, same = asked[:3], asked[3:]
        for match in old:
            make_older(place.store, match.id)
        kept = {match.id: place.store.matches.record(match.id) for match in same}
        place.start_worker()
        over = {match.id: match for match in place.wait_over(asked, 60)}
        for match in old:
            assert over[match.id].state is MatchState.VOID
            assert "version 0 of quixo's rules; the service now has" in over[match.id].state_reason
        for match in same:
            assert over[match.id].state is MatchState.FINISHED
            events = place.store.matches.record(match.id)
            assert events[: len(kept[match.id])] == kept[match.id], "what was played before stands"
        assert place.faults(list(over.values())) == place.bad_records(same) == place.differences() == 0
        assert place.ledger_rows() == 6, "three results and three voids"

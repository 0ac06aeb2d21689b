"""A match that was made under other rules than the program has is voided by name."""

from dataclasses import replace

from engines.clock import Control
from engines.registry import GAMES
from service.matches import Common, Order, make_match
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

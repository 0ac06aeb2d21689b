"""A match that fails for reasons of ours is held with the reason and shown, not looped or dropped."""

import json

import pytest
from click.testing import CliRunner

from service.models import MatchState
from service.store import keys
from service.store.running import FAILURES_TO_HOLD
from tests.chaos.arena import arena
from workers.cli import main


def with_options(store, match, options):
    """Change what is stored of a match, as a fault of ours might have."""
    doc = json.loads(store.db.run("HGET", keys.match(match.id), "doc"))
    store.db.run("HSET", keys.match(match.id), "doc", json.dumps(doc | {"options": options}))


@pytest.mark.slow
def test_a_match_that_cannot_be_played_is_held_and_the_others_go_on():
    with arena(lease_ms=1000, concurrency=4) as place:
        place.add_bots("quixo", 4, pause_s=0.0)
        spoiled, *good = place.ask(6)
        with_options(place.store, spoiled, {})
        place.start_worker()
        over = {match.id: match for match in place.wait_over([spoiled, *good], 60)}
        assert over[spoiled.id].state is MatchState.HELD
        assert "KeyError" in over[spoiled.id].state_reason
        assert [over[match.id].state for match in good] == [MatchState.FINISHED] * 5
        log = place.stack.log("worker-0").read_text()
        assert log.count("match failed") == FAILURES_TO_HOLD, "it was tried so often and no more"

        environ = place.stack.environ | {"COLUMNS": "200"}
        shown = CliRunner().invoke(main, ["status"], env=environ).output
        assert f"held: {spoiled.id}: {over[spoiled.id].state_reason}" in shown
        with_options(place.store, spoiled, dict(spoiled.options))
        place.store.matches.resume(spoiled.id)
        [resumed] = place.wait_over([spoiled], 30)
        assert resumed.state is MatchState.FINISHED
        assert place.faults([resumed]) == place.bad_records([resumed]) == place.differences() == 0

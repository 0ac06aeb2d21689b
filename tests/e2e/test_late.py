"""A bot that is being started again when its match begins."""

from __future__ import annotations

import time

import pytest

from tests.e2e.conftest import wait_for
from tests.e2e.test_match import first_move
from workers.embedded import free_port

pytestmark = pytest.mark.slow


def test_it_is_waited_for_and_plays(service):
    """PROTOCOL, `start`: three tries, which are not made within a moment; the wait is on nobody's clock."""
    owner = service.owner()
    there = service.bot(service.owner(), "quixo", first_move())
    port = free_port()
    made = service.register(owner, "quixo", f"http://127.0.0.1:{port}/")
    with first_move().listen(port=port, secret=made["secret"]):
        owner.post(f"/v1/bots/{made['id']}/verify", {})
        wait_for(lambda: owner.get(f"/v1/bots/{made['id']}")["state"] == "active", "verification")
    body = {"game": "quixo", "bots": [made["id"], there], "clock": "bullet"}
    match = owner.post("/v1/matches", body)["items"][0]["id"]
    wait_for(lambda: owner.get(f"/v1/matches/{match}")["state"] == "running", "its start")
    time.sleep(4)
    with first_move().listen(port=port, secret=made["secret"]):
        over = service.over(owner, match)
    assert over["result"]["reason"] not in ("no-show", "unreachable", "timeout")
    record = owner.get(f"/v1/matches/{match}/record")
    assert record["events"][0]["no_shows"] == []
    assert sum(e["charged_us"] for e in record["events"] if e["type"] == "move") < 4_000_000

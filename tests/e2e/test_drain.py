"""A worker is drained and let in again, with matches in flight: over the API, by real processes."""

import json
import time

import pytest
from click.testing import CliRunner

from bots.sdk import Bot
from service.api.access import scopes_of
from service.models import Role
from tests.e2e.conftest import running_service, wait_for
from workers.cli import main
from workers.client import Client

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """A service of its own with two workers that play matches, and an administrator."""
    with running_service(tmp_path_factory.mktemp("drained")) as service:
        service.stack.start_part("second", "worker", "--queue", "matches", "-c", "16")
        wait_for(lambda: len(players(service)) == 2, "the second worker")
        yield service


@pytest.fixture(scope="module")
def admin(league):
    owner = league.store.owners.create("Root", Role.ADMIN)
    return Client(league.base, league.store.keys.create(owner.id, "k", scopes_of(Role.ADMIN)).text)


def players(service):
    """The workers of the matches' queue, by name."""
    return {w.name: w for w in service.store.workers.alive() if w.queue == "matches"}


def slow_bot():
    bot = Bot("slow")

    @bot.move
    def move(turn):
        time.sleep(0.2)
        return turn.legal_moves[0]

    return bot


def start_matches(service, count):
    """Matches that take some seconds; their ids."""
    owner = service.owner()
    pair = [service.bot(owner, "quixo", slow_bot(), concurrency=20) for _ in range(2)]
    body = {"game": "quixo", "bots": pair, "clock": "rapid", "count": count, "rated": False}
    return owner, [match["id"] for match in owner.post("/v1/matches", body)["items"]]


def test_a_drained_worker_plays_to_the_end_takes_nothing_and_comes_back(league, admin):
    owner, first = start_matches(league, 10)
    wait_for(lambda: sum(w.running for w in players(league).values()) == 10, "ten matches in flight")
    name, busy = max(players(league).items(), key=lambda item: item[1].running)
    assert busy.running > 0
    path = f"/v1/admin/workers/{name}"
    assert admin.post(f"{path}/drain", {})["items"][0]["drained"] is True
    seen = {w["name"]: w for w in admin.get("/v1/admin/workers")["items"]}
    assert [w["name"] for w in seen.values() if w["drained"]] == [name]

    wait_for(lambda: players(league)[name].running == 0, "the last match of the drained worker")
    for match in first:
        found = league.over(owner, match)
        assert (found["state"], found["result"]["reason"]) == ("finished", "line")
    workers_log = "".join(league.stack.log(part).read_text() for part in ("worker", "second"))
    assert '"event": "drained"' in workers_log

    owner, second = start_matches(league, 10)
    began = time.monotonic()
    most = dict.fromkeys(players(league), 0)
    while any(owner.get(f"/v1/matches/{m}")["state"] != "finished" for m in second):
        for worker, at in players(league).items():
            most[worker] = max(most[worker], at.running)
        assert time.monotonic() - began < 60
        time.sleep(0.2)
    assert most.pop(name) == 0, "it takes nothing"
    assert max(most.values()) == 10, "the other one plays all, none waits for a hint that was lost"

    shown = CliRunner().invoke(main, ["status"], env=league.stack.environ | {"COLUMNS": "200"})
    assert "drained" in shown.output
    assert admin.post(f"{path}/undrain", {})["items"][0]["drained"] is False
    wait_for(lambda: players(league)[name].places == 16, "its places")
    start_matches(league, 20)
    wait_for(lambda: players(league)[name].running > 0, "matches on the worker that came back")


def test_a_service_with_nothing_but_drained_workers_says_so(league, admin):
    for name in players(league):
        admin.post(f"/v1/admin/workers/{name}/drain", {})
    shown = CliRunner().invoke(main, ["selfcheck"], env=league.stack.environ)
    assert "drained" in shown.output
    status = CliRunner().invoke(main, ["status", "--json"], env=league.stack.environ)
    workers = json.loads(status.output)["workers"]
    assert all(w["drained"] for w in workers if w["queue"] == "matches")

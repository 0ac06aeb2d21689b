"""Bots without an address in the whole service: programs that fetch their turns meet bots that have one."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import bots
from bots.samples import SAMPLES, greedy_bot, random_bot
from bots.sdk import Bot
from bots.sdk.api import Api
from bots.sdk.poll import Poller
from engines.record import verify
from tests.e2e.conftest import wait_for

pytestmark = pytest.mark.slow

SORRY_ONLY = {"expectimax"}


@pytest.fixture
def owner(service):
    """Somebody new, with the key to hand to a bot."""
    client = service.owner("poller")
    client.key = client._session.headers["Authorization"].removeprefix("Bearer ")
    return client


@pytest.fixture
def fetching(service, owner):
    """Start a program as a bot that fetches its turns; its id once the service knows it."""
    running = []

    def start(*command: str) -> str:
        words = [sys.executable, *command, "--server", service.base, "--key", owner.key]
        running.append(subprocess.Popen(words, stderr=subprocess.DEVNULL))
        return only_bot(owner)

    yield start
    for process in running:
        process.terminate()
        assert process.wait(15) == 0


def only_bot(owner) -> str:
    """The id of the owner's one bot, as soon as it has registered itself and polls."""

    def polls() -> bool:
        return any(bot["last_poll_at"] for bot in owner.get("/v1/bots", owner="me")["items"])

    wait_for(polls, "registration and the first poll")
    (made,) = owner.get("/v1/bots", owner="me")["items"]
    assert (made["state"], made["transport"]) == ("active", "poll")
    return made["id"]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_sample_plays_whole_matches_without_an_address(service, owner, fetching, name):
    game = "sorry" if name in SORRY_ONLY else "quixo"
    here = fetching("-m", f"bots.samples.{SAMPLES[name]}")
    other = service.owner()
    there = service.bot(other, game, greedy_bot.make())
    check_match(owner, service.match(other, game, [here, there]))


def test_the_first_bot_of_the_page_plays_without_an_address(service, owner, fetching, tmp_path):
    page = (Path(bots.__path__[0]) / "README.md").read_text()
    (tmp_path / "first.py").write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    here = fetching(str(tmp_path / "first.py"))
    other = service.owner()
    there = service.bot(other, "sorry-points", random_bot.make())
    check_match(owner, service.match(other, "sorry-points", [here, there]))


def check_match(owner, match) -> None:
    """Played to its end without a fault, and the turns of seat 0 were timed at the API."""
    record = owner.get(f"/v1/matches/{match['id']}/record")
    assert match["result"]["outcome"] in ("decided", "drawn")
    assert [event for event in record["events"] if event["type"] == "fault"] == []
    assert verify(record) == []
    moves = [event for event in record["events"] if event["type"] == "move" and event["seat"] == 0]
    assert {event["receipt"]["stamp"] for event in moves} == {"api"}


def test_a_bot_that_stops_polling_runs_its_own_clock_down(service, owner):
    sleeping, woken = threading.Event(), threading.Event()
    bot = Bot("sleeper")

    @bot.move
    def move(turn):
        if turn.turn > 1:
            sleeping.set()
            woken.wait(30)
        return turn.legal_moves[0]

    poller = Poller(bot, Api(service.base, owner.key), lambda: None)
    other = service.owner()
    there = service.bot(other, "quixo", random_bot.make())
    clock = {"control": "per_move", "base_ms": 1000}
    match = service.match(other, "quixo", [only_bot(owner), there], clock=clock)
    woken.set()
    poller.stop()
    assert sleeping.is_set()
    assert (match["result"]["reason"], match["result"]["placing"]) == ("timeout", [2, 1])

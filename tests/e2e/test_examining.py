"""`arbiter bot check BOT` against the whole service: bots with and without an address, good and ill."""

from __future__ import annotations

import json
from contextlib import contextmanager
from signal import Signals

import pytest
from click.testing import CliRunner

from bots.samples import random_bot
from bots.sdk import Bot
from bots.sdk.api import Api
from bots.sdk.poll import Poller
from engines.clock import PRESETS
from service.ids import new_id
from service.models import Examination
from service.store import keys
from service.store.examinations import Bounds
from service.store.owners import now_ms
from tests.browser.players import thoughtful
from tests.e2e.conftest import wait_for
from tests.e2e.test_poll import only_bot
from workers.commands.checks import check_command
from workers.embedded import free_port

pytestmark = pytest.mark.slow


def key_of(client) -> str:
    return client._session.headers["Authorization"].removeprefix("Bearer ")


def check(service, client, *arguments):
    return CliRunner().invoke(check_command, [*arguments, "--server", service.base, "--key", key_of(client)])


@contextmanager
def polling(service, client, bot: Bot):
    """A bot that fetches its turns from the service; its id."""
    poller = Poller(bot, Api(service.base, key_of(client)), lambda: None)
    try:
        yield only_bot(client)
    finally:
        poller.stop()


def test_a_registered_bot_is_checked_by_name_and_verified_on_the_way(service):
    owner = service.owner()
    port = free_port()
    made = service.register(owner, "sorry", f"http://127.0.0.1:{port}/", concurrency=2)
    with random_bot.make().listen(port=port, secret=made["secret"]):
        done = check(service, owner, made["name"], "--clock", "course")
    assert done.exit_code == 0, done.output
    assert "sorry, verification: the bot proves that it knows its secret" in done.output
    assert "sorry, concurrency: 2 matches at once are played" in done.output
    assert "the service's view: active" in done.output
    assert "faults: none" in done.output


def test_a_check_that_no_worker_was_told_of_is_made_all_the_same(service):
    owner = service.owner()
    bot = service.bot(owner, "quixo", random_bot.make())
    store = service.store
    draft = Examination(new_id("c"), bot, owner.owner, ("quixo",), PRESETS["course"].to_json(), now_ms())
    store.examinations.ask(draft, None, Bounds(9, 9), None)
    path = f"/v1/bots/{bot}/checks/{draft.id}"
    wait_for(lambda: owner.get(path)["state"] == "done", "the sweep's hint and the check")
    assert owner.get(path)["passed"] is True


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_a_check_outlives_its_worker(service, signal):
    owner = service.owner()
    bot = service.bot(owner, "quixo", thoughtful(0.25))
    path = f"/v1/bots/{bot}/checks"
    check = owner.post(path, {})["id"]
    wait_for(lambda: owner.get(f"{path}/{check}")["findings"], "the first finding")
    worker = service.stack.parts["control"]
    worker.send_signal(Signals[signal])
    worker.wait(20)
    assert owner.get(f"{path}/{check}")["state"] in ("running", "waiting")
    held = int(service.store.db.run("HGET", keys.examination(check), "held_until"))
    if signal == "SIGKILL":  # as if its time had passed
        assert held > now_ms()
        service.store.db.run("HSET", keys.examination(check), "held_until", 1)
        service.store.db.run("ZADD", keys.examinations(), 1, check)
    service.stack.start_part("control", "worker", "--queue", "control", "-c", "8")
    wait_for(lambda: owner.get(f"{path}/{check}")["state"] == "done", "another worker")
    seen = owner.get(f"{path}/{check}")
    assert seen["passed"] is True
    assert [f["check"] for f in seen["findings"]].count("match") == 1, "it was begun anew"
    assert seen["service"]["health"]["open_matches"] == 0


def test_what_must_be_mended_is_exit_code_one_and_json_has_it_all(service):
    owner = service.owner()
    done = check(
        service, owner, service.register(owner, "quixo", f"http://127.0.0.1:{free_port()}/")["id"], "--json"
    )
    assert done.exit_code == 1
    *findings, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert [f["check"] for f in findings] == ["verification", "later"]
    assert (last["passed"], last["service"]["health"]["state"]) == (False, "unverified")


def test_a_bot_without_an_address_is_checked_through_its_mailbox(service):
    owner = service.owner()
    with polling(service, owner, random_bot.make()) as bot:
        done = check(service, owner, bot, "--game", "sorry-points", "--clock", "course")
    assert done.exit_code == 0, done.output
    assert "sorry-points, positions: " in done.output
    assert "keep-alive" not in done.output


def test_a_bot_without_an_address_that_plays_nonsense_is_named(service):
    owner = service.owner()
    bot = Bot("nonsense")

    @bot.move
    def move(turn):
        return "z9N"

    with polling(service, owner, bot) as bot_id:
        done = check(service, owner, bot_id, "--game", "quixo")
    assert done.exit_code == 1
    assert "one of legal_moves" in done.output

"""What the operator's commands say of a server: status, selfcheck, audit, the sweep with its retention."""

from __future__ import annotations

import json
import re
import resource

import pytest
from click.testing import CliRunner

from service.config import Settings
from service.jobs import Jobs
from service.store import Store
from tests.service.store.make import a_bot, a_match, claimed, played
from tests.service.store.test_operator import old_match
from workers.cli import main
from workers.commands.operator import MEANINGS, _few_files


@pytest.fixture
def command(redis_url):
    """command(words…, NAME=value…): an `arbiter` command on an empty server."""

    def run(*words: str, **environ: str):
        given = {"ARBITER_REDIS_URL": redis_url, "COLUMNS": "200", "ARBITER_LOG_LEVEL": "error"}
        return CliRunner().invoke(main, words, env=given | environ)

    return run


@pytest.fixture
def store(redis_url):
    opened = Store.connect(redis_url)
    yield opened
    opened.close()


@pytest.fixture
def pair(store):
    return [store.bots.create(a_bot(name, concurrency=9)) for name in ("ada", "berna")]


def test_status_shows_keys_memory_queues_matches_and_workers_with_their_progress(
    store, pair, command, redis_url
):
    store.workers.beat("host:1", "matches", 50, 1, {"matches": 12, "turns": 340})
    claimed(store, a_match(*pair))
    store.matches.hold(claimed(store, a_match(*pair)), "it failed 5 times: no such move")
    jobs = Jobs.at(redis_url)
    assert jobs.play("m_quixo_1")
    assert jobs.deliver()
    assert jobs.deliver()
    shown = command("status").output
    for text in ("keys in Redis", "12 matches, 340 turns", "it failed 5 times: no such move"):
        assert text in shown
    assert re.search("most memory that Redis may use, bytes +none", shown)
    told = json.loads(command("status", "--json").output)
    assert told["counts"].keys() == MEANINGS.keys()
    assert {"keys", "memory_bytes", "memory_limit_bytes", "due", "outbox"} <= set(told["counts"])
    assert (told["counts"]["running"], told["counts"]["held"]) == (1, 1)
    assert told["queues"] == {"matches": 1, "control": 2}
    [worker] = [worker for worker in told["workers"] if worker["name"] == "host:1"]
    assert (worker["running"], worker["progress"]) == (1, {"matches": 12, "turns": 340})
    assert list(told["held"].values()) == ["it failed 5 times: no such move"]


def test_a_broker_that_is_not_there_is_named(command):
    shown = command("status", ARBITER_BROKER_URL="redis://127.0.0.1:9/0")
    assert shown.exit_code == 1
    assert "ARBITER_BROKER_URL" in shown.output


def test_selfcheck_is_well_or_says_what_is_not(store, command):
    shown = command("selfcheck")
    assert shown.exit_code == 1
    assert "no worker plays matches" in shown.output
    store.workers.beat("host:1", "matches", 50, 0)
    shown = command("selfcheck")
    assert (shown.exit_code, shown.output) == (0, "all is well\n")
    store.db.run("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        shown = command("selfcheck")
    finally:
        store.db.run("CONFIG", "SET", "maxmemory-policy", "noeviction")
    assert shown.exit_code == 1
    assert "noeviction" in shown.output


def test_too_few_open_files_are_named_with_what_is_needed():
    settings = Settings(max_streams=100, max_polls=100, api_threads=50, threads=50)
    assert _few_files(settings, 1024) == _few_files(settings, resource.RLIM_INFINITY) == ()
    [said] = _few_files(settings, 256)
    assert "256" in said
    assert "450" in said
    assert "LimitNOFILE" in said


def test_audit_prints_what_differs_and_repair_what_it_did(store, pair, command):
    played(store, a_match(*pair), 1, 2)
    clean = command("audit", "--ladder", "quixo")
    assert (clean.exit_code, clean.output) == (0, "quixo: 1 ledger entries, 0 differences\n")
    [table] = store.db.run("KEYS", "{quixo}:g*:table")
    store.db.run("ZADD", table, 1, pair[0].id)
    wrong = command("audit", "--ladder", "quixo")
    assert wrong.exit_code == 1
    assert pair[0].id in wrong.output
    assert "by the ledger" in wrong.output
    repaired = command("audit", "--ladder", "quixo", "--repair")
    assert repaired.exit_code == 0
    assert repaired.output.startswith("· ")
    assert command("audit", "--ladder", "quixo").exit_code == 0


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({}, (True, True)),
        ({"ARBITER_RECORDS_DAYS": "30"}, (True, False)),
        ({"ARBITER_MATCHES_DAYS": "30"}, (False, False)),
        ({"ARBITER_RECORDS_DAYS": "90"}, (True, True)),
    ],
)
def test_the_sweep_keeps_as_long_as_the_settings_say(store, pair, command, settings, kept):
    old, new = old_match(40, *pair), old_match(1, *pair)
    for match in (old, new):
        played(store, match, 1, 2)
    assert command("sweep", "--once", **settings).exit_code == 0
    ids = {match.id for match in store.matches.list().items}
    assert (old.id in ids, bool(ids >= {old.id} and store.matches.record(old.id))) == kept
    assert store.matches.record(new.id)
    assert list(store.audit.differences("quixo")) == []

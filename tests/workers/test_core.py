"""A worker's threads stay on one core, and leave it if another one has clearly more time to spare."""

import contextlib
import os
import random
import threading
from pathlib import Path

import pytest

from workers import core as module
from workers.core import Core, Reading, chosen

CORES = sorted(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("idle", "here", "own", "goes"),
    [
        ({0: 1.0, 1: 2.0}, None, 0.0, {1}),
        ({0: 0.0, 1: 0.0}, None, 0.0, {0, 1}),
        ({0: 1.9, 1: 2.0}, None, 0.0, {0, 1}),
        ({0: 0.0, 1: 2.0}, 0, 2.0, {None}),  # it is busy with us alone
        ({0: 0.0, 1: 2.0}, 0, 1.0, {1}),  # somebody else has half of it
        ({0: 0.0, 1: 1.4}, 0, 1.0, {None}),  # not worth it
        ({0: 1.5, 1: 2.0}, 0, 0.1, {None}),
        ({0: 0.0, 1: 1.9, 2: 2.0, 3: 0.3}, 0, 0.5, {1, 2}),
    ],
)
def test_where_to(idle, here, own, goes):
    assert {chosen(idle, here, own, 0.5) for _ in range(50)} == goes


@pytest.fixture
def readings(monkeypatch):
    """What is read next; the cores that all threads may use come back afterwards."""
    given = []
    monkeypatch.setattr(module, "read", lambda: given.pop(0))
    yield given
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), set(CORES))


def cores_of_threads():
    return {frozenset(os.sched_getaffinity(int(t.name))) for t in Path("/proc/self/task").iterdir()}


@pytest.mark.skipif(len(CORES) < 2, reason="there is one core")
def test_all_threads_move_and_new_ones_follow(readings, monkeypatch):
    monkeypatch.setattr(random, "random", lambda: 0.0)
    one, other = CORES[:2]
    idle = dict.fromkeys(CORES, 0.0)
    readings += [
        Reading(idle, 0.0, 0.0),
        Reading(idle | {one: 1.0}, 0.0, 1.0),  # settles on the one
        Reading(idle | {one: 1.0, other: 0.1}, 1.0, 2.0),  # has all of it
        Reading(idle | {one: 1.0, other: 1.1}, 1.3, 3.0),  # shares it
    ]
    core = Core()
    for expected in (one, one, other):
        core.look()
        assert cores_of_threads() == {frozenset({expected})}
    seen = []
    thread = threading.Thread(target=lambda: seen.append(os.sched_getaffinity(0)))
    thread.start()
    thread.join()
    assert seen == [{other}]


@pytest.mark.skipif(len(CORES) < 2, reason="there is one core")
def test_two_that_share_a_core_do_not_both_leave_it(readings, monkeypatch):
    monkeypatch.setattr(random, "random", lambda: 0.9)
    idle = dict.fromkeys(CORES, 0.0)
    readings += [Reading(idle, 0.0, 0.0), Reading(idle | {CORES[0]: 1.0}, 0.0, 1.0)]
    core = Core()
    core.look()
    readings.append(Reading(idle | {CORES[0]: 1.0, CORES[1]: 1.0}, 0.1, 2.0))
    core.look()
    assert cores_of_threads() == {frozenset({CORES[0]})}


def test_where_there_is_one_core_nothing_is_read(readings, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    readings.append(Reading({0: 0.0}, 0.0, 0.0))
    Core().look()
    assert readings == []


def test_what_is_read_of_this_machine():
    before, after = module.read(), module.read()
    assert set(CORES) <= set(before.idle)
    assert all(after.idle[core] >= before.idle[core] for core in CORES)
    assert after.at >= before.at

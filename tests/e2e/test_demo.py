"""The demo, as a stranger starts it: it ends well, leaves nothing running, and goes on where it was."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "workers.cli", "demo"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc and PR_SET_PDEATHSIG are Linux's")


def processes_of(folder):
    """The processes that were started with `folder` in their command line or environment."""
    mark, found = str(folder).encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if mark in text:
                found.append(int(entry.name))
    return found


def all_gone(folder, seconds=20):
    deadline = time.monotonic() + seconds
    while processes_of(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    return processes_of(folder) == []


def remembered(folder):
    path = folder / "demo.json"
    return path.read_text() if path.exists() else ""


@pytest.fixture
def start(tmp_path):
    """start(options…): a demo on this test's folder, ended with the test whatever comes of it."""
    started = []

    def run(*options):
        command = [*COMMAND, "--data", str(tmp_path), "--cycles", "1", "--port", "18080", *options]
        environ = {**os.environ, "DEMO_MARK": str(tmp_path), "COLUMNS": "100"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        started.append(subprocess.Popen(command, env=environ, **pipes))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.slow
@linux
@pytest.mark.timeout(180)
def test_killed_in_the_middle_it_leaves_nothing_and_goes_on_to_the_tables(tmp_path, start):
    first = start()
    deadline = time.monotonic() + 60
    while "tournament sorry" not in remembered(tmp_path):
        assert time.monotonic() < deadline
        assert first.poll() is None, first.stdout.read()
        time.sleep(0.05)
    first.kill()
    first.wait()
    assert all_gone(tmp_path)

    second = start("--once")
    printed, _ = second.communicate(timeout=120)
    assert second.returncode == 0, printed
    assert "Quixo demo league" in printed
    assert "Sorry! demo league" in printed
    for column in ("rank", "bot", "played", "won", "drawn", "lost", "points", "rating"):
        assert column in printed
    assert len(re.findall(r"^ +\d+ +\w+-(?:quixo|sorry) +3 ", printed, re.MULTILINE)) == 8, printed
    assert "http://127.0.0.1:" in printed
    assert all_gone(tmp_path)

    third = start("--once")
    again, _ = third.communicate(timeout=60)
    assert third.returncode == 0, again
    assert tables(again) == tables(printed), "a league that was played is shown again, not played again"


def tables(printed):
    return [line for line in printed.splitlines() if re.search(r"-(quixo|sorry) ", line)]


@linux
@pytest.mark.timeout(120)
def test_it_says_why_it_failed_and_ctrl_c_is_no_failure(tmp_path, start):
    running = start()
    deadline = time.monotonic() + 60
    while not remembered(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    second = start("--once")
    printed, _ = second.communicate(timeout=30)
    assert second.returncode == 1
    assert "another demo is running" in printed
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate(timeout=40)
    assert running.returncode == 0, printed
    assert "nothing is left running" in printed
    assert all_gone(tmp_path)

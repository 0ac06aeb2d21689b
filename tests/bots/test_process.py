"""Bots as programs: their command line, their address, their end."""

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from bots.samples import SAMPLES
from tests.bots.talk import SECRET


def run(*arguments, **environ):
    return subprocess.Popen(
        [sys.executable, "-m", "bots.samples.random_bot", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environ},
    )


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_bot_prints_its_address_and_stops_when_told(ending):
    with run("--port", "0", "--secret", SECRET) as process:
        line = process.stdout.readline()
        port = int(re.fullmatch(r"random listening at http://127\.0\.0\.1:(\d+)/\n", line)[1])
        socket.create_connection(("127.0.0.1", port), 5).close()
        process.send_signal(ending)
        assert process.wait(10) == 0
        assert process.stderr.read() == ""


def test_port_and_secret_come_from_the_environment_too():
    with run(ARBITER_BOT_PORT="0", ARBITER_BOT_SECRET=SECRET) as process:
        assert "listening at" in process.stdout.readline()
        process.terminate()
        assert "no signing secret" not in process.stderr.read()


def test_a_bot_without_a_secret_says_so():
    with run("--port", "0", ARBITER_BOT_SECRET="") as process:
        assert "listening at" in process.stdout.readline()
        process.terminate()
        assert "random has no signing secret" in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--secret", "mine"], "random: a signing secret begins with whsec_"),
        (["--server", "http://127.0.0.1:9"], "random: --server needs --key"),
        (["--server", "127.0.0.1:9", "--key", "arb_x"], "write it like https://arbiter.example"),
    ],
)
def test_what_cannot_work_is_said_in_one_line(arguments, why):
    with run("--port", "0", *arguments, ARBITER_BOT_SECRET="", ARBITER_KEY="") as process:
        _, told = process.communicate(timeout=20)
    assert process.returncode == 1
    assert why in told
    assert "Traceback" not in told


def test_a_port_in_use_is_said_in_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with run("--port", str(port), "--secret", SECRET) as process:
            _, told = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"cannot listen at 127.0.0.1, port {port}" in told


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_sample_explains_its_options(name):
    command = [sys.executable, "-m", f"bots.samples.{SAMPLES[name]}", "--help"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for option in ("--port", "--secret", "--server", "--key", "--seed"):
        assert option in told

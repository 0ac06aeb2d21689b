"""Children never outlive their parent, however it ends; the embedded server keeps its data."""

import os
import signal
import subprocess
import sys
import time

import pytest
import redis

from workers.embedded import start_server
from workers.processes import start, stop

linux = pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")

PARENT = """
import sys, time
from pathlib import Path
from workers.embedded import start_server
server = start_server(Path(sys.argv[1]))
print(server.process.pid, flush=True)
time.sleep(60)
"""

DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
time.sleep(60)
"""


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return open(f"/proc/{pid}/stat").read().split()[2] != "Z"  # noqa: PTH123


@linux
def test_sigkill_of_the_parent_takes_the_child_along(tmp_path):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 10
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(child)


def test_a_child_that_does_not_heed_sigterm_is_killed(tmp_path):
    log = tmp_path / "log"
    child = start([sys.executable, "-c", DEAF], log)
    while "up" not in log.read_text():
        time.sleep(0.01)
    stop(child, 0.2)
    assert child.returncode == -signal.SIGKILL


def test_the_embedded_server_keeps_what_it_was_told(tmp_path):
    server = start_server(tmp_path)
    redis.Redis.from_url(server.url).set("a", "1")
    server.process.kill()
    server.process.wait()
    server = start_server(tmp_path)
    client = redis.Redis.from_url(server.url, decode_responses=True)
    assert client.get("a") == "1"
    assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    server.stop()
    assert server.process.returncode == 0

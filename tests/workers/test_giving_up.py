"""A worker whose Celery gives up ends with an exit code that has it started anew."""

import os
import subprocess
import sys

import pytest

from service.jobs import Jobs
from tests.conftest import new_server

# As `arbiter worker`, but a broker that refuses is not asked again.
PROGRAM = """
from workers import serving
from workers.commands.common import settings

make_app = serving.make_app

def impatient(found):
    app = make_app(found)
    app.conf.broker_channel_error_retry = False
    return app

serving.make_app = impatient
raise SystemExit(serving.run_worker(settings(), "matches", 4))
"""


@pytest.mark.slow
def test_a_worker_that_gave_up_says_so_by_its_exit_code(tmp_path):
    server = new_server("embedded", tmp_path).start()
    jobs = Jobs.at(server.url)
    for _ in range(20):
        assert jobs.play("m_quixo_0000000000000000")
    with server.client() as client:
        client.config_set("maxmemory", 1_000_000)
    environ = {**os.environ, "ARBITER_REDIS_URL": server.url, "ARBITER_LOG_LEVEL": "error"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    server.stop()
    assert done.returncode == 1, done.stderr[-2000:]

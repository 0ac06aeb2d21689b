"""docker-compose.yml: its commands are run as they stand there, by hand instead of by Docker."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.conftest import new_server
from tests.e2e.conftest import wait_for
from workers.cli import main
from workers.client import Client
from workers.embedded import free_port
from workers.processes import start, stop

FILE = Path(__file__).resolve().parent.parent / "docker-compose.yml"


@pytest.fixture
def services():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(FILE.read_text())["services"]


def test_redis_keeps_what_it_is_given(services):
    words = services["redis"]["command"]
    assert words[words.index("--appendonly") + 1] == "yes"
    assert words[words.index("--maxmemory-policy") + 1] == "noeviction"


def test_workers_have_time_to_give_their_matches_back(services):
    for name in ("api", "worker", "control", "sweep"):
        assert services[name]["stop_grace_period"] == "30s"
        assert services[name]["depends_on"]["redis"]["condition"] == "service_healthy"


def test_every_arbiter_command_is_known(services):
    commands = [s["command"] for n, s in services.items() if n != "redis" and "entrypoint" not in s]
    commands += [
        s["healthcheck"]["test"][2:] for n, s in services.items() if n != "redis" and "healthcheck" in s
    ]
    assert len(commands) >= 7
    for words in commands:
        result = CliRunner().invoke(main, [*words, "--help"])
        assert result.exit_code == 0, (words, result.output)


class Machine:
    """What Docker would do with the services, as processes of this machine and on ports of loopback."""

    def __init__(self, services, folder):
        self.services, self.folder = services, folder
        self.started = []
        self.api = free_port()
        words = services["redis"]["command"]
        options = dict(zip((word.removeprefix("--") for word in words[1::2]), words[2::2], strict=True))
        self.redis = new_server("redis-server", folder / "redis", **options).start()

    def environ(self, name, **given):
        """The environment of a service; `given` stands for what whoever starts it has set."""
        environ = {key: self._here(value, given) for key, value in self.services[name]["environment"].items()}
        here = {"ARBITER_PORT": str(self.api), "ARBITER_HOST": "127.0.0.1"}
        return environ | {key: value for key, value in here.items() if key in environ}

    def _here(self, text, given):
        found = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda m: given.get(m[1], m[2]), text)
        return found.replace("redis:6379", f"127.0.0.1:{self.redis.port}")

    def command(self, words):
        """Words of the file as this machine has them."""
        program, *rest = words
        here = {"arbiter": ["-m", "workers.cli"], "python": []}[program]
        return [sys.executable, *here, *(word.replace("api:8000", f"127.0.0.1:{self.api}") for word in rest)]

    def start(self, name, **given):
        service = self.services[name]
        words = [*service.get("entrypoint", ["arbiter"]), *service["command"]]
        environ = self.environ(name, **given)
        self.started.append((name, start(self.command(words), self.folder / f"{name}.log", environ)))

    def healthy(self, name):
        """Whether the service's own health check says so."""
        words = self.services[name]["healthcheck"]["test"]
        assert words[0] == "CMD"
        found = subprocess.run(
            self.command(words[1:]), env=os.environ | self.environ(name), capture_output=True, check=False
        )
        return found.returncode == 0

    def stop(self):
        """SIGTERM to all and the time that the file gives them; how long each took."""
        took = {}
        for name, process in reversed(self.started):
            began = time.monotonic()
            process.terminate()
            process.wait(30)
            took[name] = time.monotonic() - began
        return took

    def close(self):
        for _, process in self.started:
            stop(process, 5)
        self.redis.stop()


@pytest.mark.slow
@pytest.mark.redis_server
def test_every_part_runs_by_its_command_and_is_healthy(services, tmp_path):
    machine = Machine(services, tmp_path)
    try:
        machine.start("api")
        assert not machine.healthy("worker"), "there is none yet"
        for name in ("worker", "control", "sweep"):
            machine.start(name)
        for name in ("worker", "control", "api"):
            wait_for(lambda name=name: machine.healthy(name), f"the health of {name}")
        server = f"http://127.0.0.1:{machine.api}"
        key = Client(server).post("/v1/owners", {"name": "Ada"})["key"]["key"]
        client = Client(server, key)
        bots = [name for name, service in services.items() if service.get("profiles") == ["bots"]]
        for name in bots:
            machine.start(name, ARBITER_BOTS_KEY=key)
        wait_for(lambda: len(client.get("/v1/bots", state="active")["items"]) == len(bots) == 2, "the bots")
        pair = [bot["id"] for bot in client.get("/v1/bots")["items"]]
        made = client.post("/v1/matches", {"game": "quixo", "bots": pair, "clock": "blitz"})["items"][0]["id"]
        wait_for(lambda: client.get(f"/v1/matches/{made}")["state"] == "finished", "a match")
        took = machine.stop()
        assert max(took.values()) < 20, took
    finally:
        machine.close()

"""docker-compose.yml: well formed, and every command in it is one that the command line knows."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from workers.cli import main

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

"""The README's two commands: a backup of a server in use, and its restoring in a new epoch (D3)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.models import MatchState, Written
from service.store import Store
from tests.servers import RedisServer, redis_server_binary
from tests.service.store.make import a_bot, a_match, claimed, move, played, started
from workers.cli import main

README = Path(__file__).parents[3] / "README.md"


@pytest.fixture
def cli():
    if not shutil.which("redis-cli") or not redis_server_binary():
        assert not os.environ.get("CI"), "CI must have redis-server and redis-cli"
        pytest.skip("no redis-cli on this machine")
    return "redis-cli"


@pytest.mark.redis_server
def test_a_restored_backup_has_everything_and_fences_the_workers_of_before(cli, tmp_path):
    server = RedisServer(tmp_path / "old", redis_server_binary()).start()
    store = Store.connect(server.url)
    bots = [store.bots.create(a_bot(name, name, concurrency=2)) for name in ("ada", "berna")]
    over = a_match(*bots)
    played(store, over, 1, 2)
    running = claimed(store, a_match(*bots))
    store.matches.append(running, 1, [started()])
    said = README.read_text()
    assert "redis-cli --rdb backup.rdb" in said
    assert "redis-server --dbfilename backup.rdb --appendonly no" in said
    assert "`redis-cli config set appendonly yes` and `arbiter new-epoch --yes`" in said
    file = tmp_path / "backup.rdb"
    subprocess.run([cli, "-p", str(server.port), "--rdb", str(file)], check=True, capture_output=True)
    store.matches.append(running, 2, [move(0)])  # behind the backup: lost with the server
    store.close()
    server.kill()

    (tmp_path / "new").mkdir()
    shutil.copy(file, tmp_path / "new" / "backup.rdb")
    options = {"dbfilename": "backup.rdb", "appendonly": "no"}
    restored = RedisServer(tmp_path / "new", redis_server_binary(), options).start()
    command = [cli, "-p", str(restored.port), "config", "set", "appendonly", "yes"]
    subprocess.run(command, check=True, capture_output=True)
    again = Store.connect(restored.url)
    environ = {"ARBITER_REDIS_URL": restored.url}
    assert CliRunner().invoke(main, ["new-epoch", "--yes"], env=environ).exit_code == 0
    assert again.matches.get(over.id).state is MatchState.FINISHED
    assert list(again.audit.differences("quixo")) == []
    assert again.operator.selfcheck() == ()
    assert again.matches.append(running, 2, [move(0)]) is Written.FENCED
    again.close()
    restored.stop()

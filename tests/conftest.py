"""Real servers for whichever test asks: embedded Valkey always, Debian's redis-server where there is one."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from service.store import Store
from tests.servers import RedisServer, redis_server_binary

# Whoever runs the tests in the background may ignore SIGINT, and what they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

SERVERS = ["embedded", pytest.param("redis-server", marks=pytest.mark.redis_server)]


@pytest.fixture(scope="session")
def _servers(tmp_path_factory) -> Iterator[dict[str, RedisServer]]:
    started: dict[str, RedisServer] = {}
    yield started
    for server in started.values():
        server.stop()


@pytest.fixture
def start_redis(_servers, tmp_path_factory):
    """start_redis("embedded" | "redis-server"): the session's server of that kind, without any data."""

    def started(kind: str) -> RedisServer:
        if kind not in _servers:
            _servers[kind] = new_server(kind, tmp_path_factory.mktemp(kind)).start()
        with _servers[kind].client() as client:
            client.flushall()
            client.config_resetstat()
        return _servers[kind]

    return started


def new_server(kind: str, folder, **options: str) -> RedisServer:
    """A server that is not started yet; a missing redis-server skips here and fails where CI is set."""
    if kind == "embedded":
        return RedisServer(folder, options=options)
    binary = redis_server_binary()
    if binary is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have redis-server: apt install redis-server")
        pytest.skip("no redis-server on this machine")
    return RedisServer(folder, binary, options)


@pytest.fixture
def redis_url(start_redis) -> str:
    """An empty embedded Valkey."""
    return start_redis("embedded").url


@pytest.fixture(params=SERVERS)
def redis_server(request, start_redis) -> RedisServer:
    """An empty server of each kind."""
    return start_redis(request.param)


@pytest.fixture
def store(redis_server) -> Iterator[Store]:
    """A store on an empty server of each kind."""
    opened = Store.connect(redis_server.url)
    yield opened
    opened.close()

"""The service as it is served: gunicorn in a process of its own, on a Valkey of its own."""

from __future__ import annotations

import sys
import time

import requests

from service.store import Store
from tests.conftest import new_server
from tests.service.api.conftest import SETTINGS
from workers.embedded import free_port
from workers.processes import start, stop

START_S = 20
COMMAND = [sys.executable, "-m", "gunicorn", "-c", "python:service.gunicorn_conf", "service.app:create_app()"]


def _text(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


class Served:
    """gunicorn on a Redis of its own."""

    def __init__(self, folder, **settings: object) -> None:
        self.redis = new_server("embedded", folder / "redis").start()
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        chosen = {**SETTINGS, "redis_url": self.redis.url, "port": self.port, **settings}
        environ = {f"ARBITER_{name.upper()}": _text(value) for name, value in chosen.items()}
        self.log = folder / "api.log"
        self.process = start(COMMAND, self.log, environ)
        self.store = Store.connect(self.redis.url)
        self.session = requests.Session()
        self._await()

    def _await(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            try:
                if self.get("/healthz").ok:
                    return
            except requests.ConnectionError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.05)
        raise AssertionError(self.log.read_text())

    def get(self, path: str, **options) -> requests.Response:
        return self.session.get(self.base + path, timeout=10, **options)

    def post(self, path: str, **options) -> requests.Response:
        return self.session.post(self.base + path, timeout=10, **options)

    def delete(self, path: str, **options) -> requests.Response:
        return self.session.delete(self.base + path, timeout=10, **options)

    def owner(self, name: str) -> dict[str, str]:
        key = self.post("/v1/owners", json={"name": name}).json()["key"]["key"]
        return {"Authorization": f"Bearer {key}"}

    def match(self) -> str:
        """A match between verified bots of two owners."""
        bots = []
        for name in ("Ada", "Bob"):
            headers = self.owner(f"{name} {time.monotonic_ns()}")
            about = {"name": name, "games": ["quixo"], "url": "http://127.0.0.1:9000/"}
            bots.append(self.post("/v1/bots", json=about, headers=headers).json()["id"])
            self.store.verifications.passed(self.store.bots.get(bots[-1]))
        body = {"game": "quixo", "bots": bots}
        return self.post("/v1/matches", json=body, headers=headers).json()["items"][0]["id"]

    def close(self) -> None:
        self.store.close()
        stop(self.process, 20)
        self.redis.stop()

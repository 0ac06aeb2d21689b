"""The application on a real Valkey, and people who use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from service.api.access import scopes_of
from service.api.streams import streams
from service.app import create_app
from service.config import Settings
from service.models import Role
from service.store import Store

SETTINGS = {
    "bot_networks": ("127.0.0.0/8",),
    "rate_reads": "100000 per minute",
    "rate_writes": "100000 per minute",
    "rate_signups": "10000 per minute",
    "log_level": "error",
}


@dataclass
class Person:
    """Somebody who calls the API with a key (or without one)."""

    client: Any
    id: str = ""
    key: str | None = None
    store: Store | None = None

    def __getattr__(self, method: str):
        """person.get(path, ...): a request with the key; `json`, `headers` as Flask's client takes them."""
        if method not in ("get", "post", "put", "patch", "delete", "head", "options"):
            raise AttributeError(method)

        def call(path: str, **options):
            headers = dict(options.pop("headers", {}))
            if self.key:
                headers.setdefault("Authorization", f"Bearer {self.key}")
            if method == "patch":
                headers.setdefault("If-Match", "*")
            return getattr(self.client, method)(path, headers=headers, **options)

        return call


@dataclass
class Service:
    """A running application; `somebody()` signs up."""

    app: Any
    store: Store
    settings: Settings
    people: int = 0
    bots: int = field(default=0)

    @property
    def nobody(self) -> Person:
        return Person(self.app.test_client(), store=self.store)

    def somebody(self, role: Role = Role.PLAYER) -> Person:
        self.people += 1
        made = self.nobody.post("/v1/owners", json={"name": f"Person {self.people}"}).json
        owner, key = made["owner"]["id"], made["key"]["key"]
        if role is not Role.PLAYER:
            self.store.owners.set_role(owner, role)
        if role is Role.ADMIN:
            key = self.store.keys.create(owner, "admin", scopes_of(role)).text
        return Person(self.app.test_client(), owner, key, self.store)

    def bot(self, owner: Person, active: bool = True, **more: Any) -> dict[str, Any]:
        """A bot of somebody's, verified unless told otherwise."""
        self.bots += 1
        about = {"name": f"bot {self.bots}", "games": ["quixo"], "url": "http://127.0.0.1:9000/", **more}
        answer = owner.post("/v1/bots", json=about)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        if active:
            self.store.verifications.passed(self.store.bots.get(answer.json["id"]))
        return answer.json


def problem(answer) -> tuple[int, str]:
    """Status and kind of an error, which must be a complete RFC 9457 body."""
    body = answer.json
    assert answer.mimetype == "application/problem+json", answer.get_data(as_text=True)
    assert body["type"].startswith("/problems/")
    assert body["status"] == answer.status_code
    assert body["title"]
    assert body["detail"]
    assert body["request_id"] == answer.headers["X-Request-Id"]
    return answer.status_code, body["type"].removeprefix("/problems/")


def fields(answer) -> list[str]:
    """The fields that an error names."""
    return [error["field"] for error in answer.json.get("errors", [])]


@pytest.fixture
def start_service(redis_url):
    """start_service(**settings): an application on an empty Valkey."""
    opened: list[Service] = []

    def start(**settings: Any) -> Service:
        chosen = Settings(redis_url=redis_url, **{**SETTINGS, **settings})
        app = create_app(chosen)
        opened.append(Service(app, app.extensions["arbiter-store"], chosen))
        return opened[-1]

    yield start
    for service in opened:
        service.store.close()
    assert streams.taken == 0, "an answer was not closed; the places are those of the process"


@pytest.fixture
def service(start_service) -> Iterator[Service]:
    return start_service()


@pytest.fixture
def ada(service) -> Person:
    return service.somebody()


@pytest.fixture
def bob(service) -> Person:
    return service.somebody()

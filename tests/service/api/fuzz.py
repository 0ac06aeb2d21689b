"""Requests made from the OpenAPI description, with real keys of every role and ids of real things.

No answer may be a 5xx (a 503 says when to come again), have a status, a type or a shape that the
description does not have.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.service.api.conftest import Service
from tests.service.api.test_access import World, build

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
REAL = 0.75  # how often an id in an address is a real one
MEMBERS = {"bot": "bot_id", "cursor": "", "tournament": "tournament_id"}


@dataclass
class Report:
    """What came of a run: requests by status, and each failure once."""

    statuses: Counter[int] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        return self.statuses.total()


class Fuzz:
    """Asks one application; its world of people and things is built anew for every operation."""

    def __init__(self, service: Service, number: int = 0) -> None:
        self.service = service
        self.number = number
        self.random = random.Random(number)
        self.report = Report()
        self.schema = schemathesis.openapi.from_wsgi("/openapi.json", service.app)

    def run(self, examples: int) -> Report:
        """So many requests of each operation, by whoever comes up."""
        for operation in self._operations():
            self.service.store.matchmaking.resume()  # an admin may have paused it
            world = build(self.service, self.random.random() < 0.3, None)
            self._ask(operation, world, examples)
        return self.report

    def _operations(self) -> Iterator[Any]:
        for found in self.schema.get_all_operations():
            yield found.ok()

    def _ask(self, operation: Any, world: World, examples: int) -> None:
        @seed(self.number)
        @hypothesis_settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(operation.as_strategy())
        def one(case: Any) -> None:
            self._one(case, world)

        one()

    def _one(self, case: Any, world: World) -> None:
        self._make_real(case, world)
        answer = case.call()
        self.report.statuses[answer.status_code] += 1
        if answer.status_code == 503 and "retry-after" in {name.lower() for name in answer.headers}:
            return
        try:
            case.validate_response(answer, checks=CHECKS)
        except BaseExceptionGroup as failure:
            kinds = "; ".join(f"{type(e).__name__}: {e}" for e in failure.exceptions)
            self.report.failures.setdefault(f"{case.operation.label} {answer.status_code}", kinds[:2000])

    def _make_real(self, case: Any, world: World) -> None:
        """Put ids of real things and a key of somebody in."""
        for name in list(case.path_parameters or ()):
            if name in world.ids and self.random.random() < REAL:
                case.path_parameters[name] = world.ids[name]
        if "wait" in (case.query or {}):
            case.query["wait"] = 0  # or most of the time would go by in long polls
        body = case.body
        if isinstance(body, dict) and self.random.random() < REAL:
            for name, thing in MEMBERS.items():
                if name in body and thing:
                    body[name] = world.ids[thing]
            if isinstance(body.get("bots"), list):
                body["bots"] = [world.ids["bot_id"], world.ids["other_id"]]
        headers = dict(case.headers or {})
        headers.pop("Authorization", None)
        key = self.random.choice(list(world.people.values())).key
        if key:
            headers["Authorization"] = f"Bearer {key}"
        case.headers = headers

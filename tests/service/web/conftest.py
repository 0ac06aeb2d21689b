"""The application on a real Valkey, its visitors, and bots with matches to look at."""

from __future__ import annotations

from typing import Any

import pytest

from engines.registry import GAMES
from tests.service.api.conftest import ada, bob, service, start_service
from tests.service.web.browsing import Visitor

__all__ = ["ada", "bob", "service", "start_service"]


@pytest.fixture
def visitor(service) -> Visitor:
    return Visitor(service.app.test_client())


@pytest.fixture
def stranger(service) -> Visitor:
    """Another visitor."""
    return Visitor(service.app.test_client())


@pytest.fixture
def bots(service, ada, bob) -> list[Any]:
    """Four bots that play every game, of two owners."""
    made = [service.bot(owner, games=list(GAMES), concurrency=50) for owner in (ada, bob, ada, bob)]
    return service.store.bots.get_many([bot["id"] for bot in made])

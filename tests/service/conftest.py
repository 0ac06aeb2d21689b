"""A place where tournaments are played on a real store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from service.store import Store
from tests.service.venue import Venue


@pytest.fixture
def venue(redis_url) -> Iterator[Venue]:
    """A venue on an empty Valkey, with places enough."""
    store = Store.connect(redis_url)
    found = Venue(store)
    found.workers()
    yield found
    store.close()

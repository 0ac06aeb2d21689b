"""What the commands share: the settings in force, the store, and how a refusal is shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

from service.config import BadSettings, Settings
from service.errors import ServiceError, Unavailable
from service.store import Store


def settings() -> Settings:
    """The settings in force; wrong ones are named, all at once."""
    try:
        return Settings.load(os.environ)
    except BadSettings as error:
        raise click.ClickException(f"settings that cannot be used:\n{error}") from None


@contextmanager
def open_store() -> Iterator[Store]:
    """The store that the settings name; what it cannot do is said in one sentence."""
    store = Store.connect(settings().redis_url, connections=4)
    try:
        yield store
    except Unavailable as error:
        raise click.ClickException(f"{error.detail} (ARBITER_REDIS_URL names the server)") from None
    except ServiceError as error:
        raise click.ClickException(error.detail) from None
    finally:
        store.close()

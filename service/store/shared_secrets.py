"""Random secrets that every process of the service shares, drawn at their first use."""

from __future__ import annotations

import secrets

from service.store import keys
from service.store.connection import Connection

SECRET_BYTES = 32


def shared_secret(db: Connection, name: str) -> bytes:
    """The secret of that name, the same whoever asks."""
    key = keys.shared_secret(name)
    db.run("SET", key, secrets.token_hex(SECRET_BYTES), "NX")
    return bytes.fromhex(db.run("GET", key))

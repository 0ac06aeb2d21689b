"""Invitations to sign up: a code that may be used so often until it expires; only its SHA-256 is kept."""

from __future__ import annotations

import hashlib
import secrets

from service.errors import Refused
from service.store import keys
from service.store.connection import Connection


class Invitations:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def create(self, by: str, uses: int = 1, valid_ms: int = 30 * 24 * 3600 * 1000) -> str:
        """A new code; nobody can read it again."""
        code = "inv_" + secrets.token_urlsafe(18)
        key = _key(code)
        self._db.many(
            [("HSET", key, "by", by, "uses", uses), ("PEXPIRE", key, valid_ms)],
            atomic=True,
        )
        return code

    def use(self, code: str) -> None:
        """Use the code once; raises Refused `bad-invitation`."""
        if not self._db.call("use_invitation", [_key(code)], [secrets.token_hex(8)]):
            raise Refused(
                "bad-invitation",
                "there is no such invitation, or it was used up, or it has expired; ask for a new one",
                "invitation",
            )


def _key(code: str) -> str:
    return keys.invitation(hashlib.sha256(code.encode()).hexdigest())

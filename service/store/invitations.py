"""Invitations to sign up: a code that may be used so often until it expires; only its SHA-256 is kept."""

from __future__ import annotations

import hashlib
import re
import secrets

from service.errors import Refused
from service.ids import new_id
from service.models import Invitation
from service.store import keys
from service.store.connection import Connection
from service.store.documents import Creation, Spending, read, read_many
from service.store.once import Once
from service.store.owners import now_ms

DAY_MS = 24 * 3600 * 1000
_CODE = re.compile(r"inv_(?P<id>[0-9a-z]{16})_(?P<secret>[A-Za-z0-9_-]{24})")

Found = list[Invitation]  # inside the class `list` is a method


class Invitations:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def create(
        self, by: str, uses: int = 1, valid_ms: int = 30 * DAY_MS, once: Once | None = None
    ) -> tuple[Invitation, str]:
        """A new one and its code, which nobody can read again: it is empty if the request came again."""
        secret, now = secrets.token_urlsafe(18), now_ms()
        made = Invitation(new_id("i"), by, uses, now, now + valid_ms, _digest(secret))
        creation = Creation(made.id, keys.ACCOUNTS)
        creation.doc(keys.invitation(made.id), made)
        creation.index(keys.owner_invitations(by), made.id)
        first = creation.run(self._db, once, made.id)
        if first is not None:
            return self.get(first), ""
        self._db.run("PEXPIREAT", keys.invitation(made.id), made.expires_at)
        return made, f"inv_{made.id.removeprefix('i_')}_{secret}"

    def get(self, invitation_id: str) -> Invitation:
        """Raises NotFound, also for one that has expired."""
        return read(self._db, Invitation, invitation_id, keys.invitation(invitation_id))

    def list(self, by: str) -> Found:
        """Those of an owner that can still be used, newest first."""
        ids = self._db.run("ZRANGE", keys.owner_invitations(by), 0, -1, "REV")
        found = read_many(self._db, Invitation, [keys.invitation(i) for i in ids]) if ids else []
        return [one for one in found if one and one.uses > 0 and one.expires_at > now_ms()]

    def revoke(self, invitation_id: str) -> None:
        """Nobody signs up with it any more; raises NotFound."""
        by = self.get(invitation_id).by
        self._db.many(
            [("UNLINK", keys.invitation(invitation_id)), ("ZREM", keys.owner_invitations(by), invitation_id)],
            atomic=True,
        )

    def use(self, code: str) -> Spending:
        """One use, for what is created by it (`store.owners.create`); raises Refused `bad-invitation`."""
        problem = Refused(
            "bad-invitation",
            "there is no such invitation, or it was used up, revoked, or has expired; ask for a new one",
            "invitation",
        )
        shape = _CODE.fullmatch(code)
        if shape is None:
            raise problem
        return Spending(keys.invitation(f"i_{shape['id']}"), _digest(shape["secret"]), problem)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

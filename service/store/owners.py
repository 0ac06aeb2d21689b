"""Owners: who has keys and bots."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from service.errors import Conflict, NotFound
from service.ids import age_part, new_id
from service.models import ApiKey, Owner, Page, Role
from service.store import keys
from service.store.connection import Connection
from service.store.documents import (
    Change,
    Creation,
    Spending,
    changed,
    fold,
    merged,
    page_through,
    read,
    read_many,
)
from service.store.once import Once, pin

Found = list[Owner | None]  # inside the class `list` is a method


class Owners:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def create(
        self,
        name: str,
        role: Role,
        key: ApiKey | None = None,
        once: Once | None = None,
        invitation: Spending | None = None,
    ) -> Owner:
        """A new owner, with a first key in the same step if one is given, and an invitation used up for it.

        Make the key by `store.keys.draft`; its owner is filled in. Raises Conflict `name-taken`, Refused
        `bad-invitation`.
        """
        owner = Owner(new_id("o"), name, role, now_ms())
        creation = Creation(owner.id, keys.ACCOUNTS)
        creation.unique(
            keys.owner_names(), name, Conflict("name-taken", f"there is an owner {name!r}", "name")
        )
        creation.doc(keys.owner(owner.id), owner)
        creation.index(keys.owners(), owner.id)
        if invitation:
            creation.spend(invitation)
        if key:
            creation.doc(keys.api_key(key.id), replace(key, owner=owner.id))
            creation.index(keys.owner_keys(owner.id), key.id)
        first = creation.run(self._db, once, owner.id)
        return owner if first is None else self.get(first)

    def part(self, once: Once, name: str) -> Once:
        """Of a request that makes several owners the part that makes the one of that name.

        Raises Refused where the request's key came with another one.
        """
        pin(self._db, once)
        return replace(once, key=f"{once.key} {fold(name)}")

    def get(self, owner_id: str) -> Owner:
        """Raises NotFound."""
        return read(self._db, Owner, owner_id, keys.owner(owner_id))

    def get_many(self, owner_ids: Sequence[str]) -> Found:
        """In one round trip; None for those that do not exist."""
        return read_many(self._db, Owner, [keys.owner(i) for i in owner_ids])

    def by_name(self, name: str) -> Owner:
        """The owner of that name, whatever its case; raises NotFound."""
        found = self._db.run("HGET", keys.owner_names(), fold(name))
        if found is None:
            raise NotFound("not-found", f"there is no owner called {name!r}")
        return self.get(found)

    def list(self, cursor: str | None = None, limit: int = 50) -> Page:
        """Owners, newest first."""
        ids = merged(self._db, [(keys.owners(), "o_")], cursor)
        return page_through(ids, self.get_many, lambda _: True, age_part, limit)

    def set_role(self, owner_id: str, role: Role) -> Owner:
        return self._changed(owner_id, Change({"role": role}))

    def ban(self, owner_id: str, reason: str | None) -> Owner:
        """Shut an owner out, with the reason; None lets him in again."""
        return self._changed(owner_id, Change({"banned": reason}))

    def _changed(self, owner_id: str, change: Change) -> Owner:
        return changed(self._db, Owner, owner_id, keys.owner(owner_id), change)


def now_ms() -> int:
    """This machine's time: what people read, nothing that anything depends on."""
    return time.time_ns() // 1_000_000

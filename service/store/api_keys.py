"""API keys `arb_<id>_<secret>`: only the SHA-256 of the secret is kept."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

from service.errors import NotFound, Refused
from service.ids import new_id
from service.models import ApiKey, Owner
from service.store import keys
from service.store.codec import from_fields
from service.store.connection import Connection
from service.store.documents import Change, Creation, changed, read_many
from service.store.once import Once
from service.store.owners import now_ms

SECRET_BYTES = 24
SEEN_EVERY_MS = 60_000
_SHAPE = re.compile(r"arb_(?P<id>[0-9a-z]{16})_(?P<secret>[A-Za-z0-9_-]{32})")


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key with its text, which nobody can read again."""

    key: ApiKey
    text: str


class ApiKeys:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def draft(self, owner_id: str, name: str, scopes: tuple[str, ...]) -> NewKey:
        """A key that is not stored yet."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        identifier = new_id("k").removeprefix("k_")
        key = ApiKey(identifier, owner_id, name, scopes, now_ms(), _digest(secret))
        return NewKey(key, f"arb_{identifier}_{secret}")

    def create(
        self, owner_id: str, name: str, scopes: tuple[str, ...], limit: int = 20, once: Once | None = None
    ) -> NewKey:
        """A new key. A request that comes again gets the key with an empty text: the secret is not kept.

        Raises Refused `quota`.
        """
        new = self.draft(owner_id, name, scopes)
        creation = Creation(new.key.id, keys.ACCOUNTS)
        problem = Refused("quota", f"an owner may have {limit} keys; revoke one that is not used")
        creation.bound(keys.owner_keys(owner_id), limit, problem)
        creation.doc(keys.api_key(new.key.id), new.key)
        creation.index(keys.owner_keys(owner_id), new.key.id)
        first = creation.run(self._db, once, new.key.id)
        return new if first is None else NewKey(self._get(first), "")

    def authenticate(self, text: str) -> tuple[ApiKey, Owner] | None:
        """Whose key this is; None if it is none, revoked or wrong. A banned owner is returned as banned."""
        shape = _SHAPE.fullmatch(text)
        found = self._db.run("HGETALL", keys.api_key(shape["id"])) if shape else None
        if not shape or not found:
            return None
        key = from_fields(ApiKey, found)
        if not hmac.compare_digest(key.secret_sha256, _digest(shape["secret"])):
            return None
        return self._good(key)

    def known(self, key_id: str) -> tuple[ApiKey, Owner] | None:
        """The key of that id and whose it is, for who has shown it before; None if it is no good now."""
        found = self._db.run("HGETALL", keys.api_key(key_id))
        return self._good(from_fields(ApiKey, found)) if found else None

    def list(self, owner_id: str) -> tuple[ApiKey, ...]:
        """An owner's keys that were not revoked, newest first."""
        ids = self._db.run("ZRANGE", keys.owner_keys(owner_id), 0, -1, "REV")
        found = read_many(self._db, ApiKey, [keys.api_key(i) for i in ids])
        return tuple(key for key in found if key)

    def revoke(self, owner_id: str, key_id: str) -> ApiKey:
        """End a key at once; raises NotFound, also for somebody else's."""
        if self._get(key_id).owner != owner_id:
            raise _no_key(key_id)
        key = changed(self._db, ApiKey, key_id, keys.api_key(key_id), Change({"revoked_at": now_ms()}))
        self._db.run("ZREM", keys.owner_keys(owner_id), key_id)
        return key

    def _good(self, key: ApiKey) -> tuple[ApiKey, Owner] | None:
        """A key that was not revoked, with its owner; its use is noted."""
        if key.revoked_at:
            return None
        owner = self._db.run("HGETALL", keys.owner(key.owner))
        self._seen(key)
        return (key, from_fields(Owner, owner)) if owner else None

    def _get(self, key_id: str) -> ApiKey:
        found = self._db.run("HGETALL", keys.api_key(key_id))
        if not found:
            raise _no_key(key_id)
        return from_fields(ApiKey, found)

    def _seen(self, key: ApiKey) -> None:
        """Note the use, at most once a minute."""
        now = now_ms()
        if now - (key.last_used_at or 0) >= SEEN_EVERY_MS:
            self._db.run("HSET", keys.api_key(key.id), "last_used_at", now)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _no_key(key_id: str) -> NotFound:
    return NotFound("not-found", f"there is no key {key_id!r}")

"""Webhooks: where owners want to be told of what happens, and how the last deliveries went."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from service.errors import Conflict, NotFound, Refused
from service.models import Delivery, Webhook
from service.store import keys
from service.store.bots import rotation
from service.store.codec import from_fields
from service.store.connection import Connection
from service.store.documents import Change, Creation, changed, read, read_many
from service.store.once import Once
from service.store.owners import now_ms

EVENTS = ("match.finished", "tournament.finished", "bot.paused")
DELIVERIES_KEPT = 50
DELIVERED_KEPT = 1000
FAILURES_TO_PAUSE = 5
HUSHED_MS = 60_000

# Inside the class `list` is a method.
Found = list[Webhook]
Deliveries = list[Delivery]


class Webhooks:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def create(self, hook: Webhook, limit: int, once: Once | None = None) -> Webhook:
        """Keep a new webhook; raises Refused `quota`."""
        creation = Creation(hook.id, keys.ACCOUNTS)
        full = Refused("quota", f"an owner may have {limit} webhooks; delete one that is not used")
        creation.bound(keys.owner_webhooks(hook.owner), limit, full)
        creation.doc(keys.webhook(hook.id), hook)
        creation.index(keys.owner_webhooks(hook.owner), hook.id)
        first = creation.run(self._db, once, hook.id)
        return hook if first is None else self.get(first)

    def get(self, webhook_id: str) -> Webhook:
        """Raises NotFound."""
        return read(self._db, Webhook, webhook_id, keys.webhook(webhook_id))

    def list(self, owner_id: str) -> Found:
        """An owner's webhooks, newest first."""
        return self.of([owner_id])

    def of(self, owner_ids: Iterable[str]) -> Found:
        """The webhooks of several owners."""
        indexes = [keys.owner_webhooks(owner) for owner in owner_ids]
        found = self._db.many(("ZRANGE", index, 0, -1, "REV") for index in indexes) if indexes else []
        ids = [webhook for part in found for webhook in part]
        hooks = read_many(self._db, Webhook, [keys.webhook(i) for i in ids]) if ids else []
        return [hook for hook in hooks if hook]

    def delete(self, webhook_id: str) -> None:
        """It is told nothing any more; may come again."""
        found = self._db.run("HGETALL", keys.webhook(webhook_id))
        if found:
            owner = from_fields(Webhook, found).owner
            gone = [keys.webhook(webhook_id), keys.deliveries(webhook_id), keys.delivered(webhook_id)]
            self._db.many([("ZREM", keys.owner_webhooks(owner), webhook_id), ("UNLINK", *gone)], atomic=True)

    def go_on(self, webhook_id: str) -> Webhook:
        """Let a paused one be told again; raises NotFound."""
        change = Change({"failures": 0, "paused": None})
        return changed(self._db, Webhook, webhook_id, keys.webhook(webhook_id), change)

    def rotate_secret(self, webhook_id: str) -> Webhook:
        """A new signing secret; the one before is signed with beside it for a day. Raises NotFound."""
        change = rotation(self.get(webhook_id))
        return changed(self._db, Webhook, webhook_id, keys.webhook(webhook_id), change)

    # Deliveries

    def delivered(self, webhook_id: str, letter_id: str) -> bool:
        """Whether it has been told of this letter."""
        return self._db.run("ZSCORE", keys.delivered(webhook_id), letter_id) is not None

    def hush(self, webhook_id: str) -> None:
        """It has kept us waiting in vain: for a minute nothing is sent, so that others need not wait."""
        self._db.run("SET", keys.hushed(webhook_id), 1, "PX", HUSHED_MS)

    def is_hushed(self, webhook_id: str) -> bool:
        return bool(self._db.run("EXISTS", keys.hushed(webhook_id)))

    def note(self, hook: Webhook, delivery: Delivery) -> None:
        """Keep how a try went."""
        recent, arrived = keys.deliveries(hook.id), keys.delivered(hook.id)
        commands: list[tuple[str | int, ...]] = [
            ("LPUSH", recent, json.dumps(asdict(delivery), ensure_ascii=False)),
            ("LTRIM", recent, 0, DELIVERIES_KEPT - 1),
        ]
        if delivery.delivered:
            commands.append(("ZADD", arrived, now_ms(), delivery.letter))
            commands.append(("ZREMRANGEBYRANK", arrived, 0, -DELIVERED_KEPT - 1))
        self._db.many(commands, atomic=True)
        if delivery.delivered and hook.failures:
            self._set(hook, failures=0)

    def gave_up(self, hook: Webhook, letter_id: str, why: str) -> None:
        """A letter never arrived; several in a row pause the webhook."""
        failures = hook.failures + 1
        paused = f"{failures} messages in a row did not arrive, the last: {why}"
        change: dict[str, Any] = {"failures": failures, "given_up": letter_id}
        if failures >= FAILURES_TO_PAUSE:
            change["paused"] = paused
        try:
            changed(self._db, Webhook, hook.id, keys.webhook(hook.id), Change(change, revision=hook.revision))
        except NotFound:
            return  # it was deleted meanwhile
        except Conflict:
            self.gave_up(self.get(hook.id), letter_id, why)  # another letter was given up at the same time

    def gone(self, hook: Webhook) -> None:
        """It answered 410: it wants to be told nothing any more."""
        self._set(hook, failures=hook.failures, paused="it answered 410 Gone")

    def deliveries(self, webhook_id: str) -> Deliveries:
        """The last tries, newest first."""
        lines = self._db.run("LRANGE", keys.deliveries(webhook_id), 0, -1)
        return [Delivery(**json.loads(line)) for line in lines]

    def _set(self, hook: Webhook, failures: int, paused: str | None = None) -> None:
        try:
            change = Change({"failures": failures, "paused": paused})
            changed(self._db, Webhook, hook.id, keys.webhook(hook.id), change)
        except NotFound:
            return  # it was deleted meanwhile

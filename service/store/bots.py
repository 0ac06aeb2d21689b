"""Bots: their documents, their states and what their owners may change."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.protocol import canonical
from service.errors import Conflict, Refused
from service.ids import age_part
from service.models import Bot, BotState, Page, Webhook
from service.store import keys
from service.store.codec import from_fields, pairs
from service.store.connection import Call, Connection
from service.store.documents import (
    Change,
    Creation,
    changed,
    fold,
    merged,
    missing,
    page_through,
    read,
    read_many,
)
from service.store.once import Once
from service.store.owners import now_ms

FAILURES_TO_PAUSE = 5
OLD_SECRET_MS = 24 * 3600 * 1000

Found = list[Bot | None]  # inside the class `list` is a method


@dataclass(frozen=True, slots=True)
class BotFilter:
    """Which bots to list. Private ones are listed for `viewer`, their owner, only (None: for everybody)."""

    owner: str | None = None
    game: str | None = None
    state: BotState | None = None
    viewer: str | None = ""

    def fits(self, bot: Bot) -> bool:
        return (
            (self.game is None or self.game in bot.games)
            and (self.state is None or bot.state == self.state)
            and (not bot.private or self.viewer is None or bot.owner == self.viewer)
        )


_LABEL = ("name", "owner", "private")


@dataclass(frozen=True, slots=True)
class Label:
    """What a table shows of a bot, and to whom."""

    name: str
    owner: str
    private: bool


class Bots:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def create(self, bot: Bot, limit: int = 100, once: Once | None = None) -> Bot:
        """Keep a new bot; its name is unique among its owner's, whatever the case.

        Raises Conflict `name-taken`, Refused `quota`.
        """
        creation = Creation(bot.id, keys.ACCOUNTS)
        taken = Conflict("name-taken", f"you have a bot {bot.name!r} already; choose another name", "name")
        creation.unique(keys.owner_bot_names(bot.owner), bot.name, taken)
        full = Refused("quota", f"an owner may have {limit} bots; retire one that is not used")
        creation.bound(keys.owner_bots_in_use(bot.owner), limit, full)
        creation.doc(keys.bot(bot.id), bot)
        creation.index(keys.bots(), bot.id)
        creation.index(keys.owner_bots(bot.owner), bot.id)
        creation.index(keys.owner_bots_in_use(bot.owner), bot.id)
        first = creation.run(self._db, once, bot.id)
        made = bot if first is None else self.get(first)
        self.tell_room(made)
        return made

    def get(self, bot_id: str) -> Bot:
        """Raises NotFound."""
        return read(self._db, Bot, bot_id, keys.bot(bot_id))

    def get_many(self, bot_ids: Sequence[str]) -> Found:
        """In one round trip; None for those that do not exist."""
        return read_many(self._db, Bot, [keys.bot(i) for i in bot_ids])

    def labels(self, bot_ids: list[str]) -> list[Label | None]:
        """Of many bots what a table shows, in one round trip; None for those that do not exist."""
        found = self._db.many(("HMGET", keys.bot(i), *_LABEL) for i in bot_ids) if bot_ids else []
        return [Label(name, owner, private == "true") if name else None for name, owner, private in found]

    def list(self, wanted: BotFilter | None = None, cursor: str | None = None, limit: int = 50) -> Page:
        """Bots, newest first. A page can be shorter than `limit` and still have a `next`."""
        wanted = wanted or BotFilter()
        index = keys.owner_bots(wanted.owner) if wanted.owner else keys.bots()
        return page_through(
            merged(self._db, [(index, "b_")], cursor), self.get_many, wanted.fits, age_part, limit
        )

    def update(
        self, bot_id: str, changes: Mapping[str, Any], revision: int | None = None, bot: Bot | None = None
    ) -> Bot:
        """Change members; a new `url` makes the bot unverified again.

        `revision`: the one the caller has seen (Conflict `stale` if it is not the newest).
        """
        before = bot or self.get(bot_id)
        wanted = dict(changes)
        if "url" in wanted and wanted["url"] != before.url:
            wanted |= {
                "state": BotState.UNVERIFIED,
                "state_reason": "its address was changed",
                "verified_at": None,
            }
        name = (before.name, wanted["name"]) if "name" in wanted else None
        names = keys.owner_bot_names(before.owner)
        return self._changed(bot_id, Change(wanted, revision=revision, name=name), names)

    def set_state(
        self, bot_id: str, state: BotState, reason: str | None = None, expect: tuple[BotState, ...] = ()
    ) -> Bot:
        """Raises Conflict `wrong-state` unless the bot is in one of `expect` (if any are named)."""
        change = Change({"state": state, "state_reason": reason}, {"state": expect} if expect else {})
        bot = self._changed(bot_id, change)
        if state == BotState.RETIRED:
            names, in_use = keys.owner_bot_names(bot.owner), keys.owner_bots_in_use(bot.owner)
            self._db.many([("HDEL", names, fold(bot.name)), ("ZREM", in_use, bot.id)], atomic=True)
        return bot

    def verified(self, asked: Bot) -> Bot:
        """The bot answered the challenge: it may play (unless its owner has put it away or retired it).

        `asked`: the bot as it was called. Raises Conflict if its address or state was changed since.
        """
        bot = self.get(asked.id)
        address = {} if asked.url is None else {"url": [asked.url]}
        members: dict[str, Any] = {"verified_at": now_ms(), "failures": 0}
        if bot.state in (BotState.UNVERIFIED, BotState.PAUSED):
            members |= {"state": BotState.ACTIVE, "state_reason": None}
        return self._changed(bot.id, Change(members, {"state": [bot.state], **address}))

    def failed(self, bot_id: str, reason: str) -> Bot:
        """One more failure in a row; the fifth pauses the bot, with the reason."""
        token = secrets.token_hex(8)
        outbox, items, *letter = _paused_letter(bot_id, token)
        args = [token, FAILURES_TO_PAUSE, reason, *letter]
        found = self._db.call("bot_failed", [keys.bot(bot_id), outbox, items], args)
        if not found:
            raise missing(bot_id)
        bot = from_fields(Bot, pairs(found))
        self.tell_room(bot)
        return bot

    def pause(self, bot_id: str, reason: str, expect: Sequence[BotState]) -> Bot:
        """The service lets a bot play no more; raises Conflict `wrong-state` unless it is as expected."""
        letter = _paused_letter(bot_id, secrets.token_hex(8))
        members = {"state": BotState.PAUSED, "state_reason": reason}
        return self._changed(bot_id, Change(members, {"state": expect}, letter=letter))

    def succeeded(self, *bot_ids: str) -> None:
        """The bots answered as they should: their failures in a row are forgotten."""
        self._db.calls([Call("bot_succeeded", [keys.bot(bot_id)]) for bot_id in bot_ids])

    def polled(self, bot_id: str) -> None:
        """The bot has just polled; it must be there."""
        self._db.run("HSET", keys.bot(bot_id), "last_poll_at", now_ms())

    def rotate_secret(self, bot_id: str) -> Bot:
        """A new signing secret; the one before is signed with beside it for a day."""
        return self._changed(bot_id, rotation(self.get(bot_id)))

    def _changed(self, bot_id: str, change: Change, names: str | None = None) -> Bot:
        bot = changed(self._db, Bot, bot_id, keys.bot(bot_id), change, names)
        self.tell_room(bot)
        return bot

    def tell_room(self, bot: Bot) -> None:
        """Tell the scheduler how many matches the bot may play at once (F3)."""
        touched = [keys.rooms(), keys.woken(), keys.contests(), keys.stirred()]
        self._db.call("set_room", touched, [bot.id, room_of(bot)])


def _paused_letter(bot_id: str, token: str) -> tuple[str, str, str, str]:
    """What webhooks are told of a paused bot."""
    item = {"kind": "webhook", "event": "bot.paused", "bot": bot_id}
    places = keys.outbox(keys.OWNERS), keys.outbox_items(keys.OWNERS)
    return (*places, f"{bot_id}:paused:{token}", canonical(item).decode())


def room_of(bot: Bot) -> int:
    """Places a bot has: none while it may not play."""
    return bot.concurrency if bot.state == BotState.ACTIVE else 0


def rotation(holder: Bot | Webhook) -> Change:
    """A new signing secret; the one before is signed with beside it for a day."""
    members = {
        "secret": new_secret(),
        "previous_secret": holder.secret,
        "previous_secret_until": now_ms() + OLD_SECRET_MS,
    }
    return Change(members, revision=holder.revision)


def new_secret() -> str:
    """A signing secret in the Standard Webhooks form."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()

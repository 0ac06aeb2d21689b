"""Whether a bot's address is its owner's: what was asked, how it went, how often it may be asked."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from urllib.parse import urlsplit

from service.models import Bot, Verification
from service.store import keys
from service.store.bots import Bots
from service.store.checks import Checks
from service.store.codec import from_fields
from service.store.connection import Connection, Word
from service.store.owners import now_ms

TRIES = 3  # an owner's requests to one unverified address, in a day from the first
TRIES_PER_HOST = 30  # without a proof, a day, over all owners and bots, connected or not
PATIENCE_MS = 20_000  # a check that began so long ago was lost
_DAY_MS = 24 * 3600 * 1000


class Verifications:
    def __init__(self, db: Connection, bots: Bots, checks: Checks) -> None:
        self._db, self._bots, self._checks = db, bots, checks

    def ask(self, bot_id: str) -> Verification:
        """Note that the bot is to be checked."""
        now = now_ms()
        note: list[Word] = ["state", "pending", "asked_at", now]
        self._db.many(
            [
                ("HSET", keys.verification(bot_id), *note),
                ("HDEL", keys.verification(bot_id), "finished_at", "detail"),
                ("ZADD", keys.verifications(), now, bot_id),
            ],
            atomic=True,
        )
        return self.get(bot_id)

    def get(self, bot_id: str) -> Verification:
        found = self._db.run("HGETALL", keys.verification(bot_id))
        return from_fields(Verification, found)

    def overdue(self, limit: int = 100, patience_ms: int = PATIENCE_MS) -> list[str]:
        """Bots whose check was asked for so long ago that it must have been lost; each comes once a while."""
        now = now_ms()
        bounds = ("-inf", now - patience_ms, "LIMIT", 0, limit)
        lost = list(self._db.run("ZRANGEBYSCORE", keys.verifications(), *bounds))
        self._db.many(("ZADD", keys.verifications(), "XX", now, bot_id) for bot_id in lost)
        return lost

    def begin(self, bot: Bot) -> bool:
        """Whether a request may be sent to the bot now; if not, the check has failed and says why.

        An address that was verified before may be asked again at any time.
        """
        if bot.url is None or bot.verified_at is not None:
            return True
        own, host = _own_tries(bot.owner, bot.url), _host_tries(bot.url)
        word = self._db.call("begin_check", [own, host], [TRIES, TRIES_PER_HOST, _DAY_MS])
        if word == "address":
            self.failed(bot.id, _USED_UP.format(again=_minute(now_ms() + max(0, self._db.run("PTTL", own)))))
        elif word == "host":
            tomorrow = (now_ms() // _DAY_MS + 1) * _DAY_MS
            self.failed(bot.id, _HOST_USED_UP.format(again=_minute(tomorrow)))
        return bool(word == "ok")

    def not_sent(self, bot: Bot) -> None:
        """What `begin` allowed came to no request: it does not count for the address."""
        if bot.url is not None:
            self._db.call("uncount", [_own_tries(bot.owner, bot.url)], [])

    def passed(self, asked: Bot, detail: str = "the bot answered the challenge") -> Bot:
        """The bot, as it was asked, has proved that it knows its secret: it may play.

        Raises Conflict if its address or state was changed since.
        """
        bot = self._bots.verified(asked)
        self._checks.clear(bot.id)
        if asked.url and asked.verified_at is None:
            self._db.run("DEL", _own_tries(asked.owner, asked.url))
            self._db.call("uncount", [_host_tries(asked.url)], [])
        self._done(bot.id, "passed", detail)
        return bot

    def failed(self, bot_id: str, detail: str) -> None:
        """The bot has not proved it; `detail` says what came and what was expected."""
        self._done(bot_id, "failed", detail)

    def _done(self, bot_id: str, state: str, detail: str) -> None:
        note: list[Word] = ["state", state, "finished_at", now_ms(), "detail", detail]
        self._db.many(
            [("HSET", keys.verification(bot_id), *note), ("ZREM", keys.verifications(), bot_id)], atomic=True
        )


_USED_UP = (
    f"{TRIES} requests were sent to this address within a day without a proof; try again after {{again}},"
    " or give the bot another path and set that as its url"
)
_HOST_USED_UP = (
    f"{TRIES_PER_HOST} requests were sent to unverified bots on this host today; try again after {{again}}"
)


def _minute(at_ms: int) -> str:
    """The next whole minute after a time."""
    return datetime.fromtimestamp(at_ms // 60_000 * 60 + 60, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _own_tries(owner: str, url: str) -> str:
    return keys.address_tries(owner, hashlib.sha256(url.encode()).hexdigest()[:32])


def _host_tries(url: str) -> str:
    return keys.host_tries(urlsplit(url).hostname or "", now_ms() // _DAY_MS)

"""Whether a bot's address is its owner's: what was asked, how it went, how often it may be asked."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

from service.models import Bot, Verification
from service.store import keys
from service.store.bots import Bots
from service.store.codec import from_fields
from service.store.connection import Connection, Word
from service.store.owners import now_ms

TRIES = 3  # requests ever to one unverified address
TRIES_PER_HOST = 30  # a day, over all owners and bots
_DAY_MS = 24 * 3600 * 1000


class Verifications:
    def __init__(self, db: Connection, bots: Bots) -> None:
        self._db, self._bots = db, bots

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

    def pending(self, limit: int = 100) -> list[str]:
        """Bots whose check was asked for and has not been done, those that wait longest first."""
        return list(self._db.run("ZRANGE", keys.verifications(), 0, limit - 1))

    def begin(self, bot_id: str) -> bool:
        """Whether a request may be sent to the bot now; if not, the check has failed and says why.

        An address that was verified before may be asked again at any time.
        """
        bot = self._bots.get(bot_id)
        if bot.url is None or bot.verified_at is not None:
            return True
        host = urlsplit(bot.url).hostname or ""
        places = [keys.address_tries(), keys.host_tries(host, now_ms() // _DAY_MS)]
        word = self._db.call("begin_check", places, [_digest(bot.url), TRIES, TRIES_PER_HOST, _DAY_MS])
        if word != "ok":
            self.failed(bot_id, _REFUSED[word])
        return bool(word == "ok")

    def passed(self, bot_id: str) -> Bot:
        """The bot has proved that it knows its secret: it may play."""
        bot = self._bots.verified(bot_id)
        if bot.url:
            self._db.run("HDEL", keys.address_tries(), _digest(bot.url))
        self._done(bot_id, "passed", "the bot answered the challenge")
        return bot

    def failed(self, bot_id: str, detail: str) -> None:
        """The bot has not proved it; `detail` says what came and what was expected."""
        self._done(bot_id, "failed", detail)

    def _done(self, bot_id: str, state: str, detail: str) -> None:
        note: list[Word] = ["state", state, "finished_at", now_ms(), "detail", detail]
        self._db.many(
            [("HSET", keys.verification(bot_id), *note), ("ZREM", keys.verifications(), bot_id)], atomic=True
        )


_REFUSED = {
    "address": f"{TRIES} requests were sent to this address without a proof, and no more will be;"
    " start the bot, give it another path and set that as its url",
    "host": f"{TRIES_PER_HOST} requests were sent to unverified bots on this host today; try tomorrow",
}


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()[:32]

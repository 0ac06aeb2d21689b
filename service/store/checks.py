"""The service's own checks of bots: again and again in use, and when a paused one may be well again.

An owner's own check is another thing (`verifications`): passing it ends all that is noted here.
"""

from __future__ import annotations

from dataclasses import dataclass

from service.errors import Conflict
from service.models import Bot, BotState
from service.store import keys
from service.store.bots import Bots
from service.store.codec import from_fields
from service.store.connection import Connection, Word
from service.store.owners import now_ms

FAILED_TO_PAUSE = 5  # checks in a row
GOOD_TO_RESUME = 2  # probes in a row
IN_USE = (BotState.ACTIVE, BotState.AWAY)
GONE = "it answered 410 Gone, so it is not called any more; its owner's check lets it play again"


@dataclass(frozen=True, slots=True)
class Course:
    """How a bot's checks have gone since it was last well."""

    made: int = 0
    good: int = 0  # in a row, of a paused bot
    failed: int = 0  # in a row, of a bot in use
    asked_at: int = 0  # the last one; before the first, when probing began
    probing: bool = False
    gone: bool = False  # it said itself that it is no more (410)


class Checks:
    def __init__(self, db: Connection, bots: Bots) -> None:
        self._db, self._bots = db, bots

    def get(self, bot_id: str) -> Course:
        return from_fields(Course, self._db.run("HGETALL", keys.checks(bot_id)))

    def begin(self, bot_id: str) -> bool:
        """A bot was paused for its failures: it is to be probed from now on. Whether that is news."""
        course = self.get(bot_id)
        if course.probing or course.gone:
            return False
        self._note(bot_id, made=0, good=0, asked_at=now_ms(), probing="true")
        return True

    def ask(self, bot_id: str) -> None:
        """Note that a check is asked for now."""
        self._note(bot_id, made=self.get(bot_id).made + 1, asked_at=now_ms())

    def passed(self, asked: Bot) -> Bot:
        """The bot, as it was asked, has proved itself; a paused one is active again after the second time in
        a row. Raises Conflict if its address or state was changed since.
        """
        bot, good = self._bots.get(asked.id), self.get(asked.id).good + 1
        if bot.state is BotState.PAUSED and good < GOOD_TO_RESUME:
            self._note(bot.id, good=good)
            return bot
        after = self._bots.verified(asked)
        self.clear(bot.id)
        return after

    def failed(self, bot_id: str, detail: str) -> Bot:
        """It has not; a bot in use is paused after the fifth time in a row, with the reason."""
        bot, failed = self._bots.get(bot_id), self.get(bot_id).failed + 1
        if bot.state not in IN_USE:
            self._note(bot_id, good=0)
            return bot
        self._note(bot_id, failed=failed)
        if failed < FAILED_TO_PAUSE:
            return bot
        return self._pause(bot, f"{failed} checks in a row failed, the last: {detail}")

    def gone(self, bot_id: str) -> Bot:
        """It answered 410: it is paused and not called again until its owner asks for it."""
        self._note(bot_id, gone="true")
        self._db.run("HDEL", keys.checks(bot_id), "probing")
        return self._pause(self._bots.get(bot_id), GONE)

    def clear(self, bot_id: str) -> None:
        """It is well: what was before does not count any more."""
        self._db.run("DEL", keys.checks(bot_id))

    def _pause(self, bot: Bot, reason: str) -> Bot:
        if bot.state not in IN_USE:
            return bot
        try:
            return self._bots.pause(bot.id, reason, IN_USE)
        except Conflict:
            return self._bots.get(bot.id)  # its owner was faster

    def _note(self, bot_id: str, **members: Word) -> None:
        words = [word for pair in members.items() for word in pair]
        self._db.run("HSET", keys.checks(bot_id), *words)

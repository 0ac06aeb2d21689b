"""Mailboxes of bots without an address: their messages wait here to be fetched, and their replies to be read.

A message stands in a place of its seat's, which the next one takes. Every stamp is Redis' time, set in the
step that it is about, so that the load of no process counts.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from engines.registry import GAMES
from service.models import LADDERS, Claim
from service.store import keys
from service.store.connection import Connection
from service.store.live import Live

GRACE_US = 2_000_000  # after this the clock runs although no poll has fetched the message
AGAIN_US = 2_000_000  # an unanswered message comes again after this
SENDING_US = 250_000  # so much later the clock begins at most, if sending takes long
UNDERWAY_US = 250_000  # a reply that has arrived may be on its way through the API for so long
END_KEPT_MS = 3_600_000  # a message that asks nothing waits so long to be fetched,
FETCHED_KEPT_MS = 60_000  # and then so long to be answered
SPARE_MS = 60_000  # a question is kept for so much longer than its time

Check = Callable[[], None]  # called before every look; may raise, which ends the wait


class Replied(StrEnum):
    """What became of a reply."""

    TAKEN = "taken"
    ANSWERED = "answered"  # another one came first
    OVER = "over"  # the turn or the match is over, or there never was such a message


@dataclass(frozen=True, slots=True)
class Place:
    """Where the messages to one seat of a match stand."""

    bot: str
    match: str
    seat: int

    @property
    def name(self) -> str:
        return f"{self.match}:{self.seat}"

    @property
    def key(self) -> str:
        return keys.mail_place_prefix(keys.home(self.match), self.bot) + self.name


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a question ended, in µs of Redis' time; `reply` is None if none came in time."""

    reply: bytes | None
    ready_us: int
    delivered_us: int | None  # to the first poll
    ended_us: int  # when the reply arrived, or the question was closed


@dataclass(frozen=True, slots=True)
class Mail:
    """A message that was handed to a poll; `place` is the key it stands at, `body` its JSON."""

    place: str
    id: str
    body: str


class Mailbox:
    def __init__(self, db: Connection, live: Live) -> None:
        self._db = db
        self._live = live

    # Whoever asks

    def ask(self, claim: Claim | None, place: Place, message_id: str, body: bytes, limit_us: int) -> bool:
        """Put a question to a seat; False if the claim no longer holds. Without one the match is none of the
        store's, and the question is kept for FETCHED_KEPT_MS once it was fetched.
        """
        kept_ms = limit_us // 1000 + SPARE_MS
        epoch, fence = (claim.epoch, str(claim.fence)) if claim else ("", "")
        return self._put(place, message_id, body, kept_ms, epoch, fence) == "put"

    def tell(self, place: Place, message_id: str, body: bytes) -> None:
        """Leave a message that asks nothing; it is kept for a bounded time."""
        self._put(place, message_id, body, END_KEPT_MS, "", "")

    def wait(self, place: Place, message_id: str, limit_us: int, check: Check) -> Outcome | None:
        """How a question ends: with a reply, or closed once it may take no longer; None if it is gone.

        A reply in time is charged no more than `limit_us`; whether it is in time is the caller's to say.
        """
        left_us = limit_us

        def look() -> list[list[str]]:
            nonlocal left_us
            check()
            found = self._look(place, message_id, limit_us)
            if found[0] == "waiting":
                left_us = int(found[1])
                return []
            return [found]

        ended: list[list[str]] = []
        while not ended:
            ended = self._live.wait(keys.replies(place.match), max(1, left_us // 1000), look)
        word, *stamps = ended[0]
        return None if word == "gone" else self._outcome(place, word, stamps)

    def wake(self, match_id: str) -> None:
        """Let whoever waits for a reply in this match look, and `check`, at once."""
        self._live.ring(keys.replies(match_id))

    # Whoever polls

    def fetch(
        self, bot_id: str, most: int, wait_ms: int, check: Check, again_us: int = AGAIN_US
    ) -> list[Mail]:
        """Messages to the bot as soon as there are any; none after `wait_ms`.

        First those that no poll has fetched; one that is not answered comes again after `again_us`.
        """

        def look() -> list[Mail]:
            check()
            return self._fetch(bot_id, most, again_us)

        return self._live.wait(keys.mail_news(bot_id), wait_ms, look)

    def sent(self, mails: Sequence[Mail]) -> None:
        """These have just left the API (ladder by ladder): what it took to send them is not charged."""
        for _, same in groupby(mails, lambda mail: mail.place.partition(":")[0]):
            part = list(same)
            self._db.call("mail_sent", [m.place for m in part], [SENDING_US, *(m.id for m in part)])

    def reply(self, bot_id: str, message_id: str, body: bytes, age_us: int) -> Replied:
        """Take a reply that has arrived `age_us` ago; raises NotFound if the id is none of a message."""
        match_id = message_id.partition(":")[0]
        ladder = keys.home(match_id)
        places = [Place(bot_id, match_id, seat) for seat in range(max(GAMES[ladder].seats))]
        touched = [keys.match(match_id), keys.epoch(ladder), keys.mailbox(ladder, bot_id)]
        args = [message_id, body, secrets.token_hex(8), age_us, keys.replies(match_id)]
        names = [place.name for place in places]
        return Replied(self._db.call("mail_reply", [*touched, *(p.key for p in places)], [*args, *names]))

    # Steps

    def _put(self, place: Place, message_id: str, body: bytes, kept_ms: int, epoch: str, fence: str) -> str:
        ladder = keys.home(place.match)
        touched = [
            keys.match(place.match),
            keys.epoch(ladder),
            place.key,
            keys.mailbox(ladder, place.bot),
        ]
        named = f'{{"message_id":{json.dumps(message_id)},'.encode() + body[1:]
        args: list[Any] = [place.name, message_id, named, kept_ms, keys.mail_news(place.bot), place.match]
        return str(self._db.call("mail_put", touched, [*args, epoch, fence]))

    def _look(self, place: Place, message_id: str, limit_us: int) -> list[str]:
        touched = [place.key, keys.mailbox(keys.home(place.match), place.bot)]
        args = [place.name, message_id, limit_us, GRACE_US, UNDERWAY_US]
        return list(self._db.call("mail_wait", touched, args))

    def _outcome(self, place: Place, word: str, stamps: list[str]) -> Outcome:
        ready, delivered, ended = stamps
        reply = self._db.run_raw("HGET", place.key, "reply") if word == "replied" else None
        return Outcome(reply, int(ready), int(delivered) if delivered else None, int(ended))

    def _fetch(self, bot_id: str, most: int, again_us: int) -> list[Mail]:
        counts = self._db.many(("ZCARD", keys.mailbox(ladder, bot_id)) for ladder in LADDERS)
        found: list[Mail] = []
        for ladder, count in zip(LADDERS, counts, strict=True):
            if count and len(found) < most:
                touched = [keys.mailbox(ladder, bot_id), keys.epoch(ladder)]
                prefixes = [keys.mail_place_prefix(ladder, bot_id), keys.match_prefix(ladder)]
                args = [*prefixes, most - len(found), again_us, FETCHED_KEPT_MS]
                words = self._db.call("mail_fetch", touched, args)
                found += [Mail(*words[i : i + 3]) for i in range(0, len(words), 3)]
        return found

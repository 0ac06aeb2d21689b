"""What a bot without an address has in the place of a line: its mailbox, which it polls over the API.

Its clock runs from the delivery to a poll until the reply has arrived at the API; if no poll is waiting, from
two seconds after the turn was ready. While the API or Redis is away the bot cannot answer, so that is never
charged (C5).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from engines.protocol import MAX_REPLY_BYTES
from service.errors import Unavailable
from service.models import Claim
from service.store import Store
from service.store.mailbox import GRACE_US, Outcome, Place
from workers.bot_client import Abandoned, Exchange, Message, OurFault, Receipt, Timeout, TooLarge


class Unserved(OurFault):
    """The API or Redis was away, so the bot had no way to answer."""


class MailboxLine:
    """The mailbox of one seat for one claim (or for the doctor, without one); used by one thread at a time,
    aborted by any.
    """

    def __init__(self, store: Store, place: Place, claim: Claim | None = None) -> None:
        self._store = store
        self._claim = claim
        self._place = place
        self._cut = threading.Event()

    def abort(self) -> None:
        """End the wait for a reply, and any later one, with Abandoned (from any thread)."""
        self._cut.set()
        self._store.mailbox.wake(self._place.match)

    def close(self) -> None:
        """The match needs it no more; if somebody still waits for a reply, the wait ends."""
        self._cut.set()

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str],
        limit_us: int,
        *,
        again: Callable[[int], Message] | None = None,
        tries: int | None = None,
    ) -> Exchange:
        """Leave a message and wait for its reply, which may take `limit_us`; the webhook-id names it.

        It is left once: it comes again to every poll by itself. Raises BotFault and OurFault.
        """
        try:
            outcome, there_since_us = self._ask(headers["webhook-id"], body, limit_us)
        except Unavailable as error:
            raise Unserved(f"the bot could not be asked: {error.detail}") from error
        if outcome.reply is None:
            raise self._unanswered(outcome, there_since_us)
        exchange = Exchange(200, (), outcome.reply, _receipt(outcome, there_since_us or 0))
        if len(exchange.body) > MAX_REPLY_BYTES:
            fault = TooLarge(f"the reply has more than {MAX_REPLY_BYTES} bytes")
            fault.receipt = exchange.evidence()
            raise fault
        return exchange

    def _ask(self, message_id: str, body: bytes, limit_us: int) -> tuple[Outcome, int | None]:
        """How the question ended, and since when the API has been there (None: it is not)."""
        mailbox = self._store.mailbox
        self._check()
        outcome = None
        if mailbox.ask(self._claim, self._place, message_id, body, limit_us):
            outcome = mailbox.wait(self._place, message_id, limit_us, self._check)
        if outcome is None:
            raise Abandoned("another worker has the match")
        return outcome, self._store.desk.since_us()

    def _check(self) -> None:
        if self._cut.is_set():
            raise Abandoned("the wait for a reply was aborted")

    def _unanswered(self, outcome: Outcome, there_since_us: int | None) -> Timeout | Unserved:
        if there_since_us is None or there_since_us > outcome.ready_us:
            return Unserved("the API was away, so the bot could not answer")
        fault = Timeout(_why(outcome))
        fault.receipt = _receipt(outcome, 0)
        return fault


def _why(outcome: Outcome) -> str:
    if outcome.delivered_us is None:
        waited_s = (outcome.ended_us - outcome.ready_us) / 1e6
        return f"no poll fetched the message within {waited_s:.1f} s: the bot does not poll"
    fetched_s = (outcome.delivered_us - outcome.ready_us) / 1e6
    waited_s = (outcome.ended_us - outcome.delivered_us) / 1e6
    return f"a poll fetched the message after {fetched_s:.1f} s; no reply came in the {waited_s:.1f} s since"


def _receipt(outcome: Outcome, there_since_us: int) -> Receipt:
    """`send_us` is how long the message lay there, `wait_us` how long the bot had it."""
    fetched_us = outcome.ended_us if outcome.delivered_us is None else outcome.delivered_us
    begun_us = max(min(fetched_us, outcome.ready_us + GRACE_US), there_since_us)
    return Receipt(
        send_us=max(0, fetched_us - outcome.ready_us),
        wait_us=max(0, outcome.ended_us - fetched_us),
        charged_us=max(0, outcome.ended_us - begun_us),
        attempts=1,
        stamp="api",
    )

"""How an exchange with a bot can end badly, and whose fault it is.

BotFault            the bot's: its wire name, a sentence for its owner, the receipt
├── Timeout         no complete reply within the clock
├── Unreachable     refused, reset, no route, DNS, TLS
│   └── Blocked     an address that the service does not call
├── HttpError       a status other than 200
├── TooLarge        more than a reply may hold
└── Malformed       not a reply as HTTP and the protocol have it
OurFault            ours: the turn is asked again, uncharged (C5)
├── Abandoned       another thread aborted the exchange
└── Starved         no descriptors, threads or way out left
"""

from __future__ import annotations

from typing import ClassVar

from engines.protocol import FaultReason
from workers.bot_client.receipts import Receipt


class BotFault(Exception):
    """Base of the bot's faults; `str()` is the detail, `receipt` what was measured until then.

    `detail` is for the bot's owner; `public` says the same to everybody, without where the bot lives.
    `connected` tells whether there was a connection to send a request on.
    """

    reason: ClassVar[FaultReason]

    def __init__(self, detail: str, public: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.public = detail if public is None else public
        self.receipt = Receipt()
        self.connected = False


class Timeout(BotFault):
    """No complete reply within the clock."""

    reason = FaultReason.TIMEOUT


class Unreachable(BotFault):
    """The bot's host could not be found, connected to or trusted, or it hung up."""

    reason = FaultReason.UNREACHABLE


class Blocked(Unreachable):
    """The bot's name leads to an address or a port that the service does not call."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, "the bot's address is one that the service does not call")


class HttpError(BotFault):
    """A status other than 200."""

    reason = FaultReason.HTTP_ERROR

    def __init__(self, detail: str, status: int, public: str | None = None) -> None:
        super().__init__(detail, public)
        self.status = status

    @property
    def gone(self) -> bool:
        """Whether whoever is called wants to be called no more."""
        return self.status == 410


class TooLarge(BotFault):
    """More bytes than a reply may have."""

    reason = FaultReason.TOO_LARGE


class Malformed(BotFault):
    """Not a reply as HTTP/1.1 and the protocol have it."""

    reason = FaultReason.MALFORMED_REPLY


class OurFault(Exception):
    """Base of what is not the bot's fault: the turn is asked again, uncharged (C5)."""


class Abandoned(OurFault):
    """The exchange was aborted by another thread."""


class Starved(OurFault):
    """This process, or its egress proxy, cannot open another connection."""

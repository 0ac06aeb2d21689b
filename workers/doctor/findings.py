"""What the doctor finds, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from engines.protocol import FaultReason

MAX_SHOWN = 300  # characters of what was sent or came


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    NOTE = "note"  # worth knowing; nothing to mend
    ADVICE = "advice"  # works, and could be better
    ERROR = "error"  # loses matches, or keeps the bot from being registered


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome. The four texts are empty where there is nothing to mend."""

    check: str
    level: Level
    summary: str
    sent: str = ""
    came: str = ""
    expected: str = ""
    mend: str = ""
    reason: str | None = None  # the fault it would be in a match (engines.protocol.FaultReason)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def failed(findings: Iterable[Finding]) -> bool:
    """Whether something must be mended."""
    return any(finding.level is Level.ERROR for finding in findings)


EXPECTED: Mapping[FaultReason, str] = {
    FaultReason.TIMEOUT: "the whole reply within clock.limit_ms (the network's allowance comes on top)",
    FaultReason.UNREACHABLE: "a connection, and a whole reply on it",
    FaultReason.HTTP_ERROR: "status 200 for every POST",
    FaultReason.TOO_LARGE: "at most 64 KiB of JSON",
    FaultReason.MALFORMED_REPLY: 'a JSON object such as {"move": "<text>"} or {"move": <index>}',
    FaultReason.ILLEGAL_MOVE: "one of legal_moves, or its index in that list",
    FaultReason.RESIGNED: "a move; resigning is allowed, but this position is still open",
}

MEND: Mapping[FaultReason, str] = {
    FaultReason.TIMEOUT: (
        "look at clock.limit_ms and stop thinking in time (SDK: turn.clock.share_s), and send the whole reply"
        " at once"
    ),
    FaultReason.UNREACHABLE: (
        "check that the bot runs, listens on this address and port, and lets a connection stand until it has"
        " answered"
    ),
    FaultReason.HTTP_ERROR: (
        "answer 200 on the very URL that is registered, without redirects; a 5xx mostly means an error in the"
        " bot's own code, which its log shows"
    ),
    FaultReason.TOO_LARGE: "answer with the move alone and a Content-Length that is true",
    FaultReason.MALFORMED_REPLY: (
        "answer in HTTP/1.1 with one true Content-Length, without Content-Encoding, and in plain UTF-8 JSON"
    ),
    FaultReason.ILLEGAL_MOVE: (
        "choose from legal_moves of the request being answered; keep nothing of other turns or other matches"
        " in global variables"
    ),
    FaultReason.RESIGNED: "resign only when the match is lost",
}

MEND_AWAY = "let a poll wait at all times: poll again as soon as one has come back, also while the bot thinks"


def shown(text: str) -> str:
    """A text short enough to be read."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}… ({len(text)} characters)"

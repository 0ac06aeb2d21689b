"""What a finished match says of its bots: how they are doing, and whether they are to be let off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engines.protocol import FaultReason
from service.checking import keep_checking
from service.models import Match
from service.store import Store
from service.store.health import Played

Event = Mapping[str, Any]

# A bot that moves illegally or resigns is there and plays; these are not.
FAILURES: Mapping[str, str] = {
    FaultReason.NO_SHOW: "did not answer `start`",
    FaultReason.UNREACHABLE: "could not be reached",
    FaultReason.TIMEOUT: "did not answer in time",
    FaultReason.HTTP_ERROR: "answered with an HTTP error",
    FaultReason.TOO_LARGE: "answered with too much",
    FaultReason.MALFORMED_REPLY: "answered with what is no reply",
}


def note_match(store: Store, match: Match, events: Sequence[Event]) -> None:
    """Keep how each bot did; the store pauses a bot at the fifth failure in a row, with the reason."""
    at = events[-1]["at"]
    own = {bot: _of(bot, match, events) for bot in {player.bot for player in match.players}}
    store.health.note(at, {bot: _played(theirs) for bot, theirs in own.items()})
    keep_checking(store, at, *own)
    failures = {bot: next(filter(_failed, theirs), None) for bot, theirs in own.items()}
    store.bots.succeeded(*(bot for bot, failure in failures.items() if failure is None))
    for bot, failure in failures.items():
        if failure is not None:
            what = FAILURES[failure["reason"]]
            store.bots.failed(bot, f"{what} at turn {failure['turn']} of {match.id}: {failure['detail']}")


def _of(bot: str, match: Match, events: Sequence[Event]) -> list[Event]:
    """The events of a bot's seats."""
    seats = {player.seat for player in match.players if player.bot == bot}
    return [event for event in events if event.get("seat") in seats]


def _played(events: Sequence[Event]) -> Played:
    turns = [_times(event["receipt"]) for event in events if "receipt" in event]
    return turns, Counter(event["reason"] for event in events if event["type"] == "fault")


def _times(receipt: Mapping[str, int]) -> tuple[int, int]:
    return receipt["charged_us"], receipt["connect_us"]


def _failed(event: Event) -> bool:
    return event["type"] == "fault" and event["final"] and event["reason"] in FAILURES

"""Counts the matches that a bot failed in a row; the fifth pauses it, with the reason for its owner."""

from __future__ import annotations

from collections.abc import Mapping

from engines.protocol import FaultReason
from service.models import Match
from service.store import Store

# A bot that moves illegally or resigns is there and plays; these are not.
FAILURES: Mapping[str, str] = {
    FaultReason.NO_SHOW: "did not answer `start`",
    FaultReason.UNREACHABLE: "could not be reached",
    FaultReason.TIMEOUT: "did not answer in time",
    FaultReason.HTTP_ERROR: "answered with an HTTP error",
    FaultReason.TOO_LARGE: "answered with too much",
    FaultReason.MALFORMED_REPLY: "answered with what is no reply",
}


def note_outcome(store: Store, match: Match) -> None:
    """Count a finished match for or against each of its bots."""
    result = match.result or {}
    faults = {fault["seat"]: fault for fault in result.get("faults", ())}
    failed: dict[str, str] = {}
    for player in match.players:
        fault = faults.get(player.seat)
        if fault and fault["reason"] in FAILURES:
            failed[player.bot] = f"{FAILURES[fault['reason']]} at turn {fault['turn']} of {match.id}"
    for bot in {player.bot for player in match.players}:
        if bot in failed:
            store.bots.failed(bot, failed[bot])
        else:
            store.bots.succeeded(bot)

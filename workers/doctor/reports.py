"""From what a bot did to findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engines.protocol import FaultReason
from engines.referee import Turn
from workers.bot_client import BotFault
from workers.doctor.findings import EXPECTED, MEND, MEND_AWAY, Finding, Level, shown
from workers.doctor.patient import Asked


def judged(check: str, well: str, last: Mapping[str, Asked]) -> Iterator[Finding]:
    """OK, or a finding for each reason with the first turn it came up in."""
    faults: dict[str, list[str]] = {}
    for name, asked in last.items():
        if asked.fault:
            faults.setdefault(asked.fault["reason"], []).append(name)
    if last and not faults:
        yield Finding(check, Level.OK, well)
    for names in faults.values():
        yield turn_finding(check, "; ".join(names), last[names[0]])


def turn_finding(check: str, where: str, asked: Asked, level: Level = Level.ERROR) -> Finding:
    assert asked.fault
    reason = FaultReason(asked.fault["reason"])
    receipt = asked.answer.receipt or {}
    return Finding(
        check,
        Level.ADVICE if reason is FaultReason.RESIGNED else level,
        f"{where}: {asked.fault['detail']}",
        sent=shown(f"a move request: {_told(asked.turn)}"),
        came=what_came(receipt),
        expected=EXPECTED[reason],
        mend=_mend(reason, receipt),
        reason=reason,
    )


def _told(turn: Turn) -> str:
    some = ", ".join(turn.legal[:3])
    limit = turn.clock.limit_us(turn.seat) // 1000
    return (
        f"seat {turn.seat}, limit_ms {limit}, state {turn.state.text(turn.seat)!r},"
        f" {len(turn.legal)} legal moves ({some}, …)"
    )


def fault_finding(
    check: str, summary: str, fault: BotFault, sent: str, level: Level = Level.ERROR
) -> Finding:
    receipt = fault.receipt.to_json()
    return Finding(
        check,
        level,
        f"{summary}: {fault.detail}",
        sent=shown(sent),
        came=what_came(receipt),
        expected=EXPECTED[fault.reason],
        mend=_mend(fault.reason, receipt),
        reason=fault.reason,
    )


def unproven(wrong: str, sent: str, came: str) -> Finding:
    """An answer to the challenge that does not show the bot's secret."""
    return Finding(
        "verification",
        Level.ERROR,
        f"the bot cannot be verified: {wrong}",
        sent=sent,
        came=came,
        expected='{"answer": hex(HMAC-SHA256(secret, "arbiter-verify-v1\\n" + challenge))}',
        mend="start it with the secret that `bot register` showed, or with a new one by `arbiter bot secret`;"
        " if it has that: the key is the bytes that the base64 behind whsec_ stands for, the answer is hex",
        reason=FaultReason.MALFORMED_REPLY,
    )


def _mend(reason: FaultReason, receipt: Mapping[str, Any]) -> str:
    if receipt.get("status") in (401, 403):
        return "the bot refuses the signature: see that both sides have the same secret and the right time"
    if reason is FaultReason.TIMEOUT and receipt.get("stamp") == "api" and not receipt["wait_us"]:
        return MEND_AWAY
    return MEND[reason]


def what_came(receipt: Mapping[str, Any]) -> str:
    """What the bot answered, from a receipt with evidence."""
    if "status" not in receipt:
        return f"nothing that could be used; {receipt['charged_us'] / 1000:.0f} ms were charged"
    return f"status {receipt['status']}, body {shown(receipt['body'])!r}"

"""The checks, in their order. Each is a function from the patient to findings."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import chain
from statistics import median, quantiles

from engines.clock import Control
from engines.game import SEED_BYTES
from engines.protocol import FaultReason, MalformedReply, parse_nonce, verify_request
from engines.referee import Answer, Setup, Turn
from workers.bot_client import BotFault, HttpError, Unreachable
from workers.doctor.findings import Finding, Level, failed, shown
from workers.doctor.patient import Asked, Match, Patient
from workers.doctor.positions import positions, setup
from workers.doctor.reports import fault_finding, judged, turn_finding, unproven, what_came
from workers.local_bots import new_secret
from workers.proving import prove

TURNS = 6  # of a match
GIVE_UP = 3  # faults in a row
HURRY = Control("per_move", base_ms=200)
NAGLE_US = 30_000  # a small reply in one piece arrives within microseconds

Findings = Iterator[Finding]


def examine(patient: Patient) -> Findings:
    """All findings, as they are made. Raises OurFault when the doctor's own machine is at its limits."""
    try:
        yield from _verification(patient)
        yield from _wrong_signature(patient)
        yield from _unasked(patient)
        found = []
        for finding in chain(_a_match(patient), _each_kind(patient)):
            found.append(finding)
            yield finding
        yield from _later() if failed(found) else _the_rest(patient)
    except Unreachable as fault:
        yield fault_finding("reach", "the bot cannot be reached", fault, "a request")
        return
    yield from _connection(patient)
    yield from _pace(patient)


def _the_rest(patient: Patient) -> Findings:
    yield from _again(patient)
    yield from _in_a_hurry(patient)
    yield from _at_once(patient)


def _later() -> Findings:
    what = "turns that come again, a short clock, matches at the same time"
    yield Finding("later", Level.NOTE, f"not looked at yet: {what}; mend the above first")


# Who it is


def _verification(patient: Patient) -> Findings:
    if patient.polls:
        return
    if not patient.secrets:
        yield Finding("verification", Level.NOTE, "not looked at: the bot's signing secret was not given")
        return
    challenge = secrets.token_hex(32)
    sent = f"a verify request with the challenge {challenge}"
    try:
        exchange = patient.post(verify_request(challenge), f"verify:{challenge[:16]}")
        prove(patient.secrets, challenge, exchange.body)
    except Unreachable:
        raise
    except BotFault as fault:
        yield fault_finding("verification", "the bot cannot be verified", fault, sent)
    except MalformedReply as error:
        yield unproven(str(error), sent, what_came(exchange.evidence().to_json()))
    else:
        yield Finding("verification", Level.OK, "the bot proves that it knows its secret")


def _wrong_signature(patient: Patient) -> Findings:
    if patient.polls or not patient.secrets:
        return
    match = patient.match(_begin(patient))
    try:
        exchange = match.post(match.start_message(), secret=new_secret())
    except HttpError as fault:
        if fault.status in (400, 401, 403):
            yield Finding("signature", Level.OK, f"a wrong signature is refused ({fault.status})")
        else:
            yield fault_finding("signature", "a wrong signature upsets the bot", fault, _FORGED, Level.ADVICE)
    except Unreachable:
        raise
    except BotFault as fault:
        yield fault_finding("signature", "a wrong signature upsets the bot", fault, _FORGED, Level.ADVICE)
    else:
        yield Finding(
            "signature",
            Level.ADVICE,
            "the bot answers whoever asks: it does not check signatures",
            sent=_FORGED,
            came=what_came(exchange.evidence().to_json()),
            expected="status 401",
            mend="check webhook-signature over the raw body (the SDK and the starters do)",
        )


_FORGED = "a start request signed with another secret"


def _unasked(patient: Patient) -> Findings:
    """Answers before there is a request, and behind the one answer to it."""
    if patient.polls:
        return
    with closing(patient.match(_begin(patient))) as match:
        message = match.start_message()
    try:
        early, late = patient.unasked(), patient.unasked(message)
    except Unreachable:
        raise
    except BotFault:
        return  # the match that follows tells more
    if early:
        told = "the bot answers before it is asked", "nothing, over a new connection", early
    elif late:
        told = "something comes behind the bot's answer", "one start request", late
    else:
        yield Finding("unasked", Level.OK, "one answer comes to a request, and nothing else")
        return
    summary, sent, came = told
    yield Finding(
        "unasked",
        Level.ADVICE,
        summary,
        sent=sent,
        came=shown(repr(came)[1:]),
        expected="one answer to each request, after the whole request was read",
        mend="read Content-Length bytes, then answer once, with the true Content-Length of the answer",
        reason=FaultReason.MALFORMED_REPLY,
    )


# Matches


def _begin(patient: Patient, control: Control | None = None, number: int = 0) -> Setup:
    return setup(patient.game, control or patient.control, number.to_bytes(SEED_BYTES, "big"), 0)


def _a_match(patient: Patient) -> Findings:
    """From start to end, over one connection."""
    with closing(patient.match(_begin(patient))) as match:
        yield from _start(match)
        asked = list(match.turns(TURNS))
        yield from judged("match", f"{len(asked)} turns of a match are answered", {"a match": asked[-1]})
        yield from _end(match)
        if not patient.polls:
            yield from _keep_alive(asked)


def _start(match: Match) -> Findings:
    message = match.start_message()
    try:
        exchange = match.post(message)
        parse_nonce(exchange.body)
    except Unreachable:
        raise
    except BotFault as fault:
        yield fault_finding("start", "the bot would not come to its matches", fault, json.dumps(message))
    except MalformedReply as error:
        yield Finding(
            "start",
            Level.ADVICE,
            f"the answer to start is of no use: {error}",
            sent=shown(json.dumps(message)),
            came=what_came(exchange.evidence().to_json()),
            expected='{}, or {"nonce": "<up to 64 hex digits>"}',
            mend="answer {} if the bot does not want a part in the seed",
            reason=FaultReason.MALFORMED_REPLY,
        )
    else:
        yield Finding("start", Level.OK, "start is answered")


def _end(match: Match) -> Findings:
    message = match.end_message()
    try:
        match.post(message)
    except Unreachable:
        raise
    except BotFault as fault:
        yield fault_finding(
            "end", "end is not taken, so it will come again", fault, json.dumps(message), Level.ADVICE
        )
    else:
        yield Finding("end", Level.OK, "end is taken")


def _keep_alive(asked: Sequence[Asked]) -> Findings:
    receipts = [a.answer.receipt for a in asked if isinstance(a.answer, Answer) and a.answer.receipt]
    if any(receipt["connect_us"] == 0 for receipt in receipts):
        yield Finding("keep-alive", Level.OK, "connections are kept open between turns")
    elif receipts:
        slowest = max(receipt["connect_us"] for receipt in receipts) / 1000
        yield Finding(
            "keep-alive",
            Level.ADVICE,
            f"a new connection for every turn, up to {slowest:.1f} ms each",
            sent="turns of one match, one after the other",
            came="each answer was the last on its connection",
            expected="HTTP/1.1 with the connection left open for minutes",
            mend="answer as HTTP/1.1 with a Content-Length; let the server keep idle connections for minutes",
        )


def _each_kind(patient: Patient) -> Findings:
    """Positions that need each kind of move; after some faults in a row the rest would tell nothing new."""
    last: dict[str, Asked] = {}
    for name, begun in positions(patient.game, patient.control):
        with closing(patient.match(begun)) as match:
            (last[name],) = match.turns(1)
        latest = list(last.values())[-GIVE_UP:]
        if len(latest) == GIVE_UP and all(asked.fault for asked in latest):
            break
    yield from judged("positions", f"{len(last)} kinds of positions are answered", last)


def _again(patient: Patient) -> Findings:
    """A turn that is delivered again, and one for which another answer is allowed."""
    with closing(patient.match(_begin(patient))) as match:
        last = {"the turn": list(match.turns(1))[-1]}
        if not last["the turn"].fault:
            last["the same turn, delivered again"] = list(match.turns(1, attempt=2))[-1]
            last["the same turn, with error set"] = list(match.turns(1, attempt=3, alter=_refused))[-1]
    yield from judged("again", "a turn that comes again is answered again", last)


def _refused(turn: Turn) -> Turn:
    detail = "the doctor's example of an answer that was refused"
    return replace(turn, error={"reason": "illegal-move", "detail": detail, "got": "??"})


def _in_a_hurry(patient: Patient) -> Findings:
    with closing(patient.match(_begin(patient, HURRY))) as match:
        (asked,) = match.turns(1)
    late = asked.fault is not None and asked.fault["reason"] == FaultReason.TIMEOUT
    if late:
        yield turn_finding("hurry", f"too slow for a clock of {HURRY.base_ms} ms", asked, Level.ADVICE)
    elif asked.fault is None:
        yield Finding("hurry", Level.OK, f"a clock of {HURRY.base_ms} ms a turn is kept")


def _at_once(patient: Patient) -> Findings:
    """Several matches at the same time, whose positions differ."""
    if patient.concurrency < 2:
        return

    def one(number: int) -> Asked:
        with closing(patient.match(_begin(patient, number=number))) as match:
            match.post(match.start_message())
            return list(match.turns(TURNS))[-1]

    try:
        with ThreadPoolExecutor(patient.concurrency) as pool:
            ends = list(pool.map(one, range(1, patient.concurrency + 1)))
    except Unreachable:
        raise
    except BotFault as fault:
        yield fault_finding(
            "concurrency", "matches at the same time fail", fault, "start requests at the same time"
        )
        return
    last = {f"match {number} of {len(ends)} at once": asked for number, asked in enumerate(ends, start=1)}
    yield from judged("concurrency", f"{len(ends)} matches at once are played", last)


# Times


def _connection(patient: Patient) -> Findings:
    """Nagle's algorithm and delayed acknowledgements: the body comes ~40 ms behind the head."""
    waits = [receipt["receive_us"] for receipt in patient.receipts]
    if patient.polls or not waits:
        return
    if median(waits) < NAGLE_US:
        yield Finding("one-piece", Level.OK, "replies come in one piece")
        return
    yield Finding(
        "one-piece",
        Level.ADVICE,
        f"{median(waits) / 1000:.0f} ms pass between a reply's first and last byte, on the bot's clock",
        sent=f"{len(waits)} move requests",
        came="the head of the reply, and its body later: Nagle's algorithm waits for an acknowledgement",
        expected="head and body at once",
        mend="set TCP_NODELAY on the bot's connections, or write head and body in one call",
    )


def _pace(patient: Patient) -> Findings:
    charged = [receipt["charged_us"] / 1000 for receipt in patient.receipts]
    if len(charged) < 2:
        return
    cuts = quantiles(charged, n=100, method="inclusive")
    limit = patient.control.base_ms
    times = ", ".join(f"{name} {ms:.1f} ms" for name, ms in _pace_of(cuts, charged))
    summary = f"charged for a move: {times} ({len(charged)} moves)"
    near = cuts[94] > 0.9 * limit
    yield Finding(
        "pace",
        Level.NOTE,
        summary + (f"; that is close to the limit of {limit} ms" if near else ""),
    )


def _pace_of(cuts: Sequence[float], charged: Sequence[float]) -> list[tuple[str, float]]:
    return [("median", cuts[49]), ("p90", cuts[89]), ("p99", cuts[98]), ("most", max(charged))]

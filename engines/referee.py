"""The referee: a generator that passes turns out, takes answers in, and returns the verdict.

It does no I/O and reads no clock. Whoever drives it delivers each `Turn` to its bot, measures, and sends
back an `Answer` or a `Fault`; `Turn.events` are what has happened since the turn before, to be kept before
the bot is asked. A driver that died is replaced by sending the recorded answers to a new generator
(`recorded_answer`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engines.chance import Stream
from engines.clock import Clock, Control, Flagged
from engines.errors import IllegalMove
from engines.game import Game, OptionValue, Outcome, Reason, State
from engines.protocol import FaultReason, MoveReply, scalar_text

Event = dict[str, Any]
MAX_GOT = 200  # characters of a faulty answer that are kept
MAX_DETAIL = 500  # and of the sentence about it

_KEEP_WHEN_FLAGGED = {FaultReason.UNREACHABLE, FaultReason.HTTP_ERROR}
_MAY_TRY_AGAIN = {FaultReason.ILLEGAL_MOVE, FaultReason.MALFORMED_REPLY}


@dataclass(frozen=True, slots=True)
class Setup:
    """All that decides a match but the bots' answers. `seed` and `opening_seed` are 32 bytes."""

    game: Game
    seats: int
    options: Mapping[str, OptionValue]
    control: Control
    seed: bytes
    opening_plies: int = 0
    opening_seed: bytes = bytes(32)
    attempts: int = 1  # answers a turn may take while they are illegal or malformed
    no_shows: tuple[int, ...] = ()
    absences: tuple[str, ...] = ()  # why, a sentence for each of `no_shows`; may be left out


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat is to be asked. `error` says what was wrong with its previous answer to this turn, if any."""

    turn: int
    seat: int
    state: State
    legal: tuple[str, ...]
    clock: Clock
    history: tuple[Event, ...]  # the plies since the seat was last asked
    events: tuple[Event, ...]
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A well-formed reply and what it cost. `stamp` says by which clock; `receipt` is the owner's only."""

    reply: MoveReply
    charged_us: int
    attempt: int = 1
    receipt: Mapping[str, Any] | None = None
    stamp: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """No usable reply: why, in one sentence, what came, and what it cost."""

    reason: FaultReason
    detail: str
    charged_us: int
    attempt: int = 1
    got: str | int | None = None
    receipt: Mapping[str, Any] | None = None
    stamp: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the match ended: the last events (the last of them without its time) and the result."""

    events: tuple[Event, ...]
    result: Mapping[str, Any]
    state: State


@dataclass(slots=True)
class _Desk:
    """The referee's notes: events not handed out yet, all plies, and up to where each seat has seen them."""

    setup: Setup
    state: State
    clock: Clock
    events: list[Event] = field(default_factory=list)
    plies: list[Event] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)
    faults: list[Event] = field(default_factory=list)

    def take_events(self) -> tuple[Event, ...]:
        events, self.events = tuple(self.events), []
        return events

    def play(self, move: Any, by: str) -> None:
        entry = {"turn": self.state.ply, "seat": self.state.to_move, "move": str(move)}
        if (card := getattr(move, "card_name", None)) is not None:
            entry["card"] = card
        self.plies.append({**entry, "by": by})
        self.state = self.state.apply(move)

    def fall_out(self, seat: int, reason: FaultReason) -> None:
        entry = {"turn": self.state.ply, "seat": seat}
        self.plies.append({**entry, "move": None, "by": "fault"})
        self.faults.append({**entry, "reason": str(reason)})
        self.state = self.state.without(seat)


def referee(setup: Setup) -> Generator[Turn, Answer | Fault, Verdict]:
    """Referee one match. Yields a Turn for every question, returns the Verdict."""
    state = setup.game.start(setup.seats, setup.options, setup.seed)
    desk = _Desk(setup, state, Clock.start(setup.control, setup.seats))
    if _nobody_came(setup):
        return _verdict(desk, Outcome((1,) * setup.seats, Reason.LAST_STANDING), "void")
    reasons = dict(zip(setup.no_shows, setup.absences, strict=False))
    for seat in setup.no_shows:
        _no_show(desk, seat, reasons.get(seat))
    _play_opening(desk)
    while (outcome := desk.state.outcome) is None:
        legal = desk.state.legal_moves()
        if len(legal) == 1:
            _play_forced(desk, legal[0], "forced")
        else:
            yield from _ask(desk, legal)
    return _verdict(desk, outcome, "drawn" if outcome.drawn else "decided")


def _nobody_came(setup: Setup) -> bool:
    """Whether every side has a seat that never answered `start`: then nobody wins."""
    sides = {setup.game.team(seat) if setup.game.teams else seat for seat in setup.no_shows}
    return len(sides) == (2 if setup.game.teams else setup.seats)


def _no_show(desk: _Desk, seat: int, why: str | None) -> None:
    if desk.state.outcome is None:
        detail = "the bot did not answer `start` in three tries" + (f" (the last one: {why})" if why else "")
        desk.events.append(_fault_event(desk, seat, Fault(FaultReason.NO_SHOW, detail, 0), final=True))
        desk.fall_out(seat, FaultReason.NO_SHOW)


def _play_opening(desk: _Desk) -> None:
    """Seeded uniformly random plies, the same ones from whatever seat a bot plays them."""
    stream = Stream(desk.setup.opening_seed, b"opening")
    for _ in range(desk.setup.opening_plies):
        if desk.state.outcome is not None:
            return
        legal = desk.state.legal_moves()
        index, stream = stream.below(len(legal))
        _play_forced(desk, legal[index], "opening")


def _play_forced(desk: _Desk, move: Any, by: str) -> None:
    state = desk.state
    desk.events.append(
        {"type": "forced", "turn": state.ply, "seat": state.to_move, "move": str(move), "by": by}
    )
    desk.play(move, by)


def _ask(desk: _Desk, legal: Sequence[Any]) -> Generator[Turn, Answer | Fault, None]:
    """Put one turn to its seat until it is played or the seat is out."""
    seat, state = desk.state.to_move, desk.state
    texts = tuple(map(str, legal))
    history = tuple(desk.plies[desk.seen.get(seat, 0) :])
    error: Mapping[str, Any] | None = None
    for trial in range(1, desk.setup.attempts + 1):
        turn = Turn(state.ply, seat, state, texts, desk.clock, history, desk.take_events(), error)
        answer = yield turn
        judged = _judge(desk, seat, legal, answer)
        if not isinstance(judged, Fault):
            desk.events.append(_move_event(desk, seat, judged, answer))
            desk.play(judged, "bot")
            desk.seen[seat] = len(desk.plies)
            return
        final = judged.reason not in _MAY_TRY_AGAIN or trial == desk.setup.attempts
        desk.events.append(_fault_event(desk, seat, judged, final))
        if final:
            desk.fall_out(seat, judged.reason)
            return
        error = {"reason": str(judged.reason), "detail": judged.detail, "got": judged.got}


def _judge(desk: _Desk, seat: int, legal: Sequence[Any], answer: Answer | Fault) -> Any:
    """The move that was answered, or the Fault. The clock is looked at first: late is late."""
    try:
        desk.clock = desk.clock.spend(seat, answer.charged_us)
    except Flagged as flagged:
        desk.clock = desk.clock.run_out(seat)
        if isinstance(answer, Fault) and answer.reason in _KEEP_WHEN_FLAGGED:
            return answer
        return _late(answer, flagged)
    if isinstance(answer, Fault):
        return answer
    if answer.reply.move is None:
        return _fault(answer, FaultReason.RESIGNED, "the bot resigned", None)
    try:
        return _resolve(desk.state, legal, answer.reply.move)
    except IllegalMove as error:
        return _fault(answer, FaultReason.ILLEGAL_MOVE, str(error), answer.reply.move)


def _resolve(state: State, legal: Sequence[Any], move: str | int) -> Any:
    if isinstance(move, str):
        return state.move(move)
    if not 0 <= move < len(legal):
        raise IllegalMove(str(move), f"the index of a legal move is from 0 to {len(legal) - 1}", "PROTOCOL")
    return legal[move]


def _late(answer: Answer | Fault, flagged: Flagged) -> Fault:
    detail = (
        f"the answer took {flagged.charged_us / 1000:.1f} ms;"
        f" {flagged.allowed_us / 1000:.1f} ms were left, the allowance included"
    )
    if isinstance(answer, Fault) and answer.reason is FaultReason.TIMEOUT:
        detail = answer.detail
    return _fault(answer, FaultReason.TIMEOUT, detail, None)


def _fault(answer: Answer | Fault, reason: FaultReason, detail: str, got: str | int | None) -> Fault:
    return Fault(reason, detail, answer.charged_us, answer.attempt, got, answer.receipt, answer.stamp)


def _clocked(desk: _Desk, kind: str, seat: int, answer: Answer | Fault) -> Event:
    event: Event = {
        "type": kind,
        "turn": desk.state.ply,
        "seat": seat,
        "charged_us": answer.charged_us,
        "remaining_us": list(desk.clock.remaining_us),
        "periods_left": list(desk.clock.periods_left),
        "attempt": answer.attempt,
    }
    if answer.stamp is not None:
        event["stamp"] = answer.stamp
    if answer.receipt is not None:
        event["receipt"] = dict(answer.receipt)
    return event


def _move_event(desk: _Desk, seat: int, move: Any, answer: Answer | Fault) -> Event:
    event = _clocked(desk, "move", seat, answer)
    event["move"] = str(move)
    if isinstance(answer, Answer) and answer.reply.comment:
        event["comment"] = answer.reply.comment
    return event


def _fault_event(desk: _Desk, seat: int, fault: Fault, final: bool) -> Event:
    event = _clocked(desk, "fault", seat, fault)
    got = scalar_text(fault.got[:MAX_GOT]) if isinstance(fault.got, str) else fault.got
    detail = scalar_text(fault.detail[:MAX_DETAIL])  # it may quote the answer, which the bot chose
    return {**event, "reason": str(fault.reason), "detail": detail, "got": got, "final": final}


def _verdict(desk: _Desk, outcome: Outcome, kind: str) -> Verdict:
    by_fault = outcome.reason is Reason.LAST_STANDING
    reason: str = outcome.reason
    if kind == "void":
        reason = FaultReason.NO_SHOW
    elif by_fault and desk.faults:
        reason = desk.faults[-1]["reason"]
    result = {
        "outcome": kind,
        "reason": str(reason),
        "placing": list(outcome.placing),
        "points": None if outcome.points is None else list(outcome.points),
        "faults": desk.faults,
    }
    desk.events.append({"type": "finished", "result": result})
    return Verdict(desk.take_events(), result, desk.state)


def recorded_answer(event: Mapping[str, Any]) -> Answer | Fault | None:
    """The answer that led to a recorded event, or None if nobody was asked.

    Sending these in order to a new `referee` brings it to where the record ends.
    """
    if event["type"] == "move":
        reply = MoveReply(event["move"], event.get("comment"))
        private = event.get("receipt"), event.get("stamp")
        return Answer(reply, event["charged_us"], event["attempt"], *private)
    if event["type"] == "fault" and event["reason"] != FaultReason.NO_SHOW:
        return Fault(
            FaultReason(event["reason"]),
            event["detail"],
            event["charged_us"],
            event["attempt"],
            event["got"],
            event.get("receipt"),
            event.get("stamp"),
        )
    return None

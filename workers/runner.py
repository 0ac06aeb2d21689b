"""Plays one claimed match: passes turns between the referee and the bots, and keeps every step in the store.

Nothing is decided here: the referee knows the rules and the clocks, the bot client measures, the store says
whether this runner still has the match. A fault of ours costs nobody anything: the match goes back and the
turn is asked again (C5).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import structlog

from engines.protocol import FaultReason
from engines.record import chain_on, chain_start, public, setup_from
from engines.referee import Answer, Event, Fault, Turn, Verdict, recorded_answer, referee
from service.errors import Unavailable
from service.models import Claim, Written
from service.pseudonyms import told
from service.records import header_of
from service.store import Store
from workers.bot_client import OurFault
from workers.contact import START_LIMIT_US, START_PAUSES_S, START_TRIES, Contact
from workers.leases import Held, Leases

_log = structlog.get_logger(__name__)

STEP_SLACK_S = 10.0  # over a turn's limit: connecting, judging, writing
ATTEMPTS_PER_CLAIM = 1000
UNAVAILABLE_PAUSE_S = 0.5
SILENCE = {FaultReason.TIMEOUT, FaultReason.UNREACHABLE}


class GiveBack(Exception):
    """The match is to be played on by whoever claims it next; `str()` says why."""


class Lost(Exception):
    """Somebody else has the match, or it is over."""


@dataclass(frozen=True, slots=True)
class Room:
    """What all runners of a worker share."""

    store: Store
    leases: Leases
    stopping: threading.Event
    contacts: Callable[[Claim], Sequence[Contact]]
    starters: Executor  # tells bots that a match begins, several at once
    reachable: Callable[[], bool]  # whether our own canary answers: if not, silence is our fault
    now_ms: Callable[[], int]


def play(room: Room, claim: Claim) -> Sequence[Event] | None:
    """Play a claimed match as far as it goes; its record (receipts included) if it was finished here."""
    log = _log.bind(match=claim.match.id, fence=claim.fence)
    contacts: Sequence[Contact] = ()

    def abort() -> None:
        for contact in contacts:
            contact.line.abort()

    try:
        contacts = room.contacts(claim)
        with room.leases.holding(claim, abort) as held:
            return _Run(room, claim, contacts, held).play()
    except GiveBack as reason:
        log.info("match given back", reason=str(reason))
        room.store.matches.release(claim)
    except Lost:
        log.warning("match lost to another worker")
    except Unavailable as error:
        log.warning("match left to its lease", reason=error.detail)
    except Exception as error:
        # The last line before the thread: our own faults are counted, and too many hold the match.
        log.exception("match failed")
        room.store.matches.failed(claim, f"{type(error).__name__}: {error}")
    finally:
        for contact in contacts:
            contact.line.close()
    return None


class _Run:
    """One claim's play: the events so far, and the referee that is brought to where they end."""

    def __init__(self, room: Room, claim: Claim, contacts: Sequence[Contact], held: Held) -> None:
        self.room, self.claim, self.contacts, self.held = room, claim, contacts, held
        self.events: list[Event] = [dict(event) for event in claim.events]
        self.header = header_of(claim.match)
        # Attempt numbers grow over claims too, so that no message id comes twice.
        self.attempts_before = (claim.fence - 1) * ATTEMPTS_PER_CLAIM
        self.asked = (-1, self.attempts_before)

    def play(self) -> Sequence[Event]:
        if not self.events:
            self._record([self._start()])
        verdict = self._drive()
        finished = {**verdict.events[-1], "at": self.room.now_ms()}
        last = [*verdict.events[:-1], finished]
        head = chain_on(chain_start(self.header), map(public, [*self.events, *last])).hex()
        store, first = self.room.store, len(self.events) + 1
        self._write(lambda: store.matches.finish(self.claim, first, last, verdict.result, head))
        return [*self.events, *last]

    # The start

    def _start(self) -> Event:
        """Tell every bot that the match begins, all at once and off the clock."""
        self.held.deadline = (
            time.monotonic() + START_TRIES * (START_LIMIT_US / 1e6 + STEP_SLACK_S) + sum(START_PAUSES_S)
        )
        try:
            nonces = list(self.room.starters.map(self._begin, self.contacts))
        except OurFault as fault:
            raise self._ours(str(fault)) from fault
        no_shows = [seat for seat, nonce in enumerate(nonces) if nonce is None]
        if no_shows:
            self._blame_us_first("bots did not come")
        return {
            "type": "started",
            "at": self.room.now_ms(),
            "nonces": ["" if self.claim.match.shared_deal else nonce or "" for nonce in nonces],
            "no_shows": no_shows,
            "absences": [self.contacts[seat].absence for seat in no_shows],
        }

    def _begin(self, contact: Contact) -> str | None:
        players = told(self.claim.match, self.header["players"])
        return contact.start({**self.header, "players": players}, self._pause, self.attempts_before)

    def _pause(self, seconds: float) -> None:
        if self.room.stopping.wait(seconds):
            raise GiveBack("the worker is stopping")

    # The turns

    def _drive(self) -> Verdict:
        """Bring a referee to where the record ends, and on from there to the end."""
        secret = bytes.fromhex(self.claim.match.secret)
        running = referee(setup_from(self.header, secret, self.events[0]))
        try:
            turn = self._resume(running)
            while True:
                turn = running.send(self._ask(turn))
                self._record(turn.events)
        except StopIteration as stop:
            verdict: Verdict = stop.value
            return verdict

    def _resume(self, running: Generator[Turn, Answer | Fault, Verdict]) -> Turn:
        """Answer from the record; returns the first turn that it does not answer."""
        turn = next(running)
        made = list(turn.events)
        for event in self.events:
            answer = recorded_answer(event)
            if answer is not None:
                if answer.receipt is not None:
                    self.contacts[turn.seat].remember(turn.turn, answer.receipt)
                turn = running.send(answer)
                made += turn.events
        self._record(made[len(self.events) - 1 :])
        return turn

    def _ask(self, turn: Turn) -> Answer | Fault:
        if self.room.stopping.is_set():
            raise GiveBack("the worker is stopping")
        asked_turn, attempt = self.asked
        first = attempt + 1 if asked_turn in (turn.turn, -1) else 1
        allowed_s = turn.clock.allowed_us(turn.seat) / 1e6
        self.held.deadline = time.monotonic() + allowed_s + STEP_SLACK_S
        try:
            answer = self.contacts[turn.seat].ask(turn, first)
        except OurFault as fault:
            raise self._ours(str(fault)) from fault
        if isinstance(answer, Fault) and answer.reason in SILENCE:
            self._blame_us_first(answer.detail)
        self.asked = (turn.turn, answer.attempt)
        return answer

    def _ours(self, why: str) -> Exception:
        return Lost() if self.held.lost else GiveBack(why)

    def _blame_us_first(self, what: str) -> None:
        """Silence is the bot's fault only while we can reach ourselves (C5)."""
        if not self.room.reachable():
            raise GiveBack(f"{what}, but neither does our own endpoint answer")

    # The store

    def _record(self, events: Sequence[Event]) -> None:
        if events:
            first = len(self.events) + 1
            self._write(lambda: self.room.store.matches.append(self.claim, first, events))
            self.events += events

    def _write(self, write: Callable[[], Written]) -> None:
        """Write until the store answers; a write whose answer was lost counts once."""
        while True:
            self.held.deadline = time.monotonic() + STEP_SLACK_S
            try:
                written = write()
            except Unavailable as error:
                _log.warning("holding a match", match=self.claim.match.id, reason=error.detail)
                if self.room.stopping.wait(UNAVAILABLE_PAUSE_S):
                    raise
                continue
            if written is Written.FENCED:
                raise Lost
            return

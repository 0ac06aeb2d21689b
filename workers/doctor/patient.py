"""The bot under examination: how it is reached, and what it did when it was asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from engines.chance import Stream, commitment
from engines.clock import Control
from engines.game import Game
from engines.messages import SeatMessages
from engines.protocol import MoveReply, encode, sign
from engines.referee import Answer, Event, Fault, Setup, Turn, Verdict, referee
from service.endpoint import Endpoint
from service.ids import new_id
from workers.bot_client import Exchange, Line, Message, Network
from workers.contact import Contact, Courier
from workers.local_bots import new_secret

Route = Callable[[str, int], Courier]  # the way to the bot in a seat of a match
ONE_SECOND = Control("per_move", base_ms=1000)
SILENCE_US = 50_000  # how long is listened to what nobody has asked for
UNKNOWN = {"doctor": "a member that the protocol does not have; ignore it"}


def by_http(endpoint: Endpoint, network: Network) -> Route:
    """The way to a bot at an address."""
    return lambda match_id, seat: Line(endpoint, network)


@dataclass(slots=True)
class Patient:
    """What the doctor needs to know. Without `secrets` ownership and signatures cannot be looked at.

    `wait_us` bounds everything that is not on the clock; `concurrency` is how many matches at once; `polls`:
    the bot has no address, so that its connections, and who calls it, are not its own affair.
    """

    route: Route
    game: Game
    secrets: Sequence[str] = ()
    control: Control = ONE_SECOND
    concurrency: int = 2
    wait_us: int = 30_000_000
    polls: bool = False
    before_each: Callable[[], None] = lambda: None  # called before every message; may raise
    receipts: list[Mapping[str, Any]] = field(default_factory=list)
    stand_in: str = field(default_factory=new_secret)

    @property
    def signing(self) -> Sequence[str]:
        """What messages are signed with."""
        return self.secrets or (self.stand_in,)

    def post(self, message: Mapping[str, Any], message_id: str, secret: str = "") -> Exchange:
        """Send one message that is not on the clock, once, over a connection of its own.

        Raises BotFault and OurFault.
        """
        self.before_each()
        with closing(self.route(message.get("match_id", ""), message.get("seat", 0))) as line:
            return line.post(*self._written(message, message_id, secret), self.wait_us, tries=1)

    def unasked(self, message: Mapping[str, Any] | None = None) -> bytes | None:
        """What comes over a new connection unasked, or behind the answer to a message; None if nothing does.

        Of bots with an address only. Raises BotFault and OurFault.
        """
        self.before_each()
        line = self.route("", 0)
        assert isinstance(line, Line)
        with closing(line):
            if message:
                line.post(*self._written(message, f"{message['match_id']}:start:2"), self.wait_us, tries=1)
            return line.unasked(SILENCE_US)

    def _written(self, message: Mapping[str, Any], message_id: str, secret: str = "") -> Message:
        body = encode(message)
        headers = sign([secret] if secret else self.signing, message_id, int(time.time()), body)
        return body, {**headers, "content-type": "application/json"}

    def match(self, setup: Setup) -> Match:
        """A match in which the bot plays the side that is to move after the opening."""
        first = next(referee(setup)).seat
        team = self.game.team(first)
        match_id = new_id("m", self.game.name)
        own = [
            s for s in range(setup.seats) if s == first or (team is not None and self.game.team(s) == team)
        ]
        messages = {
            s: SeatMessages(match_id, self.game.name, setup.options, s, self.game.team(s)) for s in own
        }
        contacts = {
            s: Contact(m, self.route(match_id, s), self.signing, lambda: int(time.time()))
            for s, m in messages.items()
        }
        return Match(self, setup, first, contacts)


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn that was put to the bot; `fault` is the referee's event if the answer was none."""

    turn: Turn
    answer: Answer | Fault
    fault: Event | None


@dataclass(frozen=True, slots=True)
class Match:
    """The bot against seats that move at random."""

    patient: Patient
    setup: Setup
    first: int
    contacts: Mapping[int, Contact]

    def start_message(self) -> dict[str, Any]:
        """`start` for the bot's first seat, with a member that it must ignore."""
        game = self.patient.game
        players = [
            {
                "seat": seat,
                "team": game.team(seat),
                "bot": "b_patient" if seat in self.contacts else "b_random",
                "name": "you" if seat in self.contacts else "random",
                "version": "1",
            }
            for seat in range(self.setup.seats)
        ]
        seat = self.contacts[self.first].messages
        return seat.start(players, self.setup.control, commitment(self.setup.seed)) | UNKNOWN

    def end_message(self) -> dict[str, Any]:
        """`end` for the bot's first seat, with a member that it must ignore."""
        result = {
            "outcome": "drawn",
            "reason": "last-standing",
            "placing": [1] * self.setup.seats,
            "points": None,
        }
        seat = self.contacts[self.first].messages
        return UNKNOWN | seat.end(
            result,
            rated=False,
            unrated_reason="the doctor's match",
            seed=self.setup.seed.hex(),
            chain_head="0" * 64,
            record_url="",
        )

    def post(self, message: Mapping[str, Any], secret: str = "") -> Exchange:
        """Send `start` or `end`; raises BotFault and OurFault."""
        return self.patient.post(message, f"{message['match_id']}:{message['type']}:1", secret)

    def turns(
        self, most: int, *, attempt: int = 1, alter: Callable[[Turn], Turn] = lambda turn: turn
    ) -> Iterator[Asked]:
        """Ask the bot up to `most` turns from the first on, ending at a fault. Raises OurFault."""
        running = referee(self.setup)
        stream = Stream(self.setup.seed, b"others")
        turn = next(running)
        while most:
            contact = self.contacts.get(turn.seat)
            if contact is None:
                index, stream = stream.below(len(turn.legal))
                answer: Answer | Fault = Answer(MoveReply(index), 0)
            else:
                self.patient.before_each()
                answer = contact.ask(alter(turn), attempt)
                self._note(answer)
                most -= 1
            following, events = _sent(running, answer)
            fault = next((event for event in events if event["type"] == "fault"), None)
            if contact is not None:
                yield Asked(turn, answer, fault)
            if following is None or fault:
                return
            turn = following

    def _note(self, answer: Answer | Fault) -> None:
        if isinstance(answer, Answer) and answer.receipt is not None:
            self.patient.receipts.append(answer.receipt)

    def close(self) -> None:
        for contact in self.contacts.values():
            contact.line.close()


def _sent(
    running: Generator[Turn, Answer | Fault, Verdict], answer: Answer | Fault
) -> tuple[Turn | None, Sequence[Event]]:
    """The next turn, if there is one, and what the answer led to."""
    try:
        turn = running.send(answer)
        return turn, turn.events
    except StopIteration as stop:
        verdict: Verdict = stop.value
        return None, verdict.events

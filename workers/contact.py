"""One seat's bot during a match: its messages are written, signed and delivered, its replies read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engines.clock import Control
from engines.messages import SeatMessages
from engines.protocol import MalformedReply, encode, parse_move, parse_nonce, sign
from engines.referee import Answer, Fault, Turn
from workers.bot_client import BotFault, Exchange, HttpError, Malformed, Message, Receipt, Unreachable

START_LIMIT_US = 30_000_000
START_PAUSES_S = (5, 15)  # so that a bot that is being started again has 20 s to be there
START_TRIES = len(START_PAUSES_S) + 1
_LAST_TURN = ("attempts", "connect_us", "send_us", "wait_us", "receive_us", "charged_us", "stamp")


class Courier(Protocol):
    """The way to one bot during a match: a Line to its address, or its mailbox."""

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str],
        limit_us: int,
        *,
        again: Callable[[int], Message] | None = None,
        tries: int | None = None,
    ) -> Exchange:
        """Ask the bot; raises BotFault and OurFault. `bot_client.Line.post` says more."""
        ...

    def abort(self) -> None:
        """End what is under way, and any later `post`, with Abandoned (from any thread)."""
        ...

    def close(self) -> None:
        """The match needs it no more."""
        ...


class Unproved:
    """In the place of a line where a bot's address was changed during a match: nothing is sent to it."""

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str],
        limit_us: int,
        *,
        again: Callable[[int], Message] | None = None,
        tries: int | None = None,
    ) -> Exchange:
        """Raises Unreachable."""
        raise Unreachable("the bot's address was changed and is not verified yet")

    def abort(self) -> None:
        """Nothing ever waits."""

    def close(self) -> None:
        """Nothing is held."""


@dataclass(slots=True)
class Contact:
    """`secrets` are the bot's signing secrets, the newest first; `line` is used by one thread at a time."""

    messages: SeatMessages
    line: Courier
    secrets: Sequence[str]
    now_s: Callable[[], int]
    last_turn: Mapping[str, Any] | None = None
    absence: str = ""  # why the bot did not come, where `start` says so
    on_gone: Callable[[], object] = lambda: None  # the bot answered 410: call it no more

    def start(
        self, header: Mapping[str, Any], pause: Callable[[float], None], told_before: int = 0
    ) -> str | None:
        """The nonce that the bot gives to the seed ("" for none), or None if it does not come.

        Whatever it answers with status 200 is coming; each try has 30 s. `pause` waits some seconds. Messages
        are numbered behind `told_before`, and differently for each seat, as a bot may hold two. Raises
        OurFault.
        """
        control = Control.from_json(header["clock"])
        body = encode(self.messages.start(header["players"], control, header["commitment"]))
        told_before += self.messages.seat * START_TRIES
        for number, pause_s in enumerate((*START_PAUSES_S, None), start=1):
            headers = self._signed(f"{self.messages.match_id}:start:{told_before + number}", body)
            try:
                return _nonce(self.line.post(body, headers, START_LIMIT_US, tries=1).body)
            except BotFault as fault:
                self.absence = fault.public
                if pause_s is None or self._is_gone(fault):
                    return None
                pause(pause_s)
        return None

    def _is_gone(self, fault: BotFault) -> bool:
        if not isinstance(fault, HttpError) or not fault.gone:
            return False
        self.on_gone()
        return True

    def ask(self, turn: Turn, first_attempt: int) -> Answer | Fault:
        """Put a turn to the bot; deliveries are numbered from `first_attempt`. Raises OurFault."""
        attempt = first_attempt

        def message(delivery: int) -> tuple[bytes, Mapping[str, str]]:
            nonlocal attempt
            attempt = first_attempt + delivery - 1
            body = encode(self.messages.move(turn, attempt, self.last_turn))
            return body, self._signed(f"{self.messages.match_id}:{turn.turn}:{attempt}", body)

        try:
            allowed_us = turn.clock.allowed_us(turn.seat)
            exchange = self.line.post(*message(1), allowed_us, again=message)
            return self._answered(turn, exchange, attempt)
        except BotFault as fault:
            self._is_gone(fault)
            return self._failed(turn, fault, attempt)

    def _answered(self, turn: Turn, exchange: Exchange, attempt: int) -> Answer:
        try:
            reply = parse_move(exchange.body)
        except MalformedReply as error:
            fault = Malformed(str(error))
            fault.receipt = exchange.evidence()
            raise fault from None
        charged_us = exchange.receipt.charged_us
        in_order = _is_listed(turn, reply.move) and charged_us <= turn.clock.allowed_us(turn.seat)
        receipt = self._keep(turn, exchange.receipt if in_order else exchange.evidence())
        return Answer(reply, charged_us, attempt, receipt, receipt["stamp"])

    def _failed(self, turn: Turn, fault: BotFault, attempt: int) -> Fault:
        """Events are public and where a bot lives is not: the whole detail is in its owner's receipt."""
        receipt = self._keep(turn, fault.receipt)
        if fault.public != fault.detail:
            receipt = {**receipt, "detail": fault.detail}
        charged_us = fault.receipt.charged_us
        return Fault(fault.reason, fault.public, charged_us, attempt, None, receipt, receipt["stamp"])

    def _keep(self, turn: Turn, receipt: Receipt) -> Mapping[str, Any]:
        kept = receipt.to_json()
        self.remember(turn.turn, kept)
        return kept

    def remember(self, turn: int, receipt: Mapping[str, Any]) -> None:
        """What the next move request tells about the seat's previous turn."""
        self.last_turn = {"turn": turn, **{name: receipt[name] for name in _LAST_TURN}}

    def _signed(self, message_id: str, body: bytes) -> Mapping[str, str]:
        headers = sign(self.secrets, message_id, self.now_s(), body)
        headers["content-type"] = "application/json"
        return headers


def _is_listed(turn: Turn, move: str | int | None) -> bool:
    """Whether the answer is one of the moves offered; what is not may be a fault, and its bytes are kept."""
    return 0 <= move < len(turn.legal) if isinstance(move, int) else move in turn.legal


def _nonce(body: bytes) -> str:
    try:
        return parse_nonce(body)
    except MalformedReply:
        return ""

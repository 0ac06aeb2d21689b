"""What a bot answers to each message: the author's functions, called with typed messages. No I/O."""

from __future__ import annotations

import logging
import operator
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from bots.sdk.messages import End, Start, Turn
from engines.protocol import verify_answer
from engines.registry import GAMES

log = logging.getLogger("arbiter.bot")
MAX_MATCHES = 1000  # remembered at once; an `end` that never came must not fill the memory


class BadMessage(ValueError):
    """A message that this bot cannot answer; `str()` says why."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Returned in place of a move to give the match up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, and what the log is to say once it has been sent: the log's time is not the bot's."""

    reply: Mapping[str, Any]
    line: tuple[Any, ...] = ()

    def log(self) -> None:
        if self.line:
            log.info(*self.line)


# A move's text, its index, a move of the state, or Resign(); or a pair of one of these and a comment.
Choice = object
MoveFunction = Callable[[Turn], Choice]
F = TypeVar("F", bound=Callable[..., Any])


class Responder:
    """Decorate functions with `move`, `start` and `end`; `answer` calls them.

    `memory` makes the object that `message.memory` holds throughout one match and seat. Functions are
    called from several threads at once when the bot plays several matches.
    """

    def __init__(self, name: str, memory: Callable[[], Any] = lambda: None) -> None:
        self.name = name
        self._new_memory = memory
        self._memories: OrderedDict[tuple[str, int], Any] = OrderedDict()
        self._lock = threading.Lock()
        self._moves: dict[str | None, MoveFunction] = {}
        self._on_start: Callable[[Start], object] | None = None
        self._on_end: Callable[[End], object] | None = None

    @overload
    def move(self, first: MoveFunction) -> MoveFunction: ...
    @overload
    def move(self, first: str, *games: str) -> Callable[[MoveFunction], MoveFunction]: ...
    def move(self, first: MoveFunction | str, *games: str) -> Any:
        """Choose moves with this function: `@bot.move` for every game, `@bot.move("quixo", …)` for some."""
        if callable(first):
            self._moves[None] = first
            return first

        def register(function: MoveFunction) -> MoveFunction:
            self._moves.update(dict.fromkeys((first, *games), function))
            return function

        return register

    @property
    def games(self) -> list[str]:
        """The games that have a function; every game if one function plays them all."""
        return sorted(GAMES) if None in self._moves else sorted(name for name in self._moves if name)

    def start(self, function: F) -> F:
        """Call this function with a `Start` before a match; it may return a nonce of up to 64 hex digits."""
        self._on_start = function
        return function

    def end(self, function: F) -> F:
        """Call this function with an `End` after a match."""
        self._on_end = function
        return function

    def answer(self, message: Mapping[str, Any], secret: str | None) -> Answer:
        """The reply to one message; raises BadMessage. `secret` proves who the bot is, in `verify`."""
        kind = message.get("type")
        if kind == "verify":
            return Answer(_answer_verify(_member(message, "challenge"), secret))
        if kind not in _TYPES:
            raise BadMessage(f"unknown message type {kind!r}; known are verify, start, move and end")
        told = self._read(_TYPES[kind], message)
        if isinstance(told, Turn):
            return self._answer_move(told)
        return self._answer_start(told) if isinstance(told, Start) else self._answer_end(told)

    def _read(self, kind: type[Start | Turn | End], message: Mapping[str, Any]) -> Start | Turn | End:
        memory = self._memory(_member(message, "match_id"), _member(message, "seat"))
        try:
            return kind.read(message, memory)
        except KeyError as error:
            raise BadMessage(f"the {message['type']} message has no member {error}") from error

    def _answer_start(self, start: Start) -> Answer:
        nonce = self._on_start(start) if self._on_start else None
        names = ", ".join(f"{player.seat} {player.name}" for player in start.players)
        return Answer(
            {"nonce": secrets.token_hex(16) if nonce is None else nonce},
            ("%s %s: %s begins, seat %d (%s)", self.name, start.match_id, start.game, start.seat, names),
        )

    def _answer_move(self, turn: Turn) -> Answer:
        function = self._moves.get(turn.game) or self._moves.get(None)
        if function is None:
            raise BadMessage(f"{self.name} does not play {turn.game}")
        began = time.perf_counter()
        reply = written(function(turn))
        return Answer(reply, _line(self.name, turn, reply, time.perf_counter() - began))

    def _answer_end(self, end: End) -> Answer:
        if self._on_end:
            self._on_end(end)
        with self._lock:
            self._memories.pop((end.match_id, end.seat), None)
        result, place = end.result, end.result.placing[end.seat]
        return Answer(
            {}, ("%s %s: %s (%s), place %d", self.name, end.match_id, result.outcome, result.reason, place)
        )

    def _memory(self, match_id: str, seat: int) -> Any:
        key = (match_id, seat)
        with self._lock:
            if key not in self._memories:
                self._memories[key] = self._new_memory()
                if len(self._memories) > MAX_MATCHES:
                    self._memories.popitem(last=False)
            self._memories.move_to_end(key)
            return self._memories[key]


_TYPES: Mapping[object, type[Start | Turn | End]] = {"start": Start, "move": Turn, "end": End}


def _member(message: Mapping[str, Any], name: str) -> Any:
    if name not in message:
        raise BadMessage(f"the {message['type']} message has no member {name!r}")
    return message[name]


def written(choice: Choice) -> dict[str, Any]:
    """The reply for what a move function returned; raises TypeError if that is no move."""
    comment = None
    if isinstance(choice, tuple) and type(choice) is tuple and len(choice) == 2:
        choice, comment = choice
    reply = {"resign": True} if isinstance(choice, Resign) else {"move": _written_move(choice)}
    return reply if comment is None else {**reply, "comment": str(comment)}


def _written_move(choice: object) -> str | int:
    if choice is None or isinstance(choice, bool):
        raise TypeError(
            f"the move function returned {choice}; return a move's text, its index in turn.legal_moves,"
            " a move of turn.state, or Resign()"
        )
    if isinstance(choice, str):
        return choice
    try:
        return operator.index(choice)  # type: ignore[arg-type]
    except TypeError:
        return str(choice)


def _answer_verify(challenge: str, secret: str | None) -> dict[str, Any]:
    if secret is None:
        raise BadMessage(
            "the bot has no signing secret, so it cannot prove who it is; start it with"
            " --secret or ARBITER_BOT_SECRET"
        )
    return {"answer": verify_answer(secret, challenge)}


def _line(name: str, turn: Turn, reply: Mapping[str, Any], took_s: float) -> tuple[Any, ...]:
    last = turn.last_turn
    return (
        "%s %s: turn %d, %s in %.1f ms; %.1f s left%s",
        name,
        turn.match_id,
        turn.turn,
        reply.get("move", "resigns"),
        took_s * 1000,
        turn.clock.remaining_ms[turn.seat] / 1000,
        f"; turn {last.turn} was charged {last.charged_us / 1000:.1f} ms" if last else "",
    )

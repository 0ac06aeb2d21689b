"""What the service tells a bot (protocol version 1), as typed, read-only objects.

Unknown members are left out, as the protocol asks; a member that is missing raises KeyError.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeVar

from engines.clock import Control
from engines.game import SEED_BYTES, Game, State
from engines.registry import game_named

Json = Mapping[str, Any]


class _Data(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=_Data)


def _pick(cls: type[T], data: Json) -> T:
    return cls(**{name: data[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class TurnClock:
    """The clocks in whole milliseconds, rounded down; lists go by seat.

    `limit_ms` is what this turn may take, a delay included, the network's `allowance_ms` not.
    """

    control: str
    base_ms: int
    increment_ms: int
    delay_ms: int
    periods: int
    period_ms: int
    cap_ms: int | None
    allowance_ms: int
    remaining_ms: Sequence[int]
    periods_left: Sequence[int]
    limit_ms: int

    def share_s(self, turns: int, margin_ms: int = 50) -> float:
        """Seconds to think now so that the time lasts for about `turns` more turns.

        An even share with what every turn adds, at most half the limit where time is saved up and never
        within `margin_ms` of the limit; at least a millisecond.
        """
        most = self.limit_ms - margin_ms
        if self.control == "per_move":
            share = most
        elif self.control == "byoyomi":
            share = max(self.limit_ms // turns, self.period_ms - margin_ms)
        else:
            share = min(self.limit_ms // turns + self.increment_ms + self.delay_ms, self.limit_ms // 2)
        return max(1, min(share, most)) / 1000


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the previous turn cost, in microseconds; `stamp` says where the arrival was read.

    Times are the referee's: connect, send, wait for the first byte, receive the rest; `charged_us` is what
    the clock lost before increments.
    """

    turn: int
    attempts: int
    connect_us: int
    send_us: int
    wait_us: int
    receive_us: int
    charged_us: int
    stamp: str


def _receipt(data: Json | None) -> Receipt | None:
    return None if data is None else _pick(Receipt, data)


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits where: `bot` is its id, `version` what its owner calls this version."""

    seat: int
    team: int | None
    bot: str
    name: str
    version: str | None


@dataclass(frozen=True)
class Message:
    """What every message of a match tells; `memory` is the bot's own, for this match and seat."""

    match_id: str
    game: str
    options: Json
    seat: int
    team: int | None
    memory: Any = field(default=None, kw_only=True)

    @property
    def engine(self) -> Game:
        """The game's rules."""
        return game_named(self.game)


def _common(message: Json) -> dict[str, Any]:
    names = ("match_id", "game", "options", "seat", "team")
    return {name: message[name] for name in names}


@dataclass(frozen=True)
class Start(Message):
    """A match is about to begin; `commitment` is the hash of the server's part of the seed, in hex."""

    players: Sequence[Player]
    clock: Control
    commitment: str

    @classmethod
    def read(cls, message: Json, memory: Any = None) -> Start:
        return cls(
            **_common(message),
            memory=memory,
            players=[_pick(Player, player) for player in message["players"]],
            clock=_pick(Control, message["clock"]),
            commitment=message["commitment"],
        )


@dataclass(frozen=True)
class Turn(Message):
    """The bot is to move. `position` is the position's text, `view` the same as an object.

    `legal_moves` are texts, sorted. `history` lists the plies since the bot's previous turn. `error` says
    what was wrong with the previous answer to this turn, where the match allows another.
    """

    turn: int
    attempt: int
    position: str
    view: Json
    legal_moves: Sequence[str]
    history: Sequence[Json]
    clock: TurnClock
    last_turn: Receipt | None
    error: Json | None

    @classmethod
    def read(cls, message: Json, memory: Any = None) -> Turn:
        return cls(
            **_common(message),
            memory=memory,
            turn=message["turn"],
            attempt=message["attempt"],
            position=message["state"],
            view=message["view"],
            legal_moves=message["legal_moves"],
            history=message["history"],
            clock=_pick(TurnClock, message["clock"]),
            last_turn=_receipt(message["last_turn"]),
            error=message["error"],
        )

    @property
    def seats(self) -> int:
        """How many seats the match has."""
        return len(self.clock.remaining_ms)

    @cached_property
    def state(self) -> State:
        """The engine's position; what the bot may not know (piles, other hands) is dealt at random."""
        return self.deal(secrets.token_bytes(SEED_BYTES))

    def deal(self, seed: bytes) -> State:
        """The engine's position with everything hidden dealt from `seed` (32 bytes)."""
        game = self.engine
        return game.position(self.position, self.seats, game.full_options(self.options), seed)


@dataclass(frozen=True, slots=True)
class Result:
    """`placing` and `points` go by seat, places count from 1; `outcome` is decided, drawn or void."""

    outcome: str
    reason: str
    placing: Sequence[int]
    points: Sequence[int] | None


@dataclass(frozen=True)
class End(Message):
    """A match is over. It may be told more than once. `seed` and `chain_head` are hex.

    There is no `seed` yet while other games are played with the same deck.
    """

    result: Result
    rated: bool
    unrated_reason: str | None
    seed: str | None
    chain_head: str
    record_url: str

    @classmethod
    def read(cls, message: Json, memory: Any = None) -> End:
        names = ("rated", "unrated_reason", "seed", "chain_head", "record_url")
        return cls(
            **_common(message),
            memory=memory,
            result=_pick(Result, message["result"]),
            **{name: message[name] for name in names},
        )

"""The bodies of `start`, `move` and `end` (PROTOCOL version 1) for one seat of a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.clock import Control
from engines.protocol import PROTOCOL
from engines.referee import Turn

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SeatMessages:
    """Writes the messages of one match to one seat; every one carries the members given here."""

    match_id: str
    game: str
    options: Mapping[str, Any]
    seat: int
    team: int | None

    def _message(self, kind: str) -> Message:
        return {
            "protocol": PROTOCOL,
            "type": kind,
            "match_id": self.match_id,
            "game": self.game,
            "options": dict(self.options),
            "seat": self.seat,
            "team": self.team,
        }

    def start(self, players: Sequence[Mapping[str, Any]], control: Control, commitment: str) -> Message:
        """Before the first move; `players` as PROTOCOL's `players`."""
        return {
            **self._message("start"),
            "players": list(players),
            "clock": control.to_json(),
            "commitment": commitment,
        }

    def move(self, turn: Turn, attempt: int, last_turn: Mapping[str, Any] | None) -> Message:
        """A question; `last_turn` is the receipt of the seat's previous turn."""
        return {
            **self._message("move"),
            "turn": turn.turn,
            "attempt": attempt,
            "state": turn.state.text(self.seat),
            "view": turn.state.view(self.seat),
            "legal_moves": turn.legal,
            "history": turn.history,
            "clock": turn.clock.to_json(self.seat),
            "last_turn": last_turn,
            "error": turn.error,
        }

    def end(
        self,
        result: Mapping[str, Any],
        *,
        rated: bool,
        unrated_reason: str | None,
        seed: str | None,
        chain_head: str,
        record_url: str,
    ) -> Message:
        """After the match; `seed` (None while others play with the same deck) and `chain_head` in hex."""
        return {
            **self._message("end"),
            "result": dict(result),
            "rated": rated,
            "unrated_reason": unrated_reason,
            "seed": seed,
            "chain_head": chain_head,
            "record_url": record_url,
        }

"""From what the store keeps of a match to its record (engines.record), for the public and for owners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engines.chance import match_seed
from engines.record import SCHEMA_VERSION, public
from service.models import Match

Event = Mapping[str, Any]


def header_of(match: Match) -> dict[str, Any]:
    """All that was fixed before play; the hash chain begins with it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "match_id": match.id,
        "game": match.game,
        "options": dict(match.options),
        "clock": dict(match.clock),
        "opening": {"plies": match.opening_plies, "seed": match.opening_seed},
        "attempts": match.attempts,
        "players": [
            {"seat": p.seat, "team": p.team, "bot": p.bot, "name": p.name, "version": p.version}
            for p in match.players
        ],
        "rated": match.rated,
        "engine_version": match.engine_version,
        "commitment": match.commitment,
    }


def events_for(match: Match, events: Iterable[Event], owner: str | None) -> list[dict[str, Any]]:
    """Public events; those of `owner`'s own seats with their receipts beside the hashes."""
    own = {p.seat for p in match.players if p.owner == owner}
    return [
        public(event) | ({"receipt": event["receipt"]} if "receipt" in event and event["seat"] in own else {})
        for event in events
    ]


def record_of(match: Match, events: Sequence[Event], owner: str | None = None) -> dict[str, Any]:
    """The record of a finished match; `events` as stored, receipts included."""
    return {
        "header": header_of(match),
        "events": events_for(match, events, owner),
        "secret": match.secret,
        "seed": match_seed(bytes.fromhex(match.secret), events[0]["nonces"]).hex(),
        "result": match.result,
        "chain_head": match.chain_head,
        "match": {
            "tournament": match.tournament,
            "round": match.round,
            "unrated_reason": match.unrated_reason,
            "created_at": match.created_at,
            "started_at": match.started_at,
            "finished_at": match.finished_at,
            "ledger_id": match.ledger_id,
        },
    }

"""A match as its Redis hash: what never changes is one JSON document, the rest are fields of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from engines.protocol import canonical
from service.models import Claim, Match, MatchState, Player
from service.store import keys
from service.store.codec import from_fields, to_text

MUTABLE = (
    "state",
    "started_at",
    "finished_at",
    "result",
    "state_reason",
    "failures",
    "chain_head",
    "ledger_id",
    "plies",
)
_FIXED = tuple(f.name for f in fields(Match) if f.name not in MUTABLE)


def match_fields(match: Match) -> dict[str, str]:
    """The hash of a new match."""
    doc = {name: getattr(match, name) for name in _FIXED if getattr(match, name) is not None}
    doc["players"] = [[getattr(player, f.name) for f in fields(Player)] for player in match.players]
    return {"doc": canonical(doc).decode(), "state": match.state, "next": "1", "fence": "0"}


def match_from(found: Mapping[str, str]) -> Match:
    """The match that a hash holds."""
    doc = json.loads(found["doc"])
    doc["players"] = tuple(Player(*words) for words in doc["players"])
    changing = {name: found[name] for name in MUTABLE if name in found}
    fixed = {name: to_text(value) for name, value in doc.items() if name != "players"}
    match = from_fields(Match, {**fixed, **changing, "players": "[]"})
    return replace(match, players=doc["players"])


def indexes_of(match: Match) -> list[str]:
    """The lists that a match stands in for good."""
    bots = dict.fromkeys(player.bot for player in match.players)
    own = [keys.matches(match.game), *(keys.bot_matches(match.game, bot) for bot in bots)]
    return [*own, keys.tournament_matches(match.tournament)] if match.tournament else own


def as_created(match: Match) -> Match:
    """The match as the creating call returned it."""
    fresh: dict[str, Any] = {f.name: f.default for f in fields(Match) if f.name in MUTABLE}
    return replace(match, **{**fresh, "state": MatchState.QUEUED})


def claim_from(epoch: str, found: Mapping[str, str], events: Sequence[Mapping[str, Any]]) -> Claim:
    return Claim(match_from(found), int(found["fence"]), epoch, tuple(events))


def event_text(event: Mapping[str, Any]) -> str:
    """An event as it is stored: canonical JSON, receipt included."""
    return canonical(event).decode()


def count_plies(events: Sequence[Mapping[str, Any]]) -> int:
    return sum(event["type"] in ("move", "forced") for event in events)

"""What finishing a match writes, worked out beforehand: finish.lua only checks and writes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engines.protocol import FaultReason, canonical
from service.ids import age_part
from service.models import POINTS_LADDERS, Claim, Match
from service.store import keys
from service.store.match_codec import count_plies, event_text
from service.tournaments.pairing import Result
from service.tournaments.results import packed, record_type

Event = Mapping[str, Any]


@dataclass(slots=True)
class FinishCall:
    """The keys and the plan of one call of finish.lua."""

    claim: Claim
    generation: str
    keys: list[str] = field(init=False)

    def __post_init__(self) -> None:
        match_id, ladder = self.claim.match.id, self.claim.match.game
        self.keys = [
            keys.match(match_id),
            keys.events(match_id),
            keys.leases(ladder),
            keys.unfolded(ladder),
            keys.epoch(ladder),
            keys.ledger(ladder),
            keys.generation(ladder),
            keys.folding(ladder),
            keys.outbox(ladder),
            keys.outbox_items(ladder),
            keys.table(ladder, self.generation),
        ]

    def args(
        self, first: int, events: Sequence[Event], result: Mapping[str, Any], chain_head: str
    ) -> tuple[str, bytes]:
        """The script's arguments. `result` as the referee's verdict has it."""
        match, at = self.claim.match, int(events[-1]["at"])
        payload = canonical(ledger_payload(match, result, chain_head, at))
        plan = {
            "id": match.id,
            "epoch": self.claim.epoch,
            "fence": str(self.claim.fence),
            "generation": self.generation,
            "first": first,
            "events": [event_text(event) for event in events],
            "plies": count_plies(events),
            "at": at,
            "result": canonical(result).decode(),
            "chain_head": chain_head,
            "payload": payload.decode(),
            "digest": hashlib.sha256(payload).hexdigest(),
            "outbox": [{"id": i, "item": canonical(item).decode()} for i, item in outbox_items(match)],
            "channel": keys.live(match.id),
        }
        if counts_for_ratings(match, result):
            plan["rated"] = self._rated(match, result["placing"])
        if match.tournament:
            plan["tournament"] = self._tournament(match, match.tournament, result, at)
        return json.dumps(plan, ensure_ascii=False), tournament_record(match, result)

    def _rated(self, match: Match, placing: Sequence[int]) -> dict[str, Any]:
        lines = list(dict.fromkeys((player.bot, player.version) for player in match.players))
        return {
            "lines": [
                {
                    "bot": bot,
                    "version": version,
                    "age": age_part(match.id),
                    "rating": self._key(keys.rating(match.game, self.generation, bot)),
                    "history": self._key(keys.history(match.game, self.generation, bot)),
                }
                for bot, version in lines
            ],
            "seats": [
                {
                    "line": lines.index((player.bot, player.version)) + 1,
                    "place": placing[player.seat],
                    "side": side_of(match, player.seat),
                }
                for player in match.players
            ],
            "first": firsts(match, placing),
        }

    def _tournament(
        self, match: Match, tournament_id: str, result: Mapping[str, Any], at: int
    ) -> dict[str, Any]:
        note = {"type": "result", "at": at, "match": match.id, "pairing": match.pairing, "result": result}
        return {
            "doc": self._key(keys.tournament(tournament_id)),
            "games": self._key(keys.games(tournament_id)),
            "open": self._key(keys.open_games(tournament_id)),
            "lengths": self._key(keys.lengths(tournament_id)),
            "results": self._key(keys.results(tournament_id)),
            "feed": self._key(keys.feed(tournament_id)),
            "pairing": str(match.pairing),
            "entrants": sorted(set(match.entrants or ())),
            **pairing_place(match),
            "note": canonical(note).decode(),
            "channel": keys.live(tournament_id),
        }

    def _key(self, key: str) -> int:
        self.keys.append(key)
        return len(self.keys)


def counts_for_ratings(match: Match, result: Mapping[str, Any]) -> bool:
    return match.rated and result["outcome"] != "void"


def pairing_place(match: Match) -> dict[str, int]:
    """Where the tournament's record of the match lies: `offset`, `size`, and its first place at `placing`."""
    kind = record_type(len(match.players), match.game in POINTS_LADDERS)
    offset = kind.itemsize * (match.pairing or 0)
    return {"offset": offset, "size": kind.itemsize, "placing": offset + placing_offset(kind)}


def placing_offset(kind: np.dtype[Any]) -> int:
    """Where in a record the first place stands: zero there means no result."""
    assert kind.fields is not None
    return kind.fields["placing"][1]


def side_of(match: Match, seat: int) -> int:
    """The side a seat plays for: its team, or itself."""
    team = match.players[seat].team
    return seat if team is None else team


def firsts(match: Match, placing: Sequence[int]) -> int:
    """How many sides share the first place: with more than one, that is a draw for them."""
    return len({side_of(match, seat) for seat, place in enumerate(placing) if place == 1})


def ledger_payload(match: Match, result: Mapping[str, Any], chain_head: str, at: int) -> dict[str, Any]:
    """A ledger entry of a finished match: all that ratings and scores follow from."""
    return {
        "kind": "finish",
        "match": match.id,
        "at": at,
        "players": [[p.bot, p.version, p.team] for p in match.players],
        "rated": counts_for_ratings(match, result),
        "outcome": result["outcome"],
        "reason": result["reason"],
        "placing": list(result["placing"]),
        "points": result["points"],
        "faults": [[f["seat"], f["reason"]] for f in result.get("faults", ())],
        "chain_head": chain_head,
        "tournament": match.tournament,
        "pairing": match.pairing,
        "entrants": match.entrants and list(match.entrants),
        "set": match.set,
    }


def tournament_record(match: Match, result: Mapping[str, Any]) -> bytes:
    """The tournament's record of the result; empty for a match of its own."""
    if match.tournament is None or match.pairing is None or match.entrants is None:
        return b""
    return record_bytes(match.game, match.pairing, match.entrants, result)


def record_bytes(game: str, pairing: int, entrants: Sequence[int], result: Mapping[str, Any]) -> bytes:
    """The fixed-size record of one result (service.tournaments.results)."""
    seats = len(entrants)
    faults: list[str | None] = [None] * seats
    for fault in result.get("faults", ()):
        faults[fault["seat"]] = fault["reason"]
    if result["outcome"] == "void":
        faults = [FaultReason.NO_SHOW] * seats
    points = tuple(result["points"] or (0,) * seats) if game in POINTS_LADDERS else None
    placing = tuple(result["placing"])
    return packed(Result(pairing, tuple(entrants), placing, tuple(faults), points), points is not None)


def outbox_items(match: Match) -> list[tuple[str, dict[str, Any]]]:
    """What is to be told of a finished match: an end message for each seat, and the owners' webhooks."""
    ends = [
        (f"{match.id}:end:{p.seat}", {"kind": "end", "match": match.id, "seat": p.seat})
        for p in match.players
    ]
    owners = sorted({p.owner for p in match.players})
    hook = {"kind": "webhook", "event": "match.finished", "match": match.id, "owners": owners}
    return [*ends, (f"{match.id}:finished", hook)]

"""What creating matches writes, worked out beforehand: match_create.lua only checks and writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from service.models import Match
from service.store import keys
from service.store.match_codec import indexes_of, match_fields
from service.store.once import KEPT_MS, Once


class CreateCall:
    """The keys and the plan of one call of match_create.lua."""

    def __init__(self, matches: Sequence[Match], once: Once | None) -> None:
        ladders = {match.game for match in matches}
        tournaments = {match.tournament for match in matches}
        if len(ladders) != 1 or len(tournaments) != 1:
            raise ValueError(
                "matches that are made together belong to one ladder and one tournament, or none"
            )
        ladder, tournament = ladders.pop(), tournaments.pop()
        self.keys: list[str] = [keys.queued(ladder)]
        self._plan: dict[str, Any] = {"queued": 1, "answer": " ".join(m.id for m in matches)}
        if once:
            place = self._key(once.place(keys.tag(ladder)))
            self._plan["once"] = {"key": place, "payload": once.payload, "ttl": KEPT_MS}
        if tournament:
            names = {
                "doc": keys.tournament,
                "games": keys.games,
                "made": keys.made,
                "open": keys.open_games,
                "replays": keys.replays,
            }
            self._plan["tournament"] = {part: self._key(name(tournament)) for part, name in names.items()}
        self._plan["matches"] = [self._match(match) for match in matches]

    def plan(self) -> str:
        return json.dumps(self._plan, ensure_ascii=False)

    def _match(self, match: Match) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "id": match.id,
            "key": self._key(keys.match(match.id)),
            "fields": match_fields(match),
            "index": [self._key(index) for index in indexes_of(match)],
        }
        return entry if match.pairing is None else {**entry, "pairing": str(match.pairing)}

    def _key(self, key: str) -> int:
        self.keys.append(key)
        return len(self.keys)

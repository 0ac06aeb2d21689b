"""Ratings as folded from the ledger: a ladder's table, a bot's rating, its history."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from service.elo import PROVISIONAL_GAMES
from service.errors import NotFound
from service.models import Page, Rating, RatingChange
from service.store import keys
from service.store.connection import Connection


class Ratings:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def table(self, ladder: str, cursor: str | None = None, limit: int = 50) -> Page:
        """The ladder from the top; `total` bots are in it. The cursor is the rank behind which to go on."""
        gen = self._generation(ladder)
        start = int(cursor or 0)
        bots, total = self._db.many(
            [
                ("ZRANGE", keys.table(ladder, gen), start, start + limit - 1, "REV"),
                ("ZCARD", keys.table(ladder, gen)),
            ]
        )
        found = self._db.many(("HGETALL", keys.rating(ladder, gen, bot)) for bot in bots) if bots else []
        items = tuple(
            _rating(ladder, bot, line, start + place)
            for place, (bot, line) in enumerate(zip(bots, found, strict=True), start=1)
            if line
        )
        end = start + len(bots)
        return Page(items, str(end) if end < total else None, total)

    def get(self, ladder: str, bot: str) -> Rating:
        """The bot's current rating with its rank; raises NotFound before its first rated match."""
        gen = self._generation(ladder)
        found, rank = self._db.many(
            [("HGETALL", keys.rating(ladder, gen, bot)), ("ZREVRANK", keys.table(ladder, gen), bot)]
        )
        if not found:
            raise NotFound("not-found", f"{bot} has no rated match in {ladder} yet")
        return _rating(ladder, bot, found, None if rank is None else rank + 1)

    def get_many(self, ladder: str, bots: Sequence[str]) -> list[Rating | None]:
        """Current ratings in one round trip, without ranks; None before the first rated match."""
        gen = self._generation(ladder)
        found = self._db.many(("HGETALL", keys.rating(ladder, gen, bot)) for bot in bots) if bots else []
        return [
            _rating(ladder, bot, line, None) if line else None for bot, line in zip(bots, found, strict=True)
        ]

    def lines(self, ladder: str, bot: str) -> tuple[Rating, ...]:
        """A rating for each version the bot has had, without ranks; empty before its first rated match."""
        found = self._db.run("HGETALL", keys.rating(ladder, self._generation(ladder), bot))
        versions = [name[2:] for name in found if name.startswith("v:")]
        return tuple(_rating(ladder, bot, {**found, "current": version}, None) for version in versions)

    def history(self, ladder: str, bot: str, cursor: str | None = None, limit: int = 50) -> Page:
        """What each rated match changed, newest first; the cursor counts from the oldest."""
        gen = self._generation(ladder)
        key = keys.history(ladder, gen, bot)
        total = self._db.run("LLEN", key)
        end = min(int(cursor), total) if cursor is not None else total
        start = max(0, end - limit)
        lines = [line.split(" ", 4) for line in self._db.run("LRANGE", key, start, end - 1)] if end else []
        numbers = [line[0] for line in lines]
        entries = self._db.many(("XRANGE", keys.ledger(ladder), f"{n}-0", f"{n}-0") for n in numbers)
        changes = [
            _change(bot, line, json.loads(entry[0][1]["e"]))
            for line, entry in zip(lines, entries, strict=True)
        ]
        return Page(tuple(reversed(changes)), str(start) if start else None, total)

    def _generation(self, ladder: str) -> str:
        return self._db.run("GET", keys.generation(ladder)) or "0"


def _rating(ladder: str, bot: str, found: Mapping[str, str], rank: int | None) -> Rating:
    version = found["current"]
    rating, games, wins, draws, losses = (int(word) for word in found[f"v:{version}"].split())
    provisional = games < PROVISIONAL_GAMES
    return Rating(ladder, bot, rating, games, wins, draws, losses, rank, provisional, version)


def _change(bot: str, line: list[str], entry: dict[str, Any]) -> RatingChange:
    _, before, after, place, version = line
    teams = {player[0]: player[2] for player in entry["players"]}
    own = teams[bot]
    others = dict.fromkeys(b for b, _, team in entry["players"] if b != bot and (own is None or team != own))
    return RatingChange(
        entry["match"], entry["at"], int(before), int(after), int(place), tuple(others), version
    )

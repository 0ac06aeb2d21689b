"""Ratings as the fold of a ledger, in Python: what rate.lua does with each finish, for all of them anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.elo import START, changes
from service.ids import age_part
from service.models import LedgerEntry

Payload = Mapping[str, Any]


@dataclass(slots=True)
class Line:
    """The rating of one version of a bot."""

    rating: int = START
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def text(self) -> str:
        """As rate.lua keeps it."""
        return f"{self.rating} {self.games} {self.wins} {self.draws} {self.losses}"


@dataclass(slots=True)
class BotFold:
    """A bot's lines by version; the current one is of the version it had in its newest match."""

    lines: dict[str, Line] = field(default_factory=dict)
    current: str = ""
    as_of: str = ""

    def line(self, version: str) -> Line:
        """The version's line; a new one begins with the rating of the current one and no games."""
        if version not in self.lines:
            self.lines[version] = Line(self.lines[self.current].rating if self.current else START)
        return self.lines[version]

    def seen(self, version: str, age: str) -> None:
        if age >= self.as_of:
            self.current, self.as_of = version, age

    def fields(self) -> dict[str, str]:
        """The hash as rate.lua keeps it."""
        lines = {f"v:{version}": line.text() for version, line in self.lines.items()}
        return {"current": self.current, "as_of": self.as_of, **lines}


@dataclass(slots=True)
class Fold:
    """The ratings after the entries up to `last`; entries of voided matches leave no trace in them."""

    voided: frozenset[str]
    bots: dict[str, BotFold] = field(default_factory=dict)
    last: int = 0

    def add(self, entry: LedgerEntry) -> Iterator[tuple[str, str]]:
        """Take in the next entry; yields the bots' new history lines."""
        self.last = entry.id
        if entry.payload.get("rated") and entry.payload["match"] not in self.voided:
            yield from self._rate(entry)

    def _rate(self, entry: LedgerEntry) -> Iterator[tuple[str, str]]:
        payload, age = entry.payload, age_part(entry.payload["match"])
        players, placing = payload["players"], payload["placing"]
        lines = [self.bots.setdefault(bot, BotFold()).line(version) for bot, version, _ in players]
        teams = None if players[0][2] is None else [team for _, _, team in players]
        changed = changes([line.rating for line in lines], [line.games for line in lines], placing, teams)
        first = _sides_on_first(players, placing)
        once = {(bot, version): seat for seat, (bot, version, _) in enumerate(players)}
        for (bot, version), seat in once.items():
            line, place = lines[seat], placing[seat]
            before = line.rating
            line.rating += changed[seat]
            line.games += 1
            line.wins += place == 1 and first == 1
            line.draws += place == 1 and first > 1
            line.losses += place > 1
            self.bots[bot].seen(version, age)
            yield bot, f"{entry.id} {before} {line.rating} {place} {version}"


def _sides_on_first(players: Sequence[Sequence[Any]], placing: Sequence[int]) -> int:
    sides = (seat if team is None else team for seat, (_, _, team) in enumerate(players))
    return len({side for side, place in zip(sides, placing, strict=True) if place == 1})


def voided_in(entries: Iterable[LedgerEntry]) -> frozenset[str]:
    """The matches that the ledger voids."""
    return frozenset(entry.payload["match"] for entry in entries if entry.payload["kind"] == "void")

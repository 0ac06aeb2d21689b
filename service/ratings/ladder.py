"""A ladder's rated games, gathered from its ledger entry by entry, as what `fit` takes.

A player of the fit is a line: one version of one bot. Games that share an opening or a deck are one cluster.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from service.models import LedgerEntry
from service.ratings.games import Games, Ints

Line = tuple[str, str]  # bot and version


@dataclass(frozen=True, slots=True)
class Ladder:
    """The lines by number, their games of every kind, and how many lines were left out."""

    lines: tuple[Line, ...]
    kinds: tuple[Games, ...]
    left_out: int


@dataclass(slots=True)
class _Kind:
    """Games of one number of seats, with teams or without, a flat row each."""

    width: int
    teams: bool
    seats: array[int] = field(default_factory=lambda: array("i"))
    placing: array[int] = field(default_factory=lambda: array("i"))
    sets: array[int] = field(default_factory=lambda: array("q"))
    entries: array[int] = field(default_factory=lambda: array("q"))


class Gathering:
    """Takes the entries of a ledger in their order; `last` is the number of the last one."""

    def __init__(self) -> None:
        self.last = 0
        self._numbers: dict[Line, int] = {}
        self._sets: dict[str, int] = {}
        self._kinds: dict[tuple[int, bool], _Kind] = {}
        self._voided = array("q")

    def add(self, entry: LedgerEntry) -> None:
        """Take in the next entry."""
        payload, self.last = entry.payload, entry.id
        if payload["kind"] == "void" and payload["voids"] is not None:
            self._voided.append(payload["voids"])
        elif payload.get("rated"):
            players = payload["players"]
            teams = players[0][2] is not None
            kind = self._kinds.setdefault((len(players), teams), _Kind(len(players), teams))
            kind.seats.extend(self._number((bot, version)) for bot, version, _ in players)
            kind.placing.extend(payload["placing"])
            kind.sets.append(self._set(payload.get("set"), entry.id))
            kind.entries.append(entry.id)

    def _number(self, line: Line) -> int:
        return self._numbers.setdefault(line, len(self._numbers))

    def _set(self, name: str | None, entry_id: int) -> int:
        """A number of its own for every set, and for every game that is in none."""
        return -entry_id if name is None else self._sets.setdefault(name, len(self._sets))

    def ladder(self, most: int) -> Ladder:
        """The games that count; of more than `most` lines those with most games, and their games alone."""
        kinds = [self._games(kind) for kind in self._kinds.values()]
        lines = list(self._numbers)
        games = np.zeros(len(lines), np.int64)
        for kind in kinds:
            games += np.bincount(kind.seats.ravel(), minlength=len(lines))
        kept = np.sort(np.argsort(-games, kind="stable")[:most])
        kept = kept[games[kept] > 0]
        number = np.full(len(lines), -1)
        number[kept] = np.arange(len(kept))
        chosen = tuple(part for kind in kinds if len((part := _between(kind, number)).seats))
        left_out = int((games > 0).sum()) - len(kept)
        return Ladder(tuple(lines[n] for n in kept.tolist()), chosen, left_out)

    def _games(self, kind: _Kind) -> Games:
        """The columns of the games that were not voided."""
        counts = ~np.isin(_ints(kind.entries), _ints(self._voided))
        seats, placing = (_ints(flat).reshape(-1, kind.width)[counts] for flat in (kind.seats, kind.placing))
        clusters = _ints(kind.sets)[counts] if self._sets else None
        return Games.of(seats, placing, kind.teams, clusters)


def _ints(values: Iterable[int]) -> Ints:
    return np.array(values, np.int64)


def _between(games: Games, number: NDArray[np.int64]) -> Games:
    """The games between lines that have a number, by these."""
    own = games.chosen(np.asarray((number[games.seats] >= 0).all(axis=1)))
    return Games.of(number[own.seats], own.placing, own.teams, own.clusters)

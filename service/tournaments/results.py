"""The results of a tournament as columns, to count half a million at once, and as fixed-size records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.protocol import FaultReason
from service.tournaments.pairing import Result

WITHDRAWN = "withdrawn"
FAULTS: tuple[str, ...] = (WITHDRAWN, *FaultReason)  # a record keeps the place in this list: only ever append
UNPLAYED = frozenset({WITHDRAWN, FaultReason.NO_SHOW})
_CODE = {reason: code for code, reason in enumerate(FAULTS, start=1)}

Records = NDArray[np.void]


@cache
def record_type(seats: int, points: bool) -> np.dtype[Any]:
    """A record of one result: entrants (16 bits each), places, faults (0: none) and, if kept, points by seat.

    Little-endian and without gaps, so a record is `itemsize` bytes and can lie at game · itemsize in one
    string; a record of zeros is a game without a result.
    """
    columns: list[tuple[str, str, tuple[int]]] = [
        ("seats", "<u2", (seats,)),
        ("placing", "u1", (seats,)),
        ("faults", "u1", (seats,)),
    ]
    return np.dtype(columns + [("points", "<i4", (seats,))] * points)


def packed(result: Result, points: bool) -> bytes:
    """The record of one result; raises ValueError for a reason that `FAULTS` does not have."""
    record = np.zeros(1, record_type(len(result.seats), points))
    record["seats"], record["placing"] = result.seats, result.placing
    if any(result.faults):
        record["faults"] = [_code(reason) for reason in result.faults]
    if points:
        record["points"] = result.points or 0  # an unplayed game counts none
    return record.tobytes()


def _code(reason: str | None) -> int:
    if reason is not None and reason not in _CODE:
        raise ValueError(f"{reason!r} is no reason for a fault; the reasons are: {', '.join(FAULTS)}")
    return 0 if reason is None else _CODE[reason]


@dataclass(frozen=True, slots=True)
class Results:
    """Results as columns: `games` (g); by game and seat `seats`, `placing`, `faults` (codes), `points`."""

    games: NDArray[np.int64]
    seats: NDArray[np.int64]
    placing: NDArray[np.int64]
    faults: NDArray[np.int64]
    points: NDArray[np.int64] | None

    @classmethod
    def of(cls, results: Iterable[Result], seats: int, points: bool = False) -> Results:
        """The columns of results at tables of so many seats."""
        listed = list(results)
        data = b"".join(packed(result, points) for result in listed)
        games = np.array([result.game for result in listed], np.int64)
        return cls._of_records(games, np.frombuffer(data, record_type(seats, points)))

    @classmethod
    def from_records(cls, data: bytes, seats: int, points: bool = False) -> Results:
        """The columns of records that lie in the order of the games, zeros where there is no result yet."""
        kind = record_type(seats, points)
        records = np.frombuffer(data[: len(data) - len(data) % kind.itemsize], kind)
        games = np.flatnonzero(records["placing"].any(axis=1))
        return cls._of_records(games, records[games])

    @classmethod
    def _of_records(cls, games: NDArray[np.int64], records: Records) -> Results:
        column = {name: records[name].astype(np.int64) for name in records.dtype.names or ()}
        return cls(games, column["seats"], column["placing"], column["faults"], column.get("points"))

    def done(self, count: int) -> NDArray[np.bool_]:
        """Which of so many games have a result."""
        found = np.zeros(count, bool)
        found[self.games] = True
        return found

    def without(self, games: NDArray[np.int64]) -> Results:
        """The results of all other games."""
        kept = ~np.isin(self.games, games)
        points = None if self.points is None else self.points[kept]
        return Results(self.games[kept], self.seats[kept], self.placing[kept], self.faults[kept], points)

    def joined(self, more: Results) -> Results:
        """These results and more."""
        points = None
        if self.points is not None and more.points is not None:
            points = np.concatenate([self.points, more.points])
        return Results(
            np.concatenate([self.games, more.games]),
            np.concatenate([self.seats, more.seats]),
            np.concatenate([self.placing, more.placing]),
            np.concatenate([self.faults, more.faults]),
            points,
        )

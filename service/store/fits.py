"""Ratings by maximum likelihood as the last fit of a ladder left them, and what of the ledger they cover.

A fit is kept under a generation of its own, and then made to be the one that counts. What a reader may be
using lasts a minute longer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from service.store import keys
from service.store.connection import Connection, Word
from service.store.documents import chunks

_OLD_S = 60
_FLOAT = 4  # bytes


@dataclass(frozen=True, slots=True)
class FitReport:
    """About a fit as a whole. Times in ms; figures in Elo points, `first_seat` with its 95 % half-width.

    `ledger`: the last entry that it covers. `pools`: how many lines each has, the largest first, and whether
    its figures are finite without a prior. `left_out`: lines beyond the most that are fitted.
    """

    ledger: int
    at: int
    took_ms: int
    games: int
    lines: int
    left_out: int
    first_seat: tuple[float, float] | None
    draw: float | None
    pools: tuple[tuple[int, bool], ...]


NOTHING_FITTED = FitReport(0, 0, 0, 0, 0, 0, None, None, ())


@dataclass(frozen=True, slots=True)
class FitLine:
    """One version of a bot: its rating with the half-width of its 95 % interval, in points.

    `pool` counts from 0; ratings of different pools cannot be compared. `at` is the line's place in the
    pool, `start` where in the covariances the pool begins.
    """

    rating: float
    half_width: float
    games: int
    opponents: int
    pool: int
    finite: bool
    at: int
    start: int


Lines = Mapping[tuple[str, str], FitLine]


class Fits:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def begin(self, ladder: str, lasts_ms: int) -> bool:
        """Whether to fit a ladder now: nobody else does."""
        return bool(self._db.run("SET", keys.fitting(ladder), 1, "NX", "PX", lasts_ms))

    def end(self, ladder: str) -> None:
        self._db.run("DEL", keys.fitting(ladder))

    def keep(self, ladder: str, report: FitReport, lines: Lines, covariances: bytes) -> None:
        """A new fit. `covariances`: points², 4-byte floats, the lower triangles of the pools' matrices."""
        before, gen = self._generation(ladder), str(report.at)
        for chunk in chunks(lines.items()):
            words = [word for name, line in chunk for word in (_field(*name), json.dumps(_packed(line)))]
            self._db.run("HSET", keys.fit_lines(ladder, gen), *words)
        self._db.run("SET", keys.fit_covariances(ladder, gen), covariances)
        counts = [("SET", keys.fit_report(ladder), json.dumps(asdict(report)))]
        self._db.many([*counts, ("SET", keys.fit_generation(ladder), gen)], atomic=True)
        if before not in (None, gen):
            old = (keys.fit_lines(ladder, before), keys.fit_covariances(ladder, before))
            self._db.many([("EXPIRE", key, _OLD_S) for key in old])

    def report(self, ladder: str) -> FitReport | None:
        """None before the first fit."""
        text = self._db.run("GET", keys.fit_report(ladder))
        if text is None:
            return None
        found = json.loads(text)
        first = found["first_seat"]
        return FitReport(
            **{
                **found,
                "first_seat": first and tuple(first),
                "pools": tuple((n, finite) for n, finite in found["pools"]),
            }
        )

    def lines(self, ladder: str, wanted: Sequence[tuple[str, str]]) -> list[FitLine | None]:
        """The fit of these bots and versions; None for those that are not in it."""
        gen = self._generation(ladder)
        if gen is None or not wanted:
            return [None] * len(wanted)
        found = self._db.run("HMGET", keys.fit_lines(ladder, gen), *(_field(*name) for name in wanted))
        return [FitLine(*json.loads(text)) if text else None for text in found]

    def covariances(self, ladder: str, one: FitLine, other: FitLine) -> tuple[float, float, float]:
        """The variances of two lines of one pool and their covariance, in points²."""
        gen = self._generation(ladder)
        places = ((one.at, one.at), (other.at, other.at), (one.at, other.at))
        key = keys.fit_covariances(ladder, gen or "")
        found = [self._db.run_raw("GETRANGE", key, *_place(one.start, *pair)) for pair in places]
        a, b, both = (float(memoryview(text).cast("f")[0]) for text in found)
        return a, b, both

    def _generation(self, ladder: str) -> str | None:
        gen: str | None = self._db.run("GET", keys.fit_generation(ladder))
        return gen


def _field(bot: str, version: str) -> str:
    return f"{bot} {version}"


def _packed(line: FitLine) -> list[Any]:
    members = asdict(line)
    return [round(value, 3) if isinstance(value, float) else value for value in members.values()]


def _place(start: int, row: int, column: int) -> Iterator[Word]:
    """First and last byte of a cell of a lower triangle that begins at cell `start`."""
    high, low = max(row, column), min(row, column)
    first = _FLOAT * (start + high * (high + 1) // 2 + low)
    yield first
    yield first + _FLOAT - 1

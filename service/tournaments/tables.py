"""The other tables of a tournament: cross table, head-to-head, results by seat, forfeits by reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from service.tournaments.results import FAULTS
from service.tournaments.tally import OUTCOMES, Tally


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """One entrant against another: games, and how often it was placed ahead, level and behind."""

    games: int
    ahead: int
    level: int
    behind: int

    @property
    def score(self) -> Fraction:
        """1 for each game ahead, ½ for each level one."""
        return self.ahead + Fraction(self.level, 2)


def cross_row(tally: Tally, entrant: int, order: Sequence[int]) -> Iterator[HeadToHead | None]:
    """An entrant's row of the cross table, columns in the given order; None where two have not met."""
    met, ahead, halves = (table[entrant].tolist() for table in (tally.met, tally.ahead, tally.halves))
    for other in order:
        level = halves[other] - 2 * ahead[other]
        behind = met[other] - ahead[other] - level
        yield HeadToHead(met[other], ahead[other], level, behind) if met[other] else None


def by_seat(tally: Tally, entrant: int) -> list[dict[str, int]]:
    """By seat: how often it won, drew, lost, won and lost by forfeit there."""
    return [dict(zip(OUTCOMES, counts, strict=True)) for counts in tally.outcomes[entrant].tolist()]


def forfeits(tally: Tally, entrant: int) -> dict[str, int]:
    """By reason: how often it fell out of a game; reasons that never came up are left out."""
    counts = dict(zip(FAULTS, tally.faults[entrant].tolist(), strict=True))
    return {reason: count for reason, count in counts.items() if count}

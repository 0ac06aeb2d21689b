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


def head_to_head(tally: Tally, entrant: int, other: int) -> HeadToHead:
    """The games of two entrants against each other, seen by the first; a forfeit counts as placed ahead."""
    games, ahead = int(tally.met[entrant, other]), int(tally.ahead[entrant, other])
    level = int(tally.halves[entrant, other]) - 2 * ahead
    return HeadToHead(games, ahead, level, games - ahead - level)


def cross_table(tally: Tally, order: Sequence[int]) -> Iterator[tuple[HeadToHead | None, ...]]:
    """Rows and columns in the given order of entrants (the ranking's); None where two have not met."""
    for entrant in order:
        yield tuple(
            head_to_head(tally, entrant, other) if tally.met[entrant, other] else None for other in order
        )


def by_seat(tally: Tally, entrant: int) -> list[dict[str, int]]:
    """By seat: how often it won, drew, lost, won and lost by forfeit there."""
    return [dict(zip(OUTCOMES, counts, strict=True)) for counts in tally.outcomes[entrant].tolist()]


def forfeits(tally: Tally, entrant: int) -> dict[str, int]:
    """By reason: how often it fell out of a game; reasons that never came up are left out."""
    counts = dict(zip(FAULTS, tally.faults[entrant].tolist(), strict=True))
    return {reason: count for reason, count in counts.items() if count}

"""A schedule as columns: for whoever has to choose among half a million games, or add up an entrant's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from service.tournaments.cycles import Lineups
from service.tournaments.pairing import Schedule

Games = NDArray[np.int64]  # indices
Mask = NDArray[np.bool_]  # by index


@dataclass(frozen=True, eq=False)
class Plan:
    """Every known game of a schedule for so many entrants."""

    schedule: Schedule
    lineups: Lineups
    entrants: int

    @classmethod
    def of(cls, schedule: Schedule, entrants: int) -> Plan:
        return cls(schedule, schedule.lineups(), entrants)

    @property
    def count(self) -> int:
        return len(self.lineups)

    @property
    def players(self) -> int:
        """Different entrants in a game."""
        return len(set(self.lineups[0].tolist()))

    def games_of(self, entrant: int) -> Games:
        """The indices of an entrant's games, ascending."""
        games, starts = self._own
        return games[starts[entrant] : starts[entrant + 1]]

    @cached_property
    def _own(self) -> tuple[Games, Games]:
        """The games of all entrants one behind the other, and where each one's begin."""
        key = np.sort((self.lineups * self.count + np.arange(self.count)[:, None]).ravel())
        once = np.concatenate([key[:1], key[1:][np.diff(key) > 0]])  # a team's entrant is in a game once
        owner, game = np.divmod(once, self.count)
        return game, np.searchsorted(owner, np.arange(self.entrants + 1))

"""What a tournament does next: which games to make now, which to drop, whether it is over. A pure function.

* **Nothing that could run waits.** As long as two entrants (or a table of them) have places left and a game
  with each other to play, one is made. A slow bot keeps up its own opponents only.
* **Games are made as they are needed.** A game is made when all who play in it have places left, so there are
  never many more of them than are being played.
* **Who has most games left goes first**, so that nobody is left over at the end with games that can only be
  played one after the other; between equals the order of the schedule decides.
* **A claim.** Who is busy elsewhere and has no game open here gets one made all the same. It waits for its
  turn at that bot, whose places the scheduler deals out fairly, and holds up nobody: its opponents are
  given other games meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from service.tournaments.pairing import Options
from service.tournaments.plan import Games, Mask, Plan
from service.tournaments.withdrawal import NOBODY_LEFT, Settlement, settle

MOST_WAITING = 1000  # games that wait for a worker at once


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """How a tournament stands: all that its next step follows from.

    `made`: the games that have their match. `open`: of these, those without a result, oldest first;
    `waiting`: of these, those that wait for their turn. By entrant: `places`, the games that its bot can play
    at once (none while it cannot play at all), and `free`, those of them that nothing takes up now, whatever
    it plays in.
    """

    made: Mask
    open: Sequence[int]
    waiting: Collection[int]
    places: Sequence[int]
    free: Sequence[int]
    withdrawn: Collection[int] = ()

    @property
    def done(self) -> Mask:
        """The games with a result."""
        done = self.made.copy()
        done[list(self.open)] = False
        return done


@dataclass(frozen=True, slots=True)
class Step:
    """Waiting games to `drop`, since nobody needs to play them any more, and games to `make`, in order."""

    drop: tuple[int, ...] = ()
    make: tuple[int, ...] = ()
    over: bool = False


def step(plan: Plan, options: Options, now: Situation) -> Step:
    """The next step of a tournament that is running."""
    unmade, settlement = to_make(plan, options, now)
    drop = tuple(sorted(set(settlement.settled.tolist()).intersection(now.waiting)))
    if plan.schedule.complete and len(now.open) == len(drop) and not unmade.any():
        return Step(drop, over=not drop)
    chooser = _Chooser(plan, unmade, now, set(drop))
    return Step(drop, tuple(chooser.games()))


def to_make(plan: Plan, options: Options, now: Situation) -> tuple[Mask, Settlement]:
    """The games that are still to be made, and what the withdrawals come to."""
    settlement = settle(plan, options, now.done, now.withdrawn) if now.withdrawn else NOBODY_LEFT
    unmade = ~now.made
    unmade[settlement.settled] = False
    return unmade, settlement


class _Chooser:
    """Deals the entrants' free places out to games that are still to be made."""

    def __init__(self, plan: Plan, unmade: Mask, now: Situation, dropped: set[int]) -> None:
        self._plan, self._unmade, self._now = plan, unmade, now
        self._free = np.array(now.free, np.int64)
        self._open = [game for game in now.open if game not in dropped]
        self._starting = sum(self._take(game) for game in self._open if game in now.waiting)
        self._left = np.zeros(plan.entrants, np.int64)

    def games(self) -> Iterator[int]:
        """The games to make, claims last."""
        places, playing = np.array(self._now.places), self._busy()
        claiming = np.flatnonzero((places > 0) & (self._free <= 0) & ~playing)
        able = np.flatnonzero(self._free > 0)
        for entrant in (*able.tolist(), *claiming.tolist()):
            self._left[entrant] = self._unmade[self._plan.games_of(entrant)].sum()
        for entrant in self._by_need(able):
            while self._free[entrant] > 0 and self._starting < MOST_WAITING:
                game = self._best(entrant, self._free > 0)
                if game is None:
                    break
                self._starting += 1
                self._make(game)
                self._take(game)
                yield game
        yield from self._claims(claiming, places > 0)

    def _claims(self, claiming: Games, able: Mask) -> Iterator[int]:
        claimed: set[int] = set()
        for entrant in self._by_need(claiming):
            game = None if entrant in claimed else self._best(entrant, able)
            if game is not None:
                self._make(game)
                claimed.update(self._plan.lineups[game].tolist())
                yield game

    def _busy(self) -> Mask:
        """Who has a game open here."""
        busy = np.zeros(self._plan.entrants, bool)
        busy[self._plan.lineups[self._open].ravel()] = True
        return busy

    def _by_need(self, entrants: Games) -> list[int]:
        """Who has most games left first, between equals by number."""
        return sorted(entrants.tolist(), key=lambda entrant: (-int(self._left[entrant]), entrant))

    def _best(self, entrant: int, able: Mask) -> int | None:
        """The game of the entrant's that all who are `able` could play and whose players have most left."""
        games = self._plan.games_of(entrant)
        games = games[self._unmade[games]]
        games = games[able[self._plan.lineups[games]].all(axis=1)]
        if not len(games):
            return None
        return int(games[self._left[self._plan.lineups[games]].sum(axis=1).argmax()])

    def _make(self, game: int) -> None:
        self._unmade[game] = False
        self._left[self._plan.lineups[game]] -= 1

    def _take(self, game: int) -> bool:
        """Take a place of each who plays in a game, if all have one; whether they had."""
        players = list(set(self._plan.lineups[game].tolist()))
        if (self._free[players] <= 0).any():
            return False
        self._free[players] -= 1
        return True

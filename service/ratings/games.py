"""Results of games as columns, counted up by equal line-ups, and the pools that never met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Games:
    """Games of one kind, as columns.

    `seats` (g × k): the player in each seat. `placing` (g × k): the places, equal ones tied. `teams`:
    four seats as two sides, seats 0 and 2 against 1 and 3. `clusters` (g): games with one number share a
    deck or an opening and are one statistical unit; None where every game stands for itself.
    """

    seats: Ints
    placing: Ints
    teams: bool = False
    clusters: Ints | None = None

    @classmethod
    def of(
        cls, seats: ArrayLike, placing: ArrayLike, teams: bool = False, clusters: ArrayLike | None = None
    ) -> Games:
        """Columns from anything array-like; raises ValueError where their shapes do not belong together."""
        who, places = np.asarray(seats, np.int64), np.asarray(placing, np.int64)
        if who.ndim != 2 or who.shape != places.shape or who.shape[1] < 2:
            raise ValueError(
                f"seats and placing must both be games × seats, not {who.shape} and {places.shape}"
            )
        if teams and who.shape[1] != 4:
            raise ValueError(f"teams of two need four seats, not {who.shape[1]}")
        groups = None if clusters is None else np.asarray(clusters, np.int64)
        if groups is not None and groups.shape != who.shape[:1]:
            raise ValueError(f"there must be one cluster for each of {len(who)} games, not {groups.shape}")
        return cls(who, places, teams, groups)

    @property
    def two_sided(self) -> bool:
        """Whether there are two sides: two seats, or two teams."""
        return self.teams or self.seats.shape[1] == 2

    def chosen(self, rows: NDArray[np.bool_]) -> Games:
        """The games where `rows` is true."""
        clusters = None if self.clusters is None else self.clusters[rows]
        return replace(self, seats=self.seats[rows], placing=self.placing[rows], clusters=clusters)


def pools(kinds: Sequence[Games], players: int) -> list[Ints]:
    """The players that games connect, pool by pool, the largest first; who never played is in none."""
    label, played = np.arange(players), np.zeros(players, bool)
    while True:
        before = label.copy()
        for games in kinds:
            least = label[games.seats].min(axis=1, keepdims=True)
            np.minimum.at(label, games.seats, np.broadcast_to(least, games.seats.shape))
            played[games.seats] = True
        label = label[label]
        if np.array_equal(label, before):
            break
    groups = [np.flatnonzero(played & (label == first)) for first in sorted(set(label[played].tolist()))]
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def line_ups(columns: Ints, counts: Floats) -> tuple[Ints, Floats]:
    """Equal columns of `columns` (c × r) once, with their `counts` (outcomes × r) added up."""
    size = int(columns.max(initial=0)) + 1
    key = np.zeros(columns.shape[1], np.int64)
    for row in columns:
        key = key * size + row
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    return columns[:, first], np.stack([np.bincount(group, outcome, len(first)) for outcome in counts])


def summed(index: Ints, values: Floats, size: int) -> Floats:
    """The values added up by index, 0 to `size` − 1; both may have any one shape."""
    return np.asarray(np.bincount(index.ravel(), values.ravel(), size), np.float64)


def opponents(kinds: Sequence[Games], players: int) -> Ints:
    """How many different players each has sat at a table with, on another side."""
    met = np.zeros((players, players), bool)
    for games in kinds:
        sides = [seat % 2 if games.teams else seat for seat in range(games.seats.shape[1])]
        for one, own in enumerate(sides):
            for other, theirs in enumerate(sides):
                if own != theirs:
                    met[games.seats[:, one], games.seats[:, other]] = True
    np.fill_diagonal(met, False)
    return np.asarray(met.sum(axis=1))


def games_of(games: Games, players: int) -> Ints:
    """How many games each player was in; both seats of a team are one game."""
    counts = np.bincount(games.seats.ravel(), minlength=players)
    if games.teams:
        for one in (0, 1):
            both = games.seats[:, one] == games.seats[:, one + 2]
            counts -= np.bincount(games.seats[both, one], minlength=players)
    return counts


def lopsided(kinds: Sequence[Games], players: int) -> bool:
    """Whether somebody was never first or always first alone, so that no finite strength is likeliest."""
    played, shared, won = (np.zeros(players) for _ in range(3))
    for games in kinds:
        best = games.placing == games.placing.min(axis=1, keepdims=True)
        alone = best & (best.sum(axis=1, keepdims=True) == (2 if games.teams else 1))
        for total, weights in ((played, np.ones(best.shape)), (shared, best), (won, alone)):
            total += np.bincount(games.seats.ravel(), weights.ravel(), players)
    return bool(((played > 0) & ((shared == 0) | (won == played))).any())

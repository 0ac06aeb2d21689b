"""Quixo as games of the registry: `quixo` for two players, `quixo-teams` for two teams of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from engines.game import Game, Option, OptionValue
from engines.quixo import position
from engines.quixo.state import QuixoState, Rules


class _Quixo(Game):
    hidden: ClassVar[bool] = False
    chance: ClassVar[bool] = False
    version: ClassVar[int] = 1
    options: ClassVar[Mapping[str, Option]] = {
        "size": Option(5, "rows and columns of the board", "Q1", low=3, high=5),
        "repetition": Option(True, "the third visit of a position draws", "Q15"),
        "ply_limit": Option(200, "plies after which the game is drawn", "Q15", low=1, high=1000),
    }

    def start(self, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> QuixoState:
        """The empty board, seat 0 to move (Q2); the seed plays no part."""
        return QuixoState(self._rules(seats, options), 0, 0, 0, 0, None, None)

    def position(self, text: str, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> QuixoState:
        """The position that `QuixoState.text` wrote.

        A text tells nothing of earlier visits, so repetition (Q15) counts from here: the position itself
        stands for the first time. Nor does it tell of forfeits.

        Raises BadPosition.
        """
        return position.read(text, self._rules(seats, options))

    def _rules(self, seats: int, options: Mapping[str, OptionValue]) -> Rules:
        self.check_seats(seats)
        return Rules(seats, int(options["size"]), bool(options["repetition"]), int(options["ply_limit"]))


class Quixo(_Quixo):
    """Two players: seat 0 plays X, seat 1 O (Q2)."""

    name: ClassVar[str] = "quixo"
    title: ClassVar[str] = "Quixo"
    seats: ClassVar[tuple[int, ...]] = (2,)
    teams: ClassVar[bool] = False


class QuixoTeams(_Quixo):
    """Two teams of two: seats 0 and 2 play X, seats 1 and 3 O (Q8)."""

    name: ClassVar[str] = "quixo-teams"
    title: ClassVar[str] = "Quixo in teams"
    seats: ClassVar[tuple[int, ...]] = (4,)
    teams: ClassVar[bool] = True

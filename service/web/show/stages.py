"""Which games are drawn by which stage. A game is added here, with a drawing of its board."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engines.game import OptionValue
from service.web.show.quixo import QuixoStage
from service.web.show.scene import Stage, View
from service.web.show.sorry import SorryStage

Options = Mapping[str, OptionValue]


def _quixo(view: View, seats: int) -> Stage:
    return QuixoStage(seats, view["size"])


def _sorry(view: View, seats: int) -> Stage:
    return SorryStage(tuple(view["colours"]), "scores" in view)


STAGES: Mapping[str, Callable[[View, int], Stage]] = {
    "quixo": _quixo,
    "quixo-teams": _quixo,
    "sorry": _sorry,
    "sorry-teams": _sorry,
    "sorry-points": _sorry,
}


def stage_for(game: str, view: View, seats: int) -> Stage:
    """The stage of a game, from a view of its first position."""
    return STAGES[game](view, seats)

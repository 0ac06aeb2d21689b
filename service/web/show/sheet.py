"""A match as its page shows it, whether it comes from the store or from a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.game import Game
from engines.registry import game_named
from service.web.show import words
from service.web.show.replay import Frame, Replay, cut
from service.web.show.scene import Scene

WINDOW = 120  # rows of the move list that a page holds at most
NAME = 60


@dataclass(frozen=True, slots=True)
class Seat:
    """A player as the page shows it. `side` is what the seat is called on the board."""

    seat: int
    look: str
    side: str
    name: str
    version: str
    bot: str | None
    place: int | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """One match at one frame. `number` is that frame's, 0 before the first; `rows` are those in sight."""

    replay: Replay
    number: int
    scene: Scene
    frame: Frame
    rows: Sequence[tuple[int, Frame]]
    seats: Sequence[Seat]
    result: Mapping[str, Any] | None

    @property
    def game(self) -> Game:
        return game_named(self.replay.header["game"])

    @property
    def count(self) -> int:
        return len(self.replay.frames)

    @property
    def title(self) -> str:
        """The sides' names: "Ada – Berna"."""
        return " – ".join(self.sides)

    @property
    def sides(self) -> list[str]:
        """A name for each side: a seat's, or its team's two."""
        if not self.game.teams:
            return [seat.name for seat in self.seats]
        return [_both(self.seats[0].name, self.seats[2].name), _both(self.seats[1].name, self.seats[3].name)]

    @property
    def clock(self) -> str:
        return words.control(self.replay.header["clock"])

    @property
    def delay_ms(self) -> int:
        """How long a turn may go on before its clock runs, under a simple delay."""
        control = self.replay.header["clock"]
        return int(control["delay_ms"]) if control["control"] == "delay" else 0

    @property
    def period_ms(self) -> int:
        """How long a period of byo-yomi is."""
        return int(self.replay.header["clock"]["period_ms"])

    @property
    def rule(self) -> str | None:
        """The rule that ended it, if one did."""
        return None if self.result is None else words.RULES.get(self.result["reason"])

    @property
    def position(self) -> str:
        """The position's text at this frame."""
        return self.replay.positions[self.number - 1] if self.number else ""


def sheet_of(
    replay: Replay,
    at: int | None,
    result: Mapping[str, Any] | None,
    seats: Collection[int] = (),
    reveal: bool = False,
    linked: bool = True,
) -> Sheet:
    """The sheet of a match at frame `at` (the last one if None), for whoever may see those seats' secrets.

    `reveal`: all hands; `linked`: the players are bots of this service.
    """
    count = len(replay.frames)
    number = count if at is None else min(max(at, min(count, 1)), count)
    first = min(max(number - WINDOW // 2, 0), max(count - WINDOW, 0))
    rows = replay.frames_for(first, seats, reveal)[:WINDOW]
    frame = dict(rows).get(number, {})
    return Sheet(
        replay,
        number,
        replay.scene_at(number),
        frame,
        rows,
        _seats(replay, result, linked),
        result,
    )


def _seats(replay: Replay, result: Mapping[str, Any] | None, linked: bool) -> list[Seat]:
    stage = replay.stage
    return [
        Seat(
            seat,
            stage.seat_looks[seat],
            stage.seat_names[seat],
            cut(player["name"], NAME),
            cut(player["version"], NAME),
            player["bot"] if linked else None,
            result["placing"][seat] if result and result["outcome"] != "void" else None,
        )
        for seat, player in enumerate(replay.header["players"])
    ]


def _both(one: str, other: str) -> str:
    return one if one == other else f"{one} & {other}"

"""Plays every game by looking at what the board would be after each of its moves, and no further.

In Quixo it completes a line if it can, never one of the other side's unless it must, and likes long lines.
In Sorry! it likes its side's pawns near HOME and everybody else's far from it.

    python -m bots.samples.greedy_bot --port 9002 --secret whsec_…
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bots.sdk import Bot, Turn, command_line

DECIDED = 10_000
FROM_START = 75  # steps to HOME: 64 from the circle, and the wait for a card that starts a pawn
TO_ZONE = 6  # from a safety zone's entry to HOME
SIDES = {"red": 0, "blue": 15, "yellow": 30, "green": 45}  # the first square of a colour's side (S3)


def make(seed: int | None = None) -> Bot:
    """A bot that takes the best board, and any of the best ones where several are equal."""
    bot = Bot("greedy")
    chance = random.Random(seed)

    def best(turn: Turn, worth: Callable[[Mapping[str, Any], int], int]) -> str:
        moves = list(turn.state.legal_moves())
        chance.shuffle(moves)
        return str(max(moves, key=lambda move: _score(turn, move, worth)))

    @bot.move("quixo", "quixo-teams")
    def quixo(turn: Turn) -> str:
        return best(turn, lines)

    @bot.move("sorry", "sorry-teams", "sorry-points")
    def sorry(turn: Turn) -> str:
        return best(turn, race)

    return bot


def _score(turn: Turn, move: Any, worth: Callable[[Mapping[str, Any], int], int]) -> int:
    after = turn.state.apply(move)
    if after.outcome is None or after.outcome.drawn:
        return worth(after.view(turn.seat), turn.seat)
    return DECIDED if after.outcome.placing[turn.seat] == 1 else -DECIDED


def lines(view: Mapping[str, Any], seat: int) -> int:
    """The squares of how much every line holds that only one side can still complete, ours less theirs."""
    mine = "X02" if seat % 2 == 0 else "O13"
    rows: Sequence[str] = view["cells"]
    size = range(len(rows))
    ways = [
        *rows,
        *("".join(column) for column in zip(*rows, strict=True)),
        "".join(rows[i][i] for i in size),
        "".join(rows[i][-1 - i] for i in size),
    ]
    return sum(_line(way, mine) for way in ways)


def _line(way: str, mine: str) -> int:
    ours = sum(cube in mine for cube in way)
    theirs = len(way) - ours - way.count(".")
    return 0 if ours and theirs else ours**2 - theirs**2


def race(view: Mapping[str, Any], seat: int) -> int:
    """How many steps our side is nearer to HOME than the average of the others."""
    teams = "card" in view and view["seats"] == 4
    colours: Sequence[str] = view["colours"]
    steps = [sum(to_home(colour, pawn) for pawn in view["pawns"][colour]) for colour in colours]
    ours = [s for other, s in enumerate(steps) if other == seat or (teams and other % 2 == seat % 2)]
    return (sum(steps) - sum(ours)) * len(ours) // max(1, len(steps) - len(ours)) - sum(ours)


def to_home(colour: str, pawn: str) -> int:
    """A pawn's steps to HOME, from its place as positions write it: `S`, `17`, `:3` or `H`."""
    if pawn == "S":
        return FROM_START
    if pawn == "H":
        return 0
    if pawn.startswith(":"):
        return TO_ZONE - int(pawn[1:])
    return (SIDES[colour] + 2 - int(pawn)) % 60 + TO_ZONE


if __name__ == "__main__":
    parser = command_line("greedy")
    parser.add_argument("--seed", type=int, help="break ties the same way every time")
    options = parser.parse_args()
    make(options.seed).run(options)

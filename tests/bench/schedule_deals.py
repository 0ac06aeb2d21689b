"""The part of `./run bench schedule` on duplicate deals: how much less a Sorry! result varies with one deck.

Two sample bots play in this process, judged by the real referee. A pair is two games with the seats
swapped. The figure is the variance of a game's result that a mean over many games has: with duplicate deals
both games of a pair have one deck, without each has its own.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence

from bots.samples import expectimax_bot, greedy_bot
from bots.sdk import Bot
from engines.clock import Control
from engines.messages import SeatMessages
from engines.protocol import MoveReply
from engines.referee import Answer, Setup, Verdict, referee
from engines.registry import game_named
from tests.bench.schedule_fit import Row

CONTROL = Control.from_json("course")


def played(game: str, bots: Sequence[Bot], seed: bytes) -> Verdict:
    """One game; `bots` by seat, `seed` deals the deck."""
    kind = game_named(game)
    options = kind.full_options({})
    seats = [SeatMessages("m_bench", game, options, seat, kind.team(seat)) for seat in range(2)]
    running = referee(Setup(kind, 2, options, CONTROL, seed))
    try:
        turn = next(running)
        while True:
            reply = bots[turn.seat].answer(seats[turn.seat].move(turn, 1, None), None)
            move = turn.legal.index(str(reply.reply["move"]))
            turn = running.send(Answer(MoveReply(move), 1000))
    except StopIteration as stop:
        verdict: Verdict = stop.value
        return verdict


def win(result: Verdict, seat: int) -> float:
    own, other = result.result["placing"][seat], result.result["placing"][1 - seat]
    return 1.0 if own < other else 0.5 if own == other else 0.0


def lead(result: Verdict, seat: int) -> float:
    points = result.result["points"]
    return float(points[seat] - points[1 - seat])


def variances(
    game: str, worth: Callable[[Verdict, int], float], pairs: int, seed: int
) -> tuple[float, float, float]:
    """The variance of a game's result with one deck a pair and with two, and the first bot's mean."""
    chance = random.Random(seed)
    bots = [greedy_bot.make(1), expectimax_bot.make(1, 2)]
    found: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(pairs):
        for duplicate in found:
            first = chance.randbytes(32)
            second = first if duplicate else chance.randbytes(32)
            one = worth(played(game, bots, first), 0)
            other = worth(played(game, bots[::-1], second), 1)
            found[duplicate].append((one + other) / 2)
    with_one, with_two = (2 * statistics.variance(found[duplicate]) for duplicate in (True, False))
    return with_one, with_two, statistics.mean(found[True] + found[False])


def rows(pairs: int) -> list[Row]:
    """The measured lines."""
    found = []
    for game, worth, what in (("sorry", win, "result (win 1)"), ("sorry-points", lead, "lead in points")):
        one, two, mean = variances(game, worth, pairs, seed=1)
        found.append(
            (
                f"variance of a {game} {what}, greedy against expectimax-1, mean {mean:.2f}",
                f"{one:.4g} with one deck a pair, {two:.4g} with two",
                f"{one / two:.2f} x: {1 - one / two:.0%} fewer games for the same interval",
                "printed",
            )
        )
    return found

"""The parts of `./run bench schedule` that are arithmetic alone: making a schedule, its table, and the fit.

The fit runs in a process of its own, so that its peak of memory can be read.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from service.ratings.fit import fit
from service.ratings.games import Games
from service.tournaments.formats import FORMATS
from service.tournaments.pairing import Options
from service.tournaments.results import Results, record_type
from service.tournaments.standings import standings
from service.tournaments.tally import tally
from service.tournaments.tie_breaks import DEFAULT

Row = tuple[str, str, str, str]  # what, reached, comparison, required

PLAYERS = 1000
RESULTS = 500_000
REPEATS = 3


def results(draws: float) -> Games:
    """Half a million results of Davidson's model; the strengths' standard deviation is 100 points."""
    rng = np.random.default_rng(1)
    strengths = rng.normal(0, 0.58, PLAYERS)
    first = rng.integers(0, PLAYERS, RESULTS)
    second = (first + rng.integers(1, PLAYERS, RESULTS)) % PLAYERS
    d = strengths[first] - strengths[second] + 0.2
    weights = np.stack([np.exp(d / 2), np.full(RESULTS, draws), np.exp(-d / 2)], axis=1)
    chances = np.cumsum(weights, axis=1)[:, :2] / weights.sum(axis=1, keepdims=True)
    outcome = (rng.random((RESULTS, 1)) > chances).sum(axis=1)
    return Games.of(np.stack([first, second], axis=1), np.array([[1, 2], [1, 1], [2, 1]])[outcome])


def seconds(work: Callable[[], object]) -> float:
    """The median time of some runs."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def fit_cost(draws: float) -> tuple[float, float]:
    """Seconds of a fit with intervals, and the process's peak of memory in MiB."""
    games = results(draws)
    taken = seconds(partial(fit, [games], PLAYERS))
    return taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def evalica_seconds() -> float | None:
    """Seconds of evalica's Bradley–Terry (no draws, no first-seat term, no intervals); None without it."""
    if importlib.util.find_spec("evalica") is None:
        return None
    import evalica

    games = results(0.0)
    names = [str(player) for player in range(PLAYERS)]
    xs, ys = ([names[player] for player in column] for column in games.seats.T.tolist())
    won = [
        evalica.Winner.X if first < second else evalica.Winner.Y for first, second in games.placing.tolist()
    ]
    return seconds(partial(evalica.bradley_terry, xs, ys, won))


def schedule_row() -> Row:
    """Making a round-robin of 1 000, down to its first and its last game."""
    kind = FORMATS["round-robin"]

    def make() -> None:
        schedule = kind.schedule(PLAYERS, Options(), bytes(32), {})
        schedule.game(0), schedule.game(schedule.count - 1)

    taken = seconds(make)
    return (
        "make a round-robin of 1 000 (499 500 games)",
        f"{taken * 1000:.1f} ms",
        "-",
        "< 1 s with the store",
    )


def standings_row() -> Row:
    """The table of that round-robin from its stored records."""
    schedule = FORMATS["round-robin"].schedule(PLAYERS, Options(), None, {})
    kind = record_type(2, points=False)
    records = np.zeros(schedule.count, kind)
    records["seats"] = schedule.lineups()
    records["placing"] = np.array([(1, 2), (1, 1), (2, 1)])[
        np.random.default_rng(2).integers(0, 3, schedule.count)
    ]
    data = records.tobytes()

    def table() -> None:
        counted = tally(Results.from_records(data, 2), PLAYERS, Options())
        standings(counted, DEFAULT, schedule.count)

    return "standings of it, from records", f"{seconds(table) * 1000:.0f} ms", "-", "<= 100 ms with the store"


def rows() -> list[Row]:
    """The measured lines: what, reached, comparison in the same run, required."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        taken, memory = pool.apply(fit_cost, (1.0,))
        other = pool.apply(evalica_seconds)
    compared = (
        "evalica is not installed" if other is None else f"{taken / other:.1f} x evalica without either"
    )
    return [
        ("fit 1 000 players, 500 000 results: draws, intervals", f"{taken:.1f} s", compared, "<= 5 s"),
        ("the same: peak memory of the process", f"{memory:.0f} MiB", "-", "<= 500 MiB"),
        schedule_row(),
        standings_row(),
    ]

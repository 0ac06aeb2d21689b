"""A rating over its games as a drawing: the curve, its 95 % band, a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor

from service.web.spread import half_width

WIDTH, HEIGHT = 720, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 14, 30
_MOST_POINTS = 400
_STEPS = (10, 20, 25, 50, 100, 200, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class Plot:
    """What the template draws. `lines` are (y, label), `ticks` (x, label); paths are SVG's."""

    curve: str
    band: str
    last: tuple[float, float]
    lines: Sequence[tuple[float, str]]
    ticks: Sequence[tuple[float, str]]
    label: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT


def rating_plot(ratings: Sequence[float], first_game: int = 1) -> Plot | None:
    """The plot of ratings after each game, the first of them game number `first_game`; None without two."""
    if len(ratings) < 2:
        return None
    points = list(_thinned(ratings, first_game))
    low = min(rating - half_width(game) for game, rating in points)
    high = max(rating + half_width(game) for game, rating in points)
    step = next((s for s in _STEPS if (high - low) / s <= 6), _STEPS[-1])
    low, high = floor(low / step) * step, ceil(high / step) * step
    first, last = points[0][0], points[-1][0]

    def x(game: float) -> float:
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * (game - first) / max(last - first, 1), 1)

    def y(rating: float) -> float:
        return round(_TOP + (HEIGHT - _TOP - _BOTTOM) * (high - rating) / (high - low), 1)

    upper = [(x(game), y(rating + half_width(game))) for game, rating in points]
    lower = [(x(game), y(rating - half_width(game))) for game, rating in points]
    curve = [(x(game), y(rating)) for game, rating in points]
    return Plot(
        curve=_path(curve),
        band=f"{_path([*upper, *reversed(lower)])}z",
        last=curve[-1],
        lines=[(y(level), str(level)) for level in range(int(low), int(high) + 1, step)],
        ticks=[(x(game), str(game)) for game in _ticks(first, last)],
        label=f"Rating from game {first} to game {last}: {ratings[0]:.0f} to {ratings[-1]:.0f} points,"
        f" lowest {min(ratings):.0f}, highest {max(ratings):.0f}",
    )


def _thinned(ratings: Sequence[float], first_game: int) -> Iterator[tuple[int, float]]:
    """At most so many of the points, the last one always among them."""
    every = ceil(len(ratings) / _MOST_POINTS)
    for index, rating in enumerate(ratings):
        if index % every == 0 or index == len(ratings) - 1:
            yield first_game + index, rating


def _ticks(first: int, last: int) -> Iterator[int]:
    step = next((s for s in (1, 2, 5, *_STEPS) if (last - first) / s <= 8), 5000)
    start = ceil(first / step) * step
    yield from range(start, last + 1, step)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)

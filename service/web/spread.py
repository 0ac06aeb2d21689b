"""How far an online Elo rating may be off by chance, after so many games.

Against opponents of one's own strength (p = ½) a game changes the error e of a rating, in points, to

    e' = e − K·(E(e) − ½) + K·noise,      E the expected score, the noise's variance ¼.

With E taken as the line that fits it best over errors of variance V (its slope, c/4 at the middle with
c = ln 10 / 400, is flatter the wider they spread), the variance follows

    V' = (1 − K·c/4 / √(1 + π/8·c²·V))² · V + K²/4

from that of newcomers' strengths. So it needs the number of games alone. It says nothing of what more games
could not mend, such as opponents who are badly rated themselves.
"""

from __future__ import annotations

from functools import cache
from math import log, pi, sqrt

from service.elo import k_factor

PRIOR_POINTS = 200.0  # standard deviation of strengths among newcomers
Z95 = 1.96
_C = log(10) / 400
_SETTLED = 600  # games after which the spread changes no more


@cache
def _variances() -> tuple[float, ...]:
    found = [PRIOR_POINTS**2]
    for games in range(_SETTLED):
        k, variance = k_factor(games), found[-1]
        slope = _C / 4 / sqrt(1 + pi / 8 * _C**2 * variance)
        found.append((1 - k * slope) ** 2 * variance + k * k / 4)
    return tuple(found)


def half_width(games: int) -> float:
    """Half the 95 % interval, in points, of a rating after so many rated games."""
    return Z95 * sqrt(_variances()[min(games, _SETTLED)])

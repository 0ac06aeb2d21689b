"""How far an online Elo rating may be off by chance, after so many games.

Near the true strength one game changes the error e of a rating (in points) to

    e' = (1 − K·c·v) · e + K·noise,      v = p·(1 − p), c = ln 10 / 400, the noise's variance v,

so its variance follows V' = (1 − K·c·v)² · V + K²·v from that of a newcomer's strength. With opponents of
one's own strength (p = ½) this needs the number of games alone. It says nothing of what more games could
not mend, such as opponents who are badly rated themselves.
"""

from __future__ import annotations

from functools import cache
from math import log, sqrt

from service.elo import k_factor

PRIOR_POINTS = 200.0  # standard deviation of strengths among newcomers
Z95 = 1.96
_VARIANCE = 0.25  # p(1 − p) among equals
_SLOPE = log(10) / 400
_SETTLED = 600  # games after which the spread changes no more


@cache
def _variances() -> tuple[float, ...]:
    found = [PRIOR_POINTS**2]
    for games in range(_SETTLED):
        k = k_factor(games)
        found.append((1 - k * _SLOPE * _VARIANCE) ** 2 * found[-1] + k * k * _VARIANCE)
    return tuple(found)


def half_width(games: int) -> float:
    """Half the 95 % interval, in points, of a rating after so many rated games."""
    return Z95 * sqrt(_variances()[min(games, _SETTLED)])

"""Online Elo in whole milli-points, by integer arithmetic alone, so that Lua in Redis gets the same bits.

A rating is an integer: 1 500 points are 1_500_000. For one game:

* **Expectation.** `expected(d)` is the logistic 1/(1 + 10^(−d/400)) in millionths: a table at each whole
  point from 0 to 1 000, the rest by linear interpolation, rounded half up; a larger difference counts as
  1 000. `expected(−d)` is 1 000 000 − `expected(d)`, exactly.
* **Sides.** A seat by itself, or a team, whose rating is the mean of its seats', rounded down.
* **Change.** For each other side a term 2K/n · (score − expectation), n the number of sides, score 1, ½ or
  0 by the placing: K · (n − 1) · (the side's share of the n(n−1)/2 pairwise points − its expected share), as
  in multielo; plain Elo for two. Each term is rounded to a whole milli-point, halves away from zero, and the
  terms are added up. Every seat of a team takes the team's expectation and its own K. A bot that holds both
  seats of a team is one player there: both its seats show the same change and it takes that once.
* **K.** 40 for a bot's first 30 rated games in the ladder, 20 afterwards; there is no lower step.
* **Sums.** Each term is the exact opposite of the other side's, so with one K and teams of one size the
  changes of a game sum to zero exactly. With different Ks (a newcomer in the game) they need not.

Every product stays below 2^53, the integers that a Lua number holds exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

START = 1_500_000
PROVISIONAL_GAMES = 30
PROVISIONAL_K = 40
SETTLED_K = 20

_MILLION = 1_000_000
_WIDEST = 1_000  # points
TABLE = tuple(round(_MILLION / (1 + 10 ** (-points / 400))) for points in range(_WIDEST + 1))


def k_factor(games: int) -> int:
    """K for a bot with so many rated games behind it."""
    return PROVISIONAL_K if games < PROVISIONAL_GAMES else SETTLED_K


def expected(diff_milli: int) -> int:
    """The expected score, in millionths, of the side that is `diff_milli` milli-points above the other."""
    if diff_milli < 0:
        return _MILLION - expected(-diff_milli)
    point, rest = divmod(diff_milli, 1000)
    if point >= _WIDEST:
        return TABLE[_WIDEST]
    return TABLE[point] + ((TABLE[point + 1] - TABLE[point]) * rest + 500) // 1000


def changes(
    ratings: Sequence[int], games: Sequence[int], placing: Sequence[int], teams: Sequence[int] | None = None
) -> tuple[int, ...]:
    """The change of each seat's rating by one game, in milli-points.

    By seat: `ratings` before the game, `games` rated before it, `placing` from 1 (equal places are ties),
    `teams` the number of its team or None where each seat plays for itself. Raises ValueError for lists
    of different lengths, fewer than two sides, or a team whose seats have different places.
    """
    return changes_by_k(ratings, [k_factor(count) for count in games], placing, teams)


def changes_by_k(
    ratings: Sequence[int], ks: Sequence[int], placing: Sequence[int], teams: Sequence[int] | None = None
) -> tuple[int, ...]:
    """`changes` with each seat's K given instead of its count of games."""
    seats = range(len(ratings))
    sides = list(seats) if teams is None else list(teams)
    if not len(ratings) == len(ks) == len(placing) == len(sides):
        raise ValueError("ratings, games, placing and teams must be of one length: one entry for each seat")
    members = {side: [seat for seat in seats if sides[seat] == side] for side in sides}
    if len(members) < 2:
        raise ValueError("a rated game needs at least two sides")
    if any(len({placing[seat] for seat in team}) > 1 for team in members.values()):
        raise ValueError("the seats of one team must share one place")
    mean = {side: sum(ratings[seat] for seat in team) // len(team) for side, team in members.items()}
    place = {side: placing[team[0]] for side, team in members.items()}
    return tuple(
        sum(
            _term(ks[seat], mean[side] - mean[other], place[other] - place[side], len(members))
            for other in members
            if other != side
        )
        for seat, side in enumerate(sides)
    )


def _term(k: int, diff_milli: int, margin: int, sides: int) -> int:
    """What one other side contributes; `margin` is positive for a win, negative for a loss."""
    score = _MILLION if margin > 0 else 0 if margin < 0 else _MILLION // 2
    return _rounded(2 * k * (score - expected(diff_milli)), 1000 * sides)


def _rounded(numerator: int, denominator: int) -> int:
    """The quotient as a whole number, halves away from zero."""
    magnitude = (2 * abs(numerator) + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude

"""What a series of matches says about its bots: scores with their intervals, times, faults."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist, quantiles
from typing import Any

Z = NormalDist().inv_cdf(0.975)  # intervals hold in 95 of 100 cases


@dataclass(slots=True)
class Score:
    """One bot's results: what it got of each match, from 0 (last) to 1 (first alone)."""

    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    gained: float = 0.0
    game_points: int = 0
    charged_us: list[int] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    first_faults: dict[str, str] = field(default_factory=dict)  # the first detail of each reason

    def add(self, place: int, opponents: list[int], game_points: int) -> None:
        """Count a match in which the bot's place was `place` and its opponents' the others."""
        share = sum(1.0 if place < other else 0.5 * (place == other) for other in opponents) / len(opponents)
        self.played += 1
        self.gained += share
        self.game_points += game_points
        tied = place == 1 and 1 in opponents
        self.won += place == 1 and not tied
        self.drawn += tied
        self.lost += place > 1

    @property
    def mean(self) -> float:
        return self.gained / self.played

    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the mean; draws make it a little wider than it need be."""
        n, p = self.played, self.mean
        middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z / (1 + Z * Z / n) * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def percentiles_ms(self) -> tuple[float, float, float] | None:
        """The median, the 95th percentile and the most that a turn was charged."""
        if len(self.charged_us) < 2:
            return None
        cuts = quantiles(self.charged_us, n=100, method="inclusive")
        return cuts[49] / 1000, cuts[94] / 1000, max(self.charged_us) / 1000


def elo(score: float) -> float | None:
    """The rating difference at which `score` is expected; None at its ends."""
    return None if score in (0.0, 1.0) else 400 * math.log10(score / (1 - score))


def add_record(scores: Mapping[str, Score], record: Mapping[str, Any]) -> None:
    """Count a match for each bot in it, once, and its times and faults; `scores` by bot id."""
    players, placing = record["header"]["players"], record["result"]["placing"]
    points = record["result"]["points"] or [0] * len(players)
    first_seats = {player["bot"]: player["seat"] for player in reversed(players)}
    for bot, seat in first_seats.items():
        opponents = [placing[p["seat"]] for p in players if p["bot"] != bot]
        scores[bot].add(placing[seat], opponents, points[seat])
    for event in record["events"]:
        if event["type"] == "move":
            scores[players[event["seat"]]["bot"]].charged_us.append(event["charged_us"])
        elif event["type"] == "fault":
            score = scores[players[event["seat"]]["bot"]]
            score.faults[event["reason"]] += 1
            score.first_faults.setdefault(event["reason"], event["detail"])

"""Reasons, results and times in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

REASONS: Mapping[str, str] = {
    "line": "a line of five",
    "opponent-line": "the opponent completed the line",
    "repetition": "the third visit of a position",
    "ply-limit": "the limit on moves",
    "all-home": "all pawns home",
    "turn-limit": "the limit on turns",
    "deals-played": "all deals played",
    "last-standing": "the last one left",
    "illegal-move": "an illegal move",
    "malformed-reply": "a malformed reply",
    "timeout": "time ran out",
    "unreachable": "a bot could not be reached",
    "http-error": "a bot answered with an HTTP error",
    "too-large": "a reply was too large",
    "resigned": "resignation",
    "no-show": "a bot did not come",
}
RULES: Mapping[str, str] = {
    "line": "Q12",
    "opponent-line": "Q13",
    "repetition": "Q15",
    "ply-limit": "Q15",
    "all-home": "S13",
    "turn-limit": "S30",
    "deals-played": "S29",
}


_TIE_BREAKS = {"sonneborn-berger": "Sonneborn–Berger", "buchholz": "Buchholz"}


def tie_break(name: str) -> str:
    """A tie-break's name for a table's head."""
    return _TIE_BREAKS.get(name, name.replace("-", " "))


def figure(value: float) -> str:
    """A number with at most two decimals, none that are zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def reason(name: str) -> str:
    """A reason of the engines, the referee or the service in words."""
    return REASONS.get(name, name.replace("-", " "))


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th …"""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def duration(us: int) -> str:
    """What a turn took: 0.84 ms, 35 ms, 1.24 s, 2:05."""
    if us < 10_000:
        return f"{us / 1000:.2f} ms"
    if us < 1_000_000:
        return f"{us / 1000:.0f} ms"
    if us < 60_000_000:
        return f"{us / 1_000_000:.2f} s"
    return clock(us // 1000)


def clock(ms: int, periods: int = 0, period_ms: int = 0) -> str:
    """What is left on a clock: 1:05, 0:08.4 below ten seconds, 0:30 × 3 where only periods are left."""
    if ms <= 0 and periods:
        return f"{clock(period_ms)} × {periods}"
    seconds, rest = divmod(max(ms, 0), 1000)
    minutes, seconds = divmod(seconds, 60)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    tenths = f".{rest // 100}" if minutes == 0 and seconds < 10 else ""
    return f"{minutes}:{seconds:02}{tenths}"


def control(clock_json: Mapping[str, Any]) -> str:
    """A time control in a few words: "1:00 + 1 s a move"."""
    base = clock(clock_json["base_ms"])
    by_kind = {
        "fischer": f"{base} + {seconds(clock_json['increment_ms'])} a move",
        "delay": f"{base}, {seconds(clock_json['delay_ms'])} delay",
        "bronstein": f"{base}, {seconds(clock_json['delay_ms'])} Bronstein",
        "byoyomi": f"{base}, then {clock_json['periods']} × {seconds(clock_json['period_ms'])}",
        "per_move": f"{seconds(clock_json['base_ms'])} a move",
    }
    return by_kind[clock_json["control"]]


def seconds(ms: int) -> str:
    return f"{ms / 1000:g} s"


def ending(result: Mapping[str, Any]) -> str:
    """How a match ended, to follow the winners' names if somebody won: "won: a line of five"."""
    how = {"void": "No result", "drawn": "Drawn"}.get(result["outcome"], "won")
    return f"{how}: {reason(result['reason'])}"


def placed(placing: Sequence[int], bots: Sequence[str], teams: bool) -> tuple[list[str], str]:
    """How a game of a schedule ended: whom it is said of, and what. `placing` and `bots` go by seat."""
    first = list(dict.fromkeys(bot for bot, place in zip(bots, placing, strict=True) if place == 1))
    if len(first) == len(set(bots)):
        return [], "drawn"
    if len(first) == 1 or teams:
        return first, "won"
    return first, "share the first place"


def winners(result: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The names (by seat) of those who won, each once; nobody's where nobody did."""
    if result["outcome"] != "decided":
        return []
    return list(
        dict.fromkeys(name for name, place in zip(names, result["placing"], strict=True) if place == 1)
    )

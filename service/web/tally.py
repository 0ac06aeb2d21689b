"""What a bot's matches come to: against whom, from which seat, under which version, with which faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from service.models import Match, Player


@dataclass(slots=True)
class Score:
    """Games won, drawn and lost; ahead, level and behind where there are several opponents."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    def add(self, own: int, best_other: int) -> None:
        """Count a game by one's own place and the other's (or the best of the others')."""
        if own < best_other:
            self.won += 1
        elif own == best_other:
            self.drawn += 1
        else:
            self.lost += 1

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the bot's in a match."""

    match: str
    turn: int
    reason: str


@dataclass(slots=True)
class Tally:
    """The tally of one bot over some matches, the newest first. Opponents and versions by id and name."""

    total: Score = field(default_factory=Score)
    opponents: dict[str, Score] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    seats: dict[int, Score] = field(default_factory=dict)
    versions: dict[str, Score] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Faults by reason, the most frequent first."""
        return Counter(fault.reason for fault in self.faults).most_common()

    @property
    def by_opponent(self) -> list[tuple[str, Score]]:
        """Opponents, the one met most often first."""
        return sorted(self.opponents.items(), key=lambda item: -item[1].games)


def tally_of(bot: str, matches: Iterable[Match]) -> Tally:
    """Count the finished ones among `matches`."""
    tally = Tally()
    for match in matches:
        if match.result is not None and match.result["outcome"] != "void":
            _count(tally, bot, match, match.result["placing"])
            _note_faults(tally, bot, match)
    return tally


def _count(tally: Tally, bot: str, match: Match, placing: list[int]) -> None:
    own = next(player for player in match.players if player.bot == bot)
    others = [p for p in match.players if _against(own, p)]
    if not others:
        return
    place = placing[own.seat]
    best = min(placing[p.seat] for p in others)
    tally.total.add(place, best)
    tally.seats.setdefault(own.seat, Score()).add(place, best)
    tally.versions.setdefault(own.version, Score()).add(place, best)
    for other in {p.bot: p for p in others}.values():
        tally.names.setdefault(other.bot, other.name)
        tally.opponents.setdefault(other.bot, Score()).add(place, placing[other.seat])


def _against(own: Player, other: Player) -> bool:
    """Whether `other` plays against `own`."""
    return other.bot != own.bot and (own.team is None or other.team != own.team)


def _note_faults(tally: Tally, bot: str, match: Match) -> None:
    result: Mapping[str, object] = match.result or {}
    faults = result.get("faults")
    for fault in faults if isinstance(faults, list) else []:
        if match.players[fault["seat"]].bot == bot:
            tally.faults.append(Fault(match.id, fault["turn"], fault["reason"]))

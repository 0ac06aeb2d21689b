"""Tournaments in which nobody is to know who plays, until the end.

An entrant has a name drawn from the tournament's secret seed, and an id that looks like a bot's and is none.
Its owner sees who his own are, the host who all are. The games are unrated, since ratings would tell; they
stand in no bot's list of matches, and their records, which name the players, wait for the end.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from service.ids import id_from
from service.models import Bot, Match, Player, Tournament
from service.store.tournaments import OVER

WHY_UNRATED = "played under pseudonyms"


@dataclass(frozen=True, slots=True)
class Alias:
    """What an entrant is called until the end."""

    id: str  # in the form of a bot's id
    name: str

    @property
    def owner(self) -> str:
        """In the form of an owner's id."""
        return "o" + self.id[1:]


def in_force(tournament: Tournament) -> bool:
    """Whether the entrants go by pseudonyms now."""
    return bool(tournament.settings.get("pseudonyms")) and tournament.state not in OVER


def aliases(tournament: Tournament) -> tuple[Alias, ...]:
    """By entrant; the names are numbered in an order that the secret seed draws."""
    seed = bytes.fromhex(tournament.seed)
    ids = [
        id_from("b", hmac.digest(seed, f"pseudonym {entrant['bot']}".encode(), "sha256"))
        for entrant in tournament.entrants
    ]
    number = {own: at for at, own in enumerate(sorted(ids), start=1)}
    return tuple(Alias(own, f"Entrant {number[own]}") for own in ids)


def masked(tournament: Tournament, owns: Callable[[str], bool]) -> Tournament:
    """A tournament as somebody may see it who owns what `owns` says."""
    if not in_force(tournament) or owns(tournament.owner):
        return tournament
    entrants = [
        entrant if owns(entrant["owner"]) else _masked_entrant(entrant, alias)
        for entrant, alias in zip(tournament.entrants, aliases(tournament), strict=True)
    ]
    return replace(tournament, entrants=tuple(entrants))


def _masked_entrant(entrant: Mapping[str, Any], alias: Alias) -> dict[str, Any]:
    kept = {name: value for name, value in entrant.items() if not name.startswith("partner")}
    return {**kept, "bot": alias.id, "name": alias.name, "version": "", "owner": alias.owner}


def as_alias(bot: Bot, alias: Alias) -> Bot:
    """A bot as a match names it: its id stays, for the match is played with it."""
    return replace(bot, name=alias.name, version="")


def shown(match: Match, tournament: Tournament, owns: Callable[[str], bool]) -> Match:
    """A match with aliases as somebody may see it; once the tournament is over, with the real names."""
    if in_force(tournament) and not owns(tournament.owner):
        players = (p if owns(p.owner) else _alias_of(match, p) for p in match.players)
    else:
        players = (_unmasked(tournament, p) for p in match.players)
    return replace(match, players=tuple(players))


def _alias_of(match: Match, player: Player) -> Player:
    alias = Alias(match.aliases[player.seat], player.name)
    return replace(player, bot=alias.id, owner=alias.owner)


def _unmasked(tournament: Tournament, player: Player) -> Player:
    for entrant in tournament.entrants:
        for role in ("", "partner_"):
            if entrant.get("partner" if role else "bot") == player.bot:
                return replace(player, name=entrant[f"{role}name"], version=entrant[f"{role}version"])
    return player


def told(match: Match, players: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The players as the bots are told of them at the start."""
    if not match.aliases:
        return [dict(player) for player in players]
    return [{**player, "bot": match.aliases[player["seat"]]} for player in players]

"""Starts a tournament: from then on its entrants, their versions and its schedule are fixed."""

from __future__ import annotations

from engines.errors import BadOption
from service.competition import bots_of, schedule_of
from service.errors import Conflict, Refused
from service.models import Bot, BotState, Tournament
from service.store import Store


def begin(store: Store, tournament: Tournament, most_games: int) -> Tournament:
    """Start a tournament that has not begun.

    Bots that were retired meanwhile are out; the others' names and versions are written down as they are now.
    Raises Conflict `too-few-entrants`, `stale`; Refused `quota`, `invalid`.
    """
    fixed = _with_entrants_as_they_are(store, tournament)
    return store.tournaments.start(fixed.id, games_in(fixed, most_games), fixed.revision)


def games_in(tournament: Tournament, most: int) -> int:
    """How many games its schedule has; raises Conflict or Refused where it has none, or more than `most`."""
    entrants = len(tournament.entrants)
    if entrants < 2:
        raise Conflict(
            "too-few-entrants", f"A tournament needs at least two entrants; this one has {entrants}."
        )
    try:
        count = schedule_of(tournament).count
    except BadOption as error:
        detail = f"This schedule cannot be made: {error}."
        if error.field in ("entrants", "challengers"):
            raise Conflict("too-few-entrants", detail) from None
        raise Refused("invalid", detail) from None
    if count > most:
        raise Refused("quota", f"The schedule has {count} games; at most {most} are allowed.")
    return count


def _with_entrants_as_they_are(store: Store, tournament: Tournament) -> Tournament:
    ids = [bot for entrant in tournament.entrants for bot in bots_of(entrant)]
    bots = dict(zip(ids, store.bots.get_many(ids), strict=True))
    changed = tournament
    for entrant in tournament.entrants:
        own = [bots[bot] for bot in bots_of(entrant)]
        playing = [bot for bot in own if bot is not None and bot.state is not BotState.RETIRED]
        if len(playing) < len(own):
            changed = store.tournaments.withdraw(tournament.id, entrant["bot"])
        elif (now := {**entrant, **described(playing)}) != entrant:
            changed = store.tournaments.renew(tournament.id, now)
    return changed


def described(bots: list[Bot]) -> dict[str, str]:
    """What an entrant says of its bot (of both, where a team has two)."""
    members = {"name": bots[0].name, "version": bots[0].version}
    if len(bots) > 1:
        members |= {"partner_name": bots[1].name, "partner_version": bots[1].version}
    return members

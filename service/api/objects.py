"""Objects named in addresses, and whether the asker may know of them: what is not his answers 404."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from service.api.auth import caller
from service.api.context import store
from service.errors import Conflict, NotFound
from service.models import Bot, Match, Tournament
from service.pseudonyms import in_force, masked, shown
from service.revealing import withheld


def owns(owner_id: str) -> bool:
    """Whether the asker is that owner, or passes as the owner of everything."""
    who = caller()
    return who is not None and (who.admin or who.owner.id == owner_id)


def viewer() -> str | None:
    """Whose private things a list may show: an owner's id, nobody's (""), everybody's (None)."""
    who = caller()
    if who is None:
        return ""
    return None if who.admin else who.owner.id


def owner_named(text: str | None) -> str | None:
    """The owner of a filter; `me` is the asker."""
    return asker_id() if text == "me" else text


def asker_id() -> str:
    """The asker's id, "" without a key."""
    who = caller()
    return who.owner.id if who else ""


def seen_bot(bot_id: str) -> Bot:
    """A bot that the asker may see; raises NotFound."""
    bot = store().bots.get(bot_id)
    if bot.private and not owns(bot.owner):
        raise missing("bot", bot_id)
    return bot


def own_bot(bot_id: str) -> Bot:
    """A bot of the asker's; raises NotFound."""
    bot = store().bots.get(bot_id)
    if not owns(bot.owner):
        raise NotFound("not-found", f"You have no bot {bot_id}; GET /v1/bots?owner=me lists yours.")
    return bot


def concerns(match: Match) -> bool:
    """Whether the asker plays in a match or has asked for it."""
    return any(owns(owner) for owner in {match.requested_by, *(p.owner for p in match.players)})


def seen_match(match_id: str) -> Match:
    """A match that the asker may see; raises NotFound."""
    match = store().matches.get(match_id)
    if not may_see(match):
        raise missing("match", match_id)
    return next(iter(named([match])))


def may_see(match: Match) -> bool:
    """Whether the asker may see a match."""
    return not match.private or concerns(match)


def named(matches: Iterable[Match]) -> Iterator[Match]:
    """Matches as the asker may see them: with pseudonyms where these are in force."""
    contests: dict[str, Tournament] = {}
    for match in matches:
        if match.aliases and match.tournament is not None:
            if match.tournament not in contests:
                contests[match.tournament] = store().tournaments.get(match.tournament)
            yield shown(match, contests[match.tournament], owns)
        else:
            yield match


def check_revealed(match: Match) -> None:
    """Raise Conflict while the match's deck, or its players, must not be known."""
    if match.aliases and in_force(store().tournaments.get(match.tournament or "")):
        raise Conflict("record-withheld", "The record names the players; it is there after the tournament.")
    if withheld(store(), match):
        raise Conflict(
            "record-withheld",
            f"{match.id}'s deck is played with in other games of its set; wait until they are over",
        )


def own_match(match_id: str) -> Match:
    """A match that the asker has asked for; raises NotFound."""
    match = store().matches.get(match_id)
    if not owns(match.requested_by):
        raise NotFound("not-found", f"You have not asked for a match {match_id}.")
    return match


def seen_tournament(tournament_id: str) -> Tournament:
    """A tournament that the asker may see; raises NotFound."""
    tournament = store().tournaments.get(tournament_id)
    if tournament.settings.get("private") and not owns(tournament.owner) and not _entered(tournament):
        raise missing("tournament", tournament_id)
    return masked(tournament, owns)


def own_tournament(tournament_id: str) -> Tournament:
    """A tournament of the asker's; raises NotFound."""
    tournament = store().tournaments.get(tournament_id)
    if not owns(tournament.owner):
        raise NotFound(
            "not-found", f"You have no tournament {tournament_id}; GET /v1/tournaments?owner=me lists yours."
        )
    return tournament


def _entered(tournament: Tournament) -> bool:
    return any(owns(entrant["owner"]) for entrant in tournament.entrants)


def missing(kind: str, subject: str) -> NotFound:
    """The answer for what is not there and for what the asker may not know of."""
    return NotFound("not-found", f"there is no {kind} {subject!r}")

"""A tournament's entrants: who is in, entering, withdrawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import jobs, now_ms, store
from service.api.errors import ApiError
from service.api.objects import owns, seen_tournament
from service.api.once import once
from service.api.schemas.tournaments import EntrantListSchema, EntrantSchema, EntrySchema
from service.api.tournaments import may
from service.competition import game_of
from service.errors import NotFound
from service.matches import check_plays, check_ready, takes_challenge
from service.models import Bot, Tournament, TournamentState
from service.starting import described
from service.store import Once
from service.tournaments.life import Action
from service.tournaments.pairing import Partners

entrants = Blueprint(
    "entrants", __name__, url_prefix="/v1/tournaments", description="Who takes part in a tournament."
)


@entrants.route("/<tournament_id>/entrants")
@entrants.response(200, EntrantListSchema)
def list_entrants(tournament_id: str) -> Any:
    """List a tournament's entrants"""
    return {"items": seen_tournament(tournament_id).entrants}


@entrants.route("/<tournament_id>/entrants", methods=["POST"])
@entrants.arguments(EntrySchema)
@entrants.response(201, EntrantSchema)
@marked("takes_once")
def enter(wanted: dict[str, Any], tournament_id: str) -> Any:
    """Enter a bot, or a team of two

    Your own while entry is open. As the tournament's owner anybody's that is public and takes your challenges
    (its `challenges`), in a draft too, whatever `entry` says. Its owner need not agree but may withdraw it.
    """
    tournament, seen = seen_tournament(tournament_id), once()
    return store().tournaments.entered_before(tournament_id, seen) or _entered(tournament, wanted, seen), 201


def _entered(tournament: Tournament, wanted: dict[str, Any], seen: Once | None) -> Mapping[str, Any]:
    bots = [_entering(tournament, wanted["bot"], "bot")]
    if wanted["partner"] is not None:
        bots.append(_partner(tournament, wanted))
    may(tournament, Action.ENTER)
    entrant = {
        "bot": bots[0].id,
        **described(bots),
        **({"partner": bots[1].id} if len(bots) > 1 else {}),
        "owner": bots[0].owner,
        "entered_at": now_ms(),
        "withdrawn_at": None,
        "withdrawn_reason": None,
    }
    return store().tournaments.enter(tournament.id, entrant, tournament.settings["max_entrants"], seen)


def _partner(tournament: Tournament, wanted: dict[str, Any]) -> Bot:
    """The second bot of a team; raises ApiError, Refused or Conflict."""
    if tournament.settings["partners"] != Partners.FIXED:
        detail = "only where partners are fixed does a team of two bots enter"
        raise ApiError("invalid", f"partner: {detail}.", (("partner", detail),))
    if wanted["partner"] == wanted["bot"]:
        detail = "is the same bot: leave it out, and one bot holds both seats"
        raise ApiError("invalid", f"partner: {detail}.", (("partner", detail),))
    return _entering(tournament, wanted["partner"], "partner")


def _entering(tournament: Tournament, bot_id: str, field: str) -> Bot:
    """The bot, if the asker may enter it; raises ApiError, Refused or Conflict."""
    bot = store().bots.get_many([bot_id])[0]
    if bot is None or (bot.private and not owns(bot.owner)):
        detail = f"there is no bot {bot_id}"
        raise ApiError("unknown-bot", f"{field}: {detail}.", ((field, detail),))
    hosts = owns(tournament.owner)
    if not hosts and not owns(bot.owner):
        raise ApiError(
            "unknown-bot", f"You have no bot {bot_id}; enter one of your own.", ((field, "is not yours"),)
        )
    if not hosts:
        _check_entry(tournament)
    elif not owns(bot.owner) and not takes_challenge(bot, asker().owner.id):
        raise ApiError(
            "challenge-refused", f"{bot.name} takes no challenge from you; ask its owner to enter it."
        )
    check_plays(bot, game_of(tournament), field)
    check_ready(bot, field)
    if bot.private and not tournament.settings["private"]:
        raise ApiError("invalid", f"{bot.name} is private and plays in private tournaments only.")
    return bot


def _check_entry(tournament: Tournament) -> None:
    """Raise ApiError unless owners may enter their bots now."""
    closes = tournament.settings["entries_close_at"]
    if tournament.settings["entry"] == "invitation":
        raise ApiError(
            "entry-closed", "Entry is by invitation: ask the tournament's owner to enter your bot."
        )
    if tournament.state is TournamentState.DRAFT or (closes is not None and now_ms() > closes):
        raise ApiError("entry-closed", "Entry is not open.")


@entrants.route("/<tournament_id>/entrants/<bot_id>", methods=["DELETE"])
@entrants.response(204)
def withdraw(tournament_id: str, bot_id: str) -> None:
    """Withdraw a bot

    Before the start it is as if it had never entered. Later its results are annulled if it has played less
    than half of its games; otherwise they stand and the rest are forfeited.
    """
    tournament = seen_tournament(tournament_id)
    entrant = next((e for e in tournament.entrants if e["bot"] == bot_id), None)
    if entrant is None or not (owns(entrant["owner"]) or owns(tournament.owner)):
        raise NotFound("not-found", f"no bot {bot_id} of yours has entered {tournament_id}")
    action = Action.LEAVE if tournament.started_at is None else Action.WITHDRAW
    may(tournament, action)
    store().tournaments.withdraw(tournament_id, bot_id)
    jobs().coordinate(tournament_id)

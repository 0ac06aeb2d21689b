"""Matches: ask for them, read them, cancel them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import jsonify

from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import jobs, now_ms, settings, store
from service.api.errors import ApiError
from service.api.objects import (
    asker_id,
    check_revealed,
    named,
    own_match,
    owner_named,
    owns,
    seen_match,
    viewer,
)
from service.api.once import once
from service.api.paging import page
from service.api.schemas.games import control_from, options_from
from service.api.schemas.lists import page_of
from service.api.schemas.matches import (
    EventsQuery,
    EventsSchema,
    MatchesMadeSchema,
    MatchQuery,
    MatchRequestSchema,
    MatchSchema,
    RecordSchema,
)
from service.api.streams import EVENT_STREAM, Feed, Numbered, answer, hubs
from service.dispatch import dispatch
from service.errors import NotFound
from service.matches import Order, check, check_polls, check_seats, make_matches
from service.models import Bot, Match, MatchState
from service.records import events_for, record_of
from service.store import MatchFilter, Once

matches = Blueprint("matches", __name__, url_prefix="/v1/matches", description="Games between bots.")

OVER = (MatchState.FINISHED, MatchState.VOID, MatchState.CANCELLED)


@matches.route("", methods=["POST"])
@matches.arguments(MatchRequestSchema)
@matches.response(201, MatchesMadeSchema)
@marked("takes_once")
def create(wanted: dict[str, Any]) -> Any:
    """Ask for matches

    One, or `count` of them between the same bots. They are played as soon as the bots and a worker are free.
    """
    seen = once()
    made = store().matches.made_before(wanted["game"].name, seen) or _made(wanted, seen)
    dispatch(store(), jobs())
    return {"items": made}, 201, {"Location": f"/v1/matches/{made[0].id}"}


def _made(wanted: dict[str, Any], seen: Once | None) -> list[Match]:
    order = _order(wanted)
    check(order, asker().owner)
    for seat, bot in enumerate(order.bots):
        check_polls(bot, now_ms(), f"bots.{seat}")
    _check_challenges(order)
    [played] = store().matches.rated_today(order.game.name, [[bot.id for bot in order.bots]])
    drafts = make_matches(order, now_ms(), max(0, settings().rated_per_pair_day - played))
    return store().matches.create(drafts, settings().open_matches_per_owner, seen)


def _order(wanted: dict[str, Any]) -> Order:
    game = wanted["game"]
    check_seats(game, len(wanted["bots"]))
    return Order(
        game=game,
        bots=named_bots(wanted["bots"]),
        options=options_from(game, wanted["options"]),
        control=control_from(wanted["clock"], settings().allowance_ms),
        requested_by=asker().owner.id,
        opening_plies=wanted["opening"],
        attempts=wanted["attempts"],
        rated=wanted["rated"],
        count=wanted["count"],
        duplicate=wanted["duplicate"],
    )


def named_bots(ids: list[str]) -> tuple[Bot, ...]:
    """The bots that a request names; raises ApiError with all that are unknown (or not to be known of)."""
    found = store().bots.get_many(ids)
    unknown = [
        (f"bots.{seat}", f"there is no bot {ids[seat]}")
        for seat, bot in enumerate(found)
        if bot is None or (bot.private and not owns(bot.owner))
    ]
    if unknown:
        raise ApiError("unknown-bot", f"{unknown[0][0]}: {unknown[0][1]}.", tuple(unknown))
    return tuple(bot for bot in found if bot is not None)


def _check_challenges(order: Order) -> None:
    """Raise ApiError if a bot has taken all the challenges of the day that its owner allows."""
    for seat, bot in enumerate(order.bots):
        if bot.challenges_per_day is None or owns(bot.owner):
            continue
        if store().matches.challenged_today(bot.id) + order.count > bot.challenges_per_day:
            detail = f"{bot.name} takes {bot.challenges_per_day} challenges a day"
            raise ApiError(
                "challenges-used-up", f"{detail}; try after 00:00 UTC.", ((f"bots.{seat}", detail),)
            )


@matches.route("")
@matches.arguments(MatchQuery, location="query")
@matches.response(200, page_of(MatchSchema))
def list_matches(query: dict[str, Any]) -> Any:
    """List matches

    Newest first; private ones are there for those concerned only.
    """
    wanted = MatchFilter(
        game=query["game"],
        bot=query["bot"],
        owner=owner_named(query["owner"]),
        state=query["state"],
        tournament=query["tournament"],
        since=query["from_"],
        until=None if query["to"] is None else query["to"] - 1,
        viewer=viewer(),
    )
    found = store().matches.list(wanted, query["cursor"], query["limit"])
    return page(found, named(found.items))


@matches.route("/<match_id>")
@matches.response(200, MatchSchema)
def read(match_id: str) -> Match:
    """Read a match"""
    return seen_match(match_id)


@matches.route("/<match_id>/cancel", methods=["POST"])
@matches.response(200, MatchSchema)
def cancel(match_id: str) -> Match:
    """Cancel a match

    Only one that is still queued; a tournament's matches are its owner's business.
    """
    match = own_match(match_id)
    if match.tournament is not None:
        raise ApiError("wrong-state", "This match belongs to a tournament; pause or cancel that.")
    if match.state is MatchState.CANCELLED:
        return match
    return store().matches.cancel(match_id)


@matches.route("/<match_id>/events")
@matches.arguments(EventsQuery, location="query")
@matches.response(200, EventsSchema)
@matches.alt_response(200, content_type=EVENT_STREAM, schema={"type": "string"}, success=True)
def events(query: dict[str, Any], match_id: str) -> Any:
    """Follow a match

    Its events in pages, with `wait` as a long poll; with `Accept: text/event-stream` as they happen. The
    receipts of your own bots' turns are in them.
    """
    match, owner = seen_match(match_id), asker_id()

    def wait(after: int, wait_ms: int) -> Numbered[int]:
        found = hubs().matches.wait(match_id, after, wait_ms)
        shown = events_for(match, [event for _, event in found], owner)
        return [(number, event) for (number, _), event in zip(found, shown, strict=True)]

    def over(after: int) -> bool:
        return store().matches.get(match_id).state in OVER

    return answer(Feed(wait, over, int, _is_last), query)


def _is_last(event: Mapping[str, Any]) -> bool:
    return bool(event["type"] == "finished")


@matches.route("/<match_id>/record")
@matches.response(200, RecordSchema)
@matches.alt_response(409, response="CONFLICT")
def record(match_id: str) -> Any:
    """The record of a match

    Once it is over: everything that is needed to check it (`arbiter verify`): header, events, seed, result,
    hash chain. The receipts of your own bots' turns are in it.
    """
    match = seen_match(match_id)
    if match.result is None:
        raise ApiError("match-not-over", f"{match_id} is {match.state}; its record is there once it is over.")
    check_revealed(match)
    kept = store().matches.record(match_id)
    if not kept:
        raise NotFound(
            "not-found", f"The record of {match_id} has been deleted by its age; its result stays."
        )
    as_played = store().matches.get(match_id)  # under the names that the hash chain has
    return jsonify(record_of(as_played, kept, asker_id()))

"""Ladders: everybody's ratings, one bot's, and its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flask import jsonify

from engines.registry import GAMES
from service.api.blueprint import Blueprint
from service.api.context import store
from service.api.objects import owns, seen_bot
from service.api.paging import page
from service.api.schemas.lists import NumberedQuery, page_of
from service.api.schemas.ratings import LadderListSchema, RatingChangeSchema, RatingSchema
from service.errors import NotFound
from service.models import Rating

ratings = Blueprint("ratings", __name__, url_prefix="/v1/ratings", description="Elo, a ladder per game.")


@ratings.route("")
@ratings.response(200, LadderListSchema)
def list_ladders() -> Any:
    """List the ladders"""
    return {"items": [{"ladder": game.name, "title": game.title} for game in GAMES.values()]}


def _check(ladder: str) -> None:
    if ladder not in GAMES:
        raise NotFound("not-found", f"There is no ladder {ladder!r}; there are: {', '.join(GAMES)}.")


@ratings.route("/<ladder>")
@ratings.arguments(NumberedQuery, location="query")
@ratings.response(200, page_of(RatingSchema))
def table(query: dict[str, Any], ladder: str) -> Any:
    """A ladder's table

    By rating, highest first. Only bots with a rated game are in it.
    """
    _check(ladder)
    found = store().ratings.table(ladder, query["cursor"], query["limit"])
    body, _, headers = page(found, _lines(found.items))
    return jsonify(body), headers  # as its schema has it: the largest page there is, and often asked for


def _lines(listed: Sequence[Rating]) -> Iterator[dict[str, Any]]:
    labels = store().bots.labels([rating.bot for rating in listed])
    for rating, label in zip(listed, labels, strict=True):
        hidden = label is None or (label.private and not owns(label.owner))
        yield _line(rating, "(private)" if label is None or hidden else label.name)


def _line(rating: Rating, name: str) -> dict[str, Any]:
    return {
        "rank": rating.rank,
        "bot": rating.bot,
        "name": name,
        "rating": rating.rating / 1000,
        "rating_milli": rating.rating,
        "games": rating.games,
        "wins": rating.wins,
        "draws": rating.draws,
        "losses": rating.losses,
        "provisional": rating.provisional,
    }


@ratings.route("/<ladder>/<bot_id>")
@ratings.response(200, RatingSchema)
def read(ladder: str, bot_id: str) -> Any:
    """A bot's rating"""
    _check(ladder)
    bot = seen_bot(bot_id)
    return _line(store().ratings.get(ladder, bot_id), bot.name)


@ratings.route("/<ladder>/<bot_id>/history")
@ratings.arguments(NumberedQuery, location="query")
@ratings.response(200, page_of(RatingChangeSchema))
def history(query: dict[str, Any], ladder: str, bot_id: str) -> Any:
    """A bot's rating history

    A line a rated match, newest first.
    """
    _check(ladder)
    seen_bot(bot_id)
    return page(store().ratings.history(ladder, bot_id, query["cursor"], query["limit"]))

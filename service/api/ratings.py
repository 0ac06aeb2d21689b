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
from service.api.schemas.ratings import (
    FitSchema,
    LadderListSchema,
    RatingChangeSchema,
    RatingSchema,
    SuperiorityQuery,
    SuperioritySchema,
)
from service.errors import Conflict, NotFound
from service.fitting import compare
from service.models import Rating
from service.store.fits import NOTHING_FITTED, FitLine

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
    body, _, headers = page(found, _lines(ladder, found.items))
    return jsonify(body), headers  # as its schema has it: the largest page there is, and often asked for


def _lines(ladder: str, listed: Sequence[Rating]) -> Iterator[dict[str, Any]]:
    labels = store().bots.labels([rating.bot for rating in listed])
    fits = store().fits.lines(ladder, [(rating.bot, rating.version) for rating in listed])
    for rating, label, fit in zip(listed, labels, fits, strict=True):
        hidden = label is None or (label.private and not owns(label.owner))
        yield _line(rating, "(private)" if label is None or hidden else label.name, fit)


def _line(rating: Rating, name: str, fit: FitLine | None) -> dict[str, Any]:
    return {
        "rank": rating.rank,
        "bot": rating.bot,
        "name": name,
        "version": rating.version,
        "rating": rating.rating / 1000,
        "rating_milli": rating.rating,
        "games": rating.games,
        "wins": rating.wins,
        "draws": rating.draws,
        "losses": rating.losses,
        "provisional": rating.provisional,
        "fit": fit and round(fit.rating, 1),
        "interval": fit and [round(fit.rating - fit.half_width, 1), round(fit.rating + fit.half_width, 1)],
        "opponents": fit and fit.opponents,
        "pool": fit and fit.pool,
    }


@ratings.route("/<ladder>/fit")
@ratings.response(200, FitSchema)
def read_fit(ladder: str) -> Any:
    """The fit of a ladder

    Ratings by maximum likelihood from all rated games at once, in whatever order they came: Davidson's model
    for two sides, Luce's for more. Made by a job of its own whenever the ledger has grown.
    """
    _check(ladder)
    report = store().fits.report(ladder) or NOTHING_FITTED
    pools = [
        {"pool": number, "lines": n, "finite": finite} for number, (n, finite) in enumerate(report.pools)
    ]
    return {
        "ladder": ladder,
        "ledger": report.ledger,
        "behind": max(0, store().ledger.length(ladder) - report.ledger),
        "at": report.at or None,
        "took_ms": report.took_ms,
        "games": report.games,
        "lines": report.lines,
        "left_out": report.left_out,
        "first_seat": report.first_seat and report.first_seat[0],
        "first_seat_half_width": report.first_seat and report.first_seat[1],
        "draw": report.draw,
        "pools": pools,
    }


@ratings.route("/<ladder>/superiority")
@ratings.arguments(SuperiorityQuery, location="query")
@ratings.response(200, SuperioritySchema)
def superiority(query: dict[str, Any], ladder: str) -> Any:
    """Which of two bots is the stronger

    How far the first is above the second by the fit of all rated games, with a 95 % interval, and the
    likelihood that it is the stronger one. Two bots that no games connect cannot be compared.
    """
    _check(ladder)
    bots = [seen_bot(query[name]) for name in ("bot", "other")]
    lines = [store().ratings.get(ladder, bot.id) for bot in bots]
    one, other = store().fits.lines(ladder, [(line.bot, line.version) for line in lines])
    if one is None or other is None:
        raise NotFound(
            "not-found", "The ladder has not been fitted since both had a rated game; ask again soon."
        )
    if one.pool != other.pool:
        raise Conflict(
            "not-comparable",
            f"No games connect {bots[0].name} and {bots[1].name}, not even over others: "
            "their ratings cannot be compared",
        )
    gap, likelihood = compare(store(), ladder, one, other)
    return {
        "ladder": ladder,
        "bot": bots[0].id,
        "other": bots[1].id,
        "difference": round(gap.points, 1),
        "interval": [round(gap.low, 1), round(gap.high, 1)],
        "superiority": round(likelihood, 4),
    }


@ratings.route("/<ladder>/<bot_id>")
@ratings.response(200, RatingSchema)
def read(ladder: str, bot_id: str) -> Any:
    """A bot's rating"""
    _check(ladder)
    bot = seen_bot(bot_id)
    rating = store().ratings.get(ladder, bot_id)
    [fit] = store().fits.lines(ladder, [(bot_id, rating.version)])
    return _line(rating, bot.name, fit)


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

"""Ladders: everybody's ratings with what chance may have done to them."""

from __future__ import annotations

from flask import abort, render_template, request

from engines.registry import GAMES
from service.api.context import store
from service.api.objects import owns
from service.web.blueprint import web
from service.web.pages.bots import owner_names
from service.web.pages.home import head
from service.web.spread import half_width

PER_PAGE = 100


@web.get("/ladders")
def list_ladders() -> str:
    return render_template("web/ladders.html", heads=[(game, head(game.name, 3)) for game in GAMES.values()])


@web.get("/ladders/<ladder>")
def ladder(ladder: str) -> str:
    if ladder not in GAMES:
        abort(404, f"There is no ladder of that name; there are: {', '.join(GAMES)}.")
    found = store().ratings.table(ladder, request.args.get("cursor"), PER_PAGE)
    bots = store().bots.get_many([rating.bot for rating in found.items])
    owners = owner_names({bot.owner for bot in bots if bot})
    fits = store().fits.lines(ladder, [(rating.bot, rating.version) for rating in found.items])
    rows = [
        (rating, bot if bot and (not bot.private or owns(bot.owner)) else None, fit)
        for rating, bot, fit in zip(found.items, bots, fits, strict=True)
    ]
    return render_template(
        "web/ladder.html", game=GAMES[ladder], rows=rows, page=found, owners=owners, half_width=half_width
    )

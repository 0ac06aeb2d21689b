"""Bots: the list, one bot's page, entering and looking after one's own."""

from __future__ import annotations

from typing import Any

from flask import redirect, render_template, request, url_for

from engines.registry import GAMES
from service.api.bots import health_of
from service.api.context import settings, store
from service.api.objects import asker_id, own_bot, owns, seen_bot, viewer
from service.errors import NotFound
from service.models import Bot, BotState, Rating
from service.store import BotFilter, MatchFilter
from service.web.blueprint import web
from service.web.forms import Form, need_owner, whole
from service.web.inside import ask
from service.web.pages.checks import last_check
from service.web.plot import Plot, rating_plot
from service.web.spread import half_width
from service.web.tally import tally_of

PER_PAGE = 50
LAST_MATCHES = 200  # what a bot's figures are counted over
SHOWN_MATCHES = 12
HISTORY = 1000  # rated games that the plot shows
_TRANSPORTS = (
    ("http", "An address: the service calls it"),
    ("poll", "None: it fetches its turns itself"),
)


@web.get("/bots")
def list_bots() -> str:
    game = request.args.get("game")
    wanted = BotFilter(
        owner=asker_id() if request.args.get("mine") else None,
        game=game if game in GAMES else None,
        viewer=viewer(),
    )
    found = store().bots.list(wanted, request.args.get("cursor"), PER_PAGE)
    owners = owner_names({bot.owner for bot in found.items})
    return render_template("web/bots.html", page=found, wanted=wanted, owners=owners)


def owner_names(ids: set[str]) -> dict[str, str]:
    """The names of those owners."""
    wanted = sorted(ids)
    return {owner.id: owner.name for owner in store().owners.get_many(wanted) if owner}


@web.get("/owners/<owner_id>")
def owner(owner_id: str) -> str:
    found = store().owners.get(owner_id)
    bots = store().bots.list(BotFilter(owner=owner_id, viewer=viewer()), request.args.get("cursor"), PER_PAGE)
    return render_template("web/owner.html", owner=found, page=bots)


@web.get("/bots/<bot_id>")
def bot(bot_id: str) -> str:
    verification = store().verifications.get(
        bot_id
    )  # first: once it says "passed", the bot read next is active
    found = seen_bot(bot_id)
    ratings = [rating for game in found.games if (rating := _rating(game, bot_id))]
    ladder = request.args.get("ladder") or (ratings[0].ladder if ratings else found.games[0])
    ladder = ladder if ladder in found.games else found.games[0]
    played = store().matches.list(MatchFilter(bot=bot_id, game=ladder, viewer=viewer()), limit=LAST_MATCHES)
    lines = store().ratings.lines(ladder, bot_id)
    versions = [line.version for line in lines]
    return render_template(
        "web/bot.html",
        bot=found,
        owner=store().owners.get(found.owner),
        ratings=ratings,
        half_width=half_width,
        ladder=ladder,
        plot=_plot(ladder, bot_id),
        tally=tally_of(bot_id, played.items),
        counted=len(played.items),
        lines=lines,
        fits=dict(zip(versions, store().fits.lines(ladder, [(bot_id, v) for v in versions]), strict=True)),
        matches=played.items[:SHOWN_MATCHES],
        mine=owns(found.owner),
        verification=verification if owns(found.owner) else None,
        check=last_check(bot_id) if owns(found.owner) else None,
        health=health_of(found) if owns(found.owner) else None,
    )


def _rating(ladder: str, bot_id: str) -> Rating | None:
    try:
        return store().ratings.get(ladder, bot_id)
    except NotFound:  # no rated match yet
        return None


def _plot(ladder: str, bot_id: str) -> Plot | None:
    found = store().ratings.history(ladder, bot_id, limit=HISTORY)
    changes = list(reversed(found.items))
    total = found.total or len(changes)
    return rating_plot([change.after / 1000 for change in changes], total - len(changes) + 1)


@web.get("/bots/new")
def new_bot() -> str:
    return _bot_form(Form.empty())


def _bot_form(form: Form, bot: Bot | None = None) -> str:
    need_owner()
    return render_template(
        "web/bot_form.html", form=form, bot=bot, transports=_TRANSPORTS, ports=settings().bot_ports
    )


@web.post("/bots/new")
def create_bot() -> Any:
    form = Form.sent()
    polls = form.get("transport") == "poll"
    wanted = {**_members(form), "transport": "poll" if polls else "http"}
    if not polls:
        wanted["url"] = form.get("url")
    made = form.send("POST", "/v1/bots", {name: value for name, value in wanted.items() if value != ""})
    if made is None:
        return _bot_form(form), form.status
    return render_template("web/bot_made.html", bot=made), 201


def _members(form: Form) -> dict[str, Any]:
    return {
        "name": form.get("name"),
        "games": form.all("games"),
        "version": form.get("version", "1"),
        "concurrency": whole(form.get("concurrency", "1")) or 1,
        "description": form.get("description"),
        "private": form.yes("private"),
        "challenges": form.get("challenges", "anyone"),
        "challengers": form.get("challengers").replace(",", " ").split(),
        "challenges_per_day": whole(form.get("challenges_per_day")),
    }


@web.get("/bots/<bot_id>/edit")
def edit_bot(bot_id: str) -> str:
    need_owner()
    found = own_bot(bot_id)
    values = {
        "name": found.name,
        "version": found.version,
        "url": found.url or "",
        "concurrency": str(found.concurrency),
        "description": found.description,
        "private": "yes" if found.private else "",
        "challenges": found.challenges,
        "challengers": " ".join(found.challengers),
        "challenges_per_day": "" if found.challenges_per_day is None else str(found.challenges_per_day),
        "revision": str(found.revision),
    }
    return _bot_form(Form.filled(values), found)


@web.post("/bots/<bot_id>/edit")
def change_bot(bot_id: str) -> Any:
    need_owner()
    found, form = own_bot(bot_id), Form.sent()
    wanted = _members(form)
    if found.transport == "http":
        wanted["url"] = form.get("url")
    if form.send("PATCH", f"/v1/bots/{bot_id}", wanted, form.seen_revision()) is None:
        return _bot_form(form, found), form.status
    return _to(bot_id)


def _to(bot_id: str) -> Any:
    return redirect(url_for("web.bot", bot_id=bot_id), 303)


@web.post("/bots/<bot_id>/verify")
def verify_bot(bot_id: str) -> Any:
    need_owner()
    ask("POST", f"/v1/bots/{bot_id}/verify").check()
    return _to(bot_id)


@web.post("/bots/<bot_id>/away")
def set_bot_away(bot_id: str) -> Any:
    need_owner()
    away = own_bot(bot_id).state is not BotState.AWAY
    ask("PATCH", f"/v1/bots/{bot_id}", {"away": away}, headers={"If-Match": "*"}).check()
    return _to(bot_id)


@web.post("/bots/<bot_id>/secret")
def new_bot_secret(bot_id: str) -> Any:
    need_owner()
    secret = ask("POST", f"/v1/bots/{bot_id}/secret").check().body["secret"]
    return render_template("web/bot_made.html", bot={"id": bot_id, "secret": secret, "name": ""}), 200


@web.post("/bots/<bot_id>/retire")
def retire_bot(bot_id: str) -> Any:
    need_owner()
    ask("DELETE", f"/v1/bots/{bot_id}").check()
    return _to(bot_id)

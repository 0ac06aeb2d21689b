"""The front page: what is being played now, the ladders' heads, tournaments, how to take part."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Response, abort, jsonify, render_template, request

from engines.registry import GAMES
from service.api.context import settings, store
from service.api.hub import Numbered
from service.api.objects import seen_match, viewer
from service.api.streams import Feed, answer, stopping
from service.models import Bot, Match, MatchState, Rating, Tournament, TournamentState
from service.store import MatchFilter, TournamentFilter
from service.web.blueprint import web
from service.web.films import OVER, film_of
from service.web.pages.matches import own_seats, sheet
from service.web.show.sheet import Sheet

BOARDS = 5
HEADS = 5
LOOK_BACK = 60  # matches that those that were played last are taken from
FRESH_S = 0.4


@dataclass(frozen=True, slots=True)
class Card:
    """A small board on the front page."""

    match: Match
    sheet: Sheet
    running: bool


@web.get("/")
def home() -> str:
    cards = _cards()
    return render_template(
        "web/home.html",
        cards=cards,
        heads=[(game, rows) for game in GAMES.values() if (rows := head(game.name))],
        tournaments=_tournaments(),
    )


def _cards() -> list[Card]:
    """Matches that are being played, filled up with those that ended last."""
    wanted = MatchFilter(viewer=viewer())
    running = store().matches.running(wanted, BOARDS)
    missing = BOARDS - len(running)
    over = replace(wanted, state=MatchState.FINISHED)
    rest = _mixed(store().matches.list(over, limit=LOOK_BACK).items)[:missing] if missing else []
    return [Card(one, sheet(one, film_of(one), None, FRESH_S), one in running) for one in [*running, *rest]]


def _mixed(matches: Sequence[Match]) -> list[Match]:
    """The newest of each game before the second newest of any, and so on; among these the newest first."""
    seen: Counter[str] = Counter()
    ranked = []
    for place, one in enumerate(matches):
        ranked.append((seen[one.game], place, one))
        seen[one.game] += 1
    return [one for _, _, one in sorted(ranked, key=lambda item: item[:2])]


def head(ladder: str, count: int = HEADS) -> list[tuple[Rating, Bot]]:
    """A ladder's first lines with their bots; private bots are left out."""
    ratings = store().ratings.table(ladder, None, count).items
    bots = store().bots.get_many([rating.bot for rating in ratings])
    return [(rating, bot) for rating, bot in zip(ratings, bots, strict=True) if bot and not bot.private]


def _tournaments() -> list[Tournament]:
    found: list[Tournament] = []
    for state in (TournamentState.RUNNING, TournamentState.OPEN):
        found += store().tournaments.list(TournamentFilter(state=state, viewer=viewer()), limit=4).items
    return found


@web.get("/live")
def live() -> Any:
    """New frames of several matches (`m`, up to the number of boards); a cursor is a number for each."""
    matches = [seen_match(one) for one in request.args.getlist("m")[:BOARDS]]

    def read_id(text: str) -> str:
        """A cursor that was given out for these matches; raises ValueError."""
        numbers = text.split(".")
        if len(numbers) != len(matches) or not all(n.isascii() and n.isdecimal() for n in numbers):
            raise ValueError(text)
        return text

    def wait(after: str, wait_ms: int) -> Numbered[str]:
        deadline = time.monotonic() + wait_ms / 1000
        while not (found := _news(matches, after)) and time.monotonic() < deadline:
            if stopping.wait(FRESH_S):
                break
        return found

    def over(after: str) -> bool:
        return all(store().matches.get(one.id).state in OVER for one in matches)

    cursor = request.args.get("after", "")
    try:
        start = read_id(cursor) if cursor else ".".join("0" for _ in matches)
    except ValueError:
        abort(400, "`after` has a number for each match, with points between.")
    query = {"after": start, "limit": 10_000, "wait": 0}
    told = answer(Feed(wait, over, read_id), query)
    return told if isinstance(told, Response) else jsonify(told)


def _news(matches: Sequence[Match], after: str) -> list[tuple[str, dict[str, Any]]]:
    """The frames behind a cursor, each with the cursor that has seen it."""
    seen = [int(number) for number in after.split(".")]
    found = []
    for index, one in enumerate(matches):
        replay = film_of(one).look(store(), FRESH_S)
        for number, frame in replay.frames_for(seen[index], own_seats(one)):
            seen[index] = number
            found.append((".".join(map(str, seen)), {"type": "frame", "match": one.id, **frame}))
    return found


@web.get("/start")
def start() -> str:
    """How to enter a bot."""
    return render_template("web/start.html", base=settings().base_url)

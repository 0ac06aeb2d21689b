"""Matches: the list, one match to watch and replay, asking for new ones."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flask import Response, abort, jsonify, redirect, render_template, request, url_for

from engines.record import verify
from engines.registry import GAMES, game_named
from service.api.context import store
from service.api.hub import Numbered
from service.api.objects import asker_id, seen_match, viewer
from service.api.streams import Feed, answer, hubs
from service.models import BotState, Match, MatchState
from service.records import record_of
from service.revealing import withheld
from service.store import BotFilter, MatchFilter
from service.web.blueprint import web
from service.web.films import OVER, Film, film_of
from service.web.forms import Form, need_owner, whole
from service.web.inside import ask
from service.web.show.sheet import Sheet, sheet_of

PER_PAGE = 40
MOST_WAIT_S = 25
MOST_BOTS = 200  # in a form's list


def own_seats(match: Match) -> tuple[int, ...]:
    """The seats whose cards and receipts the asker may see."""
    return tuple(player.seat for player in match.players if player.owner == asker_id())


def sheet(match: Match, film: Film, at: int | None = None, fresh_s: float = 0.0) -> Sheet:
    """A match as its page shows it to the asker."""
    return sheet_of(film.look(store(), fresh_s), at, match.result, own_seats(match), revealed(match))


def revealed(match: Match) -> bool:
    """Whether a match is over and its deck, and so every hand, may be known."""
    return match.result is not None and not withheld(store(), match)


@web.get("/matches")
def list_matches() -> str:
    wanted = MatchFilter(
        game=_known(request.args.get("game")),
        state=_state(request.args.get("state")),
        bot=request.args.get("bot") or None,
        owner=asker_id() if request.args.get("mine") else None,
        tournament=request.args.get("tournament") or None,
        viewer=viewer(),
    )
    found = store().matches.list(wanted, request.args.get("cursor"), PER_PAGE)
    return render_template("web/matches.html", page=found, wanted=wanted)


def _known(game: str | None) -> str | None:
    return game if game in GAMES else None


def _state(text: str | None) -> MatchState | None:
    return MatchState(text) if text in set(MatchState) else None


@web.get("/matches/<match_id>")
def match(match_id: str) -> str:
    found = seen_match(match_id)
    film = film_of(found)
    return render_template(
        "web/match.html",
        match=found,
        sheet=sheet(found, film, request.args.get("at", type=int)),
        over=found.state in OVER,
        revealed=revealed(found),
        mine=asker_id() == found.requested_by,
    )


@web.get("/matches/<match_id>/frames")
def frames(match_id: str) -> Any:
    """The frames behind `after`, with `wait` as a long poll; with Accept: text/event-stream as they come."""
    found = seen_match(match_id)
    film, seats = film_of(found), own_seats(found)

    def wait(after: int, wait_ms: int) -> Numbered[int]:
        replay = film.wait(hubs().matches, after, wait_ms)
        reveal = replay.over and revealed(store().matches.get(match_id))
        return [(n, {"type": "frame", **frame}) for n, frame in film.frames(after, seats, reveal)]

    def over(after: int) -> bool:
        return store().matches.get(match_id).state in OVER

    film.look(store(), 0.2)
    query = {
        "after": max(request.args.get("after", 0, type=int), 0),
        "limit": 1_000_000,
        "wait": min(max(request.args.get("wait", 0, type=int), 0), MOST_WAIT_S),
    }
    told = answer(Feed(wait, over, int, lambda frame: frame["kind"] == "finished"), query)
    return told if isinstance(told, Response) else jsonify(told)


@web.get("/matches/<match_id>/position")
def position(match_id: str) -> Response:
    """The position's text at frame `at`."""
    found = seen_match(match_id)
    text = sheet(found, film_of(found), request.args.get("at", type=int), 0.2).position
    return Response(text, mimetype="text/plain")


@web.get("/matches/<match_id>/record.json")
def record(match_id: str) -> Response:
    response = jsonify(_record(match_id))
    response.headers["Content-Disposition"] = f'attachment; filename="{match_id}.json"'
    return response


def _record(match_id: str) -> Any:
    """A match's record as the API gives it to the asker; raises ApiError while it may not be known."""
    return ask("GET", f"/v1/matches/{match_id}/record").check().body


@web.get("/matches/<match_id>/verification")
def match_verification(match_id: str) -> str:
    """What checking the record finds, as `arbiter verify` would."""
    found = seen_match(match_id)
    _record(match_id)
    return render_template("web/verification.html", match=found, problems=_problems(match_id))


@lru_cache(maxsize=512)
def _problems(match_id: str) -> tuple[str, ...]:
    """What is wrong with a finished match's record, which does not change any more."""
    found = store().matches.get(match_id)
    return tuple(verify(record_of(found, store().matches.record(match_id))))


@web.get("/matches/new")
def new_match() -> str:
    game = _known(request.args.get("game"))
    return _match_form(Form.empty(request.args), game)


def _match_form(form: Form, game: str | None) -> str:
    need_owner()
    ready = BotFilter(game=game, state=BotState.ACTIVE, viewer=viewer())
    choice = store().bots.list(ready, limit=MOST_BOTS).items
    own_first = sorted(choice, key=lambda bot: bot.owner != asker_id())
    return render_template(
        "web/match_new.html", form=form, game=game_named(game) if game else None, bots=own_first
    )


@web.post("/matches/new")
def create_match() -> Any:
    form = Form.sent()
    game = _known(form.get("game"))
    if game is None:
        abort(400, "Choose a game first.")
    seats = [form.get(f"bots.{seat}") for seat in range(max(GAMES[game].seats))]
    wanted = {
        "game": game,
        "bots": [bot for bot in seats if bot],
        "clock": form.clock(),
        "options": form.options(GAMES[game]),
        "opening": whole(form.get("opening", "0")),
        "attempts": whole(form.get("attempts", "1")),
        "rated": form.yes("rated"),
        "duplicate": form.yes("duplicate"),
        "count": whole(form.get("count", "1")),
    }
    made = form.send("POST", "/v1/matches", wanted)
    if made is None:
        return _match_form(form, game), form.status
    first = made["items"][0]
    if len(made["items"]) > 1:
        return redirect(url_for("web.list_matches", bot=first["players"][0]["bot"]), 303)
    return redirect(url_for("web.match", match_id=first["id"]), 303)


@web.post("/matches/<match_id>/cancel")
def cancel_match(match_id: str) -> Any:
    need_owner()
    ask("POST", f"/v1/matches/{match_id}/cancel").check()
    return redirect(url_for("web.match", match_id=match_id), 303)

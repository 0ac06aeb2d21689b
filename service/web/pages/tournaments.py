"""Tournaments: the list, one with its tables and rounds, making and running one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flask import Response, abort, jsonify, redirect, render_template, request, url_for

from engines.registry import GAMES
from service.api.context import store
from service.api.exports import all_records
from service.api.hub import Numbered
from service.api.objects import asker_id, own_tournament, owns, seen_tournament, viewer
from service.api.schemas.tournaments import feed_id
from service.api.streams import Feed, answer, hubs
from service.api.tournaments import OVER
from service.competition import Competition
from service.models import BotState, Tournament, TournamentState
from service.progress import outlook
from service.pseudonyms import in_force
from service.store import BotFilter, TournamentFilter
from service.tournaments.formats import FORMATS
from service.web.blueprint import web
from service.web.forms import Form, minutes, moment, moment_text, need_owner, whole
from service.web.inside import ask
from service.web.pages.matches import MOST_BOTS

PER_PAGE = 40
ROWS = 100  # of the standings on one page
PAIRINGS = 100  # of a round on one page
MOST_CROSS = 26  # entrants that a cross table still fits for
MOST_LINKED = 40  # rounds that are linked one by one
_ACTIONS = ("open", "start", "pause", "resume", "cancel")


@web.get("/tournaments")
def list_tournaments() -> str:
    game, state = request.args.get("game"), request.args.get("state")
    wanted = TournamentFilter(
        game if game in GAMES else None,
        asker_id() if request.args.get("mine") else None,
        TournamentState(state) if state in set(TournamentState) else None,
        viewer(),
    )
    found = store().tournaments.list(wanted, request.args.get("cursor"), PER_PAGE)
    return render_template("web/tournaments.html", page=found, wanted=wanted)


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a schedule: how many, the one that is shown, its pairings (or some, and what is next)."""

    count: int
    shown: int
    pairings: list[dict[str, Any]]
    next: str | None


@web.get("/tournaments/<tournament_id>")
def tournament(tournament_id: str) -> str:
    found = seen_tournament(tournament_id)
    standings, cross = _tables(_stamp(found))
    first = max(request.args.get("from", 1, type=int), 1)
    mine = owns(found.owner)
    return render_template(
        "web/tournament.html",
        tournament=found,
        owner=store().owners.get(found.owner),
        standings=standings,
        rows=standings["rows"][first - 1 : first - 1 + ROWS],
        first=first,
        rows_a_page=ROWS,
        cross=cross,
        rounds=_rounds(found),
        most_linked=MOST_LINKED,
        names={entrant["bot"]: entrant["name"] for entrant in found.entrants},
        partners={e["bot"]: (e["partner"], e["partner_name"]) for e in found.entrants if e.get("partner")},
        left_s=_left_s(found),
        mine=mine,
        actions=_possible(found) if mine else (),
        enterable=_enterable(found, mine),
        own_entrants=[e for e in found.entrants if mine or owns(e["owner"])],
    )


def _stamp(found: Tournament) -> tuple[str, ...]:
    """What a tournament's tables depend on."""
    withdrawn = sum(1 for entrant in found.entrants if entrant.get("withdrawn_at"))
    parts = (found.id, found.revision, found.state, found.games_done, len(found.entrants), withdrawn)
    seen = [entrant["name"] for entrant in found.entrants] if in_force(found) else []
    return (*map(str, parts), *seen)


@lru_cache(maxsize=64)
def _tables(stamp: tuple[str, ...]) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    """Standings and cross table, the latter for not too many. Who may see them is checked before."""
    path = f"/v1/tournaments/{stamp[0]}"
    standings = ask("GET", f"{path}/standings").check().body
    few = 2 <= len(standings["rows"]) <= MOST_CROSS and any(row["played"] for row in standings["rows"])
    return standings, ask("GET", f"{path}/crosstable").check().body if few else None


def _rounds(found: Tournament) -> Rounds | None:
    if found.started_at is None:
        return None
    schedule = Competition.of(found, b"").schedule()
    at = min(store().pairings.progress(found.id).next, schedule.count - 1)
    shown = request.args.get("round", schedule.game(at).round, type=int)
    shown = min(max(shown, 1), schedule.rounds)
    query: dict[str, Any] = {"round": shown, "limit": PAIRINGS}
    if cursor := request.args.get("pairings"):
        query["cursor"] = cursor
    part = ask("GET", f"/v1/tournaments/{found.id}/pairings", query=query).check().body
    return Rounds(schedule.rounds, shown, part["items"], part["next"])


def _left_s(found: Tournament) -> int | None:
    """An estimate of the seconds that are left."""
    progress = outlook(store(), found)
    return None if progress is None or progress.estimate_ms is None else round(progress.estimate_ms / 1000)


def _possible(found: Tournament) -> tuple[str, ...]:
    """What the owner may do now."""
    by_state = {
        TournamentState.DRAFT: ("open", "start", "cancel"),
        TournamentState.OPEN: ("start", "cancel"),
        TournamentState.RUNNING: ("pause", "cancel"),
        TournamentState.PAUSED: ("resume", "cancel"),
    }
    return by_state.get(found.state, ())


def _enterable(found: Tournament, mine: bool) -> list[Any]:
    """The bots that the asker could enter now."""
    if not asker_id() or found.state not in (TournamentState.DRAFT, TournamentState.OPEN):
        return []
    if found.state is TournamentState.DRAFT and not mine:
        return []
    wanted = BotFilter(
        owner=None if mine else asker_id(), game=found.game, state=BotState.ACTIVE, viewer=viewer()
    )
    entered = {entrant["bot"] for entrant in found.entrants}
    return [b for b in store().bots.list(wanted, limit=MOST_BOTS).items if b.id not in entered]


@web.get("/tournaments/<tournament_id>/news")
def tournament_news(tournament_id: str) -> Any:
    """What happens in a tournament, as it happens: a page reads itself again then."""
    seen_tournament(tournament_id)

    def wait(after: str, wait_ms: int) -> Numbered[str]:
        return hubs().tournaments.wait(tournament_id, after, wait_ms)

    def over(after: str) -> bool:
        return store().tournaments.get(tournament_id).state in OVER

    query = {"after": feed_id(request.args.get("after", "0")), "limit": 500, "wait": 0}
    told = answer(Feed(wait, over, feed_id), query)
    return told if isinstance(told, Response) else jsonify(told)


@web.get("/tournaments/<tournament_id>/records.jsonl")
def records_file(tournament_id: str) -> Response:
    """All records, to be checked by `arbiter verify`."""
    return all_records(tournament_id)


@web.get("/tournaments/<tournament_id>/standings.csv")
def standings_file(tournament_id: str) -> Response:
    """The standings for spreadsheets."""
    seen_tournament(tournament_id)
    text = ask("GET", f"/v1/tournaments/{tournament_id}/standings", query={"format": "csv"}).check().text
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{tournament_id}.csv"'
    return response


@web.get("/tournaments/new")
def new_tournament() -> str:
    game = request.args.get("game")
    return _tournament_form(Form.empty(), game if game in GAMES else None)


def _tournament_form(form: Form, game: str | None, found: Tournament | None = None) -> str:
    need_owner()
    return render_template(
        "web/tournament_form.html",
        form=form,
        game=GAMES[game] if game else None,
        formats=FORMATS,
        tournament=found,
    )


@web.post("/tournaments/new")
def create_tournament() -> Any:
    form = Form.sent()
    game = form.get("game")
    if game not in GAMES:
        abort(400, "Choose a game first.")
    wanted = {"game": game, "format": form.get("format"), **_members(form, game)}
    made = form.send("POST", "/v1/tournaments", wanted)
    if made is None:
        return _tournament_form(form, game), form.status
    return redirect(url_for("web.tournament", tournament_id=made["id"]), 303)


_BOXES = ("rated", "private", "duplicate", "pseudonyms")


def _members(form: Form, game: str) -> dict[str, Any]:
    """What was filled in; an opening or a time that was left empty is taken away."""
    empty_too = {
        "opening": whole(form.get("opening")),
        "start_at": moment(form.get("start_at")),
        "entries_close_at": moment(form.get("entries_close_at")),
    }
    wanted = {
        "name": form.get("name"),
        "description": form.get("description"),
        "options": form.options(GAMES[game]),
        "clock": form.clock(),
        "seats": whole(form.get("seats")),
        "partners": form.get("partners") or None,
        "cycles": whole(form.get("cycles")),
        "challengers": whole(form.get("challengers")),
        "attempts": whole(form.get("attempts")),
        "max_entrants": whole(form.get("max_entrants")),
        "entry": form.get("entry") or None,
        "absence_grace_ms": minutes(form.get("absence_grace_ms")),
        **{name: form.yes(name) for name in _BOXES},
    }
    return {name: value for name, value in wanted.items() if value is not None} | empty_too


@web.get("/tournaments/<tournament_id>/edit")
def edit_tournament(tournament_id: str) -> str:
    need_owner()
    found = own_tournament(tournament_id)
    plain = {name: "" if value is None else str(value) for name, value in found.settings.items()}
    boxes = {name: "yes" if found.settings.get(name) else "" for name in _BOXES}
    times = {name: moment_text(found.settings.get(name)) for name in ("start_at", "entries_close_at")}
    options = {f"options.{name}": _typed(value) for name, value in found.options.items()}
    clock = {f"clock.{name}": _clock_text(name, value) for name, value in found.clock.items()}
    values = {**plain, **boxes, **times, **options, **clock, "clock": "custom", "name": found.name}
    values["absence_grace_ms"] = f"{found.settings['absence_grace_ms'] / 60_000:g}"
    values["revision"] = str(found.revision)
    return _tournament_form(Form.filled(values), found.game, found)


def _typed(value: Any) -> str:
    return ("yes" if value else "") if isinstance(value, bool) else str(value)


def _clock_text(name: str, value: Any) -> str:
    """A control's member as it is typed: durations in seconds."""
    if value in (None, 0):
        return ""
    return f"{value / 1000:g}" if name.endswith("_ms") else str(value)


@web.post("/tournaments/<tournament_id>/edit")
def change_tournament(tournament_id: str) -> Any:
    need_owner()
    found, form = own_tournament(tournament_id), Form.sent()
    wanted = _members(form, found.game)
    if form.send("PATCH", f"/v1/tournaments/{tournament_id}", wanted, form.seen_revision()) is None:
        return _tournament_form(form, found.game, found), form.status
    return _to(tournament_id)


def _to(tournament_id: str) -> Any:
    return redirect(url_for("web.tournament", tournament_id=tournament_id), 303)


@web.post("/tournaments/<tournament_id>/<action>")
def move_tournament(tournament_id: str, action: str) -> Any:
    need_owner()
    if action not in _ACTIONS:
        abort(404)
    reason = request.form.get("reason")
    body = {"reason": reason} if action == "cancel" and reason else ({} if action == "cancel" else None)
    ask("POST", f"/v1/tournaments/{tournament_id}/{action}", body).check()
    return _to(tournament_id)


@web.post("/tournaments/<tournament_id>/enter")
def enter_tournament(tournament_id: str) -> Any:
    need_owner()
    for bot in request.form.getlist("bot"):
        ask("POST", f"/v1/tournaments/{tournament_id}/entrants", {"bot": bot}).check()
    return _to(tournament_id)


@web.post("/tournaments/<tournament_id>/enter-team")
def enter_team(tournament_id: str) -> Any:
    need_owner()
    team = {name: request.form.get(name, "") for name in ("bot", "partner")}
    ask("POST", f"/v1/tournaments/{tournament_id}/entrants", team).check()
    return _to(tournament_id)


@web.post("/tournaments/<tournament_id>/withdraw/<bot_id>")
def withdraw_entrant(tournament_id: str, bot_id: str) -> Any:
    need_owner()
    ask("DELETE", f"/v1/tournaments/{tournament_id}/entrants/{bot_id}").check()
    return _to(tournament_id)

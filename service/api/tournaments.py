"""Tournaments: make, change, open, enter, start, pause, cancel."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from engines.errors import BadOption
from engines.game import SEED_BYTES, Game
from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import jobs, now_ms, settings, store
from service.api.errors import ApiError
from service.api.objects import own_tournament, owner_named, seen_tournament, viewer
from service.api.once import once
from service.api.owners import tournaments_of
from service.api.paging import expected_revision, page
from service.api.schemas.games import control_from, options_from
from service.api.schemas.lists import page_of
from service.api.schemas.owners import OptionalReasonSchema
from service.api.schemas.tournaments import (
    FeedQuery,
    FeedSchema,
    FollowedSchema,
    TournamentChangeSchema,
    TournamentQuery,
    TournamentRequestSchema,
    TournamentSchema,
    feed_id,
)
from service.api.streams import EVENT_STREAM, Feed, Numbered, answer, hubs
from service.competition import check_shape, default_partners, default_seats, game_of, options_of
from service.ids import new_id
from service.models import Owner, Role, Tournament, TournamentState
from service.progress import followed
from service.pseudonyms import in_force
from service.starting import begin
from service.store.tournaments import TournamentFilter
from service.tournaments.life import Action, Refused, after
from service.tournaments.tie_breaks import DEFAULT, check_tie_breaks

tournaments = Blueprint(
    "tournaments", __name__, url_prefix="/v1/tournaments", description="Leagues and other contests."
)

OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)
ABSENCE_GRACE_MS = 3_600_000
SOON_MS = 2_000  # until a tournament that is being made is there for certain


@tournaments.route("", methods=["POST"])
@tournaments.arguments(TournamentRequestSchema)
@tournaments.response(201, TournamentSchema)
@marked("takes_once")
def create(wanted: dict[str, Any]) -> Any:
    """Make a tournament

    It begins as a draft: change it, enter bots, open it for entry, start it.
    """
    game, owner = wanted["game"], asker().owner
    draft = Tournament(
        id=new_id("t", game.name),
        name=wanted["name"],
        game=game.name,
        format=wanted["format"],
        owner=owner.id,
        options=options_from(game, wanted.get("options", {})),
        clock=control_from(wanted.get("clock", "blitz"), settings().allowance_ms).to_json(),
        settings=_settings(game, wanted, _defaults(game, owner), owner),
        seed=secrets.token_hex(SEED_BYTES),
        state=TournamentState.DRAFT,
        created_at=now_ms(),
    )
    _start_later(draft.id, draft.settings)
    made = store().tournaments.create(draft, tournaments_of(owner.role), once())
    return made, 201, {"Location": f"/v1/tournaments/{made.id}"}


def _most_entrants(owner: Owner) -> int:
    small = owner.role is Role.PLAYER
    return settings().entrants_per_player if small else settings().entrants_per_organiser


def _defaults(game: Game, owner: Owner) -> dict[str, Any]:
    return {
        "description": "",
        "seats": default_seats(game),
        "partners": str(default_partners(game)),
        "cycles": 1,
        "opening": None,
        "duplicate": False,
        "challengers": 1,
        "attempts": 1,
        "rated": True,
        "tie_breaks": list(DEFAULT),
        "max_entrants": _most_entrants(owner),
        "entry": "open",
        "private": False,
        "start_at": None,
        "entries_close_at": None,
        "absence_grace_ms": ABSENCE_GRACE_MS,
        "pseudonyms": False,
    }


def _settings(game: Game, wanted: dict[str, Any], before: dict[str, Any], owner: Owner) -> dict[str, Any]:
    """The complete settings with what is wanted; raises ApiError."""
    merged = before | {name: value for name, value in wanted.items() if name in before}
    merged["partners"] = str(merged["partners"])
    merged["openings"] = None if merged["opening"] is None else merged["opening"] > 0
    if merged["max_entrants"] > _most_entrants(owner):
        detail = f"at most {_most_entrants(owner)} for your role ({owner.role})"
        raise ApiError("quota", f"max_entrants: {detail}", (("max_entrants", detail),))
    try:
        check_shape(game, options_of(merged))
        check_tie_breaks(merged["tie_breaks"])
    except BadOption as error:
        raise ApiError("invalid", str(error), ((error.field, error.detail),)) from None
    return merged


@tournaments.route("")
@tournaments.arguments(TournamentQuery, location="query")
@tournaments.response(200, page_of(TournamentSchema))
def list_tournaments(query: dict[str, Any]) -> Any:
    """List tournaments

    Newest first; private ones are there for those concerned only.
    """
    wanted = TournamentFilter(query["game"], owner_named(query["owner"]), query["state"], viewer())
    return page(store().tournaments.list(wanted, query["cursor"], query["limit"]))


@tournaments.route("/<tournament_id>")
@tournaments.response(200, FollowedSchema)
def read(tournament_id: str) -> Any:
    """Read a tournament

    With how far it is.
    """
    seen = seen_tournament(tournament_id)
    real = store().tournaments.get(tournament_id) if in_force(seen) else seen
    return _with_revision(followed(store(), real))


def _with_revision(tournament: Tournament) -> Any:
    return tournament, 200, {"X-Revision": str(tournament.revision)}


@tournaments.route("/<tournament_id>", methods=["PATCH"])
@tournaments.arguments(TournamentChangeSchema)
@tournaments.response(200, TournamentSchema)
@marked("needs_if_match")
def change(wanted: dict[str, Any], tournament_id: str) -> Any:
    """Change a tournament

    Until it starts.
    """
    tournament = own_tournament(tournament_id)
    expected = expected_revision()
    may(tournament, Action.EDIT)
    game = game_of(tournament)
    changes: dict[str, Any] = {}
    if "name" in wanted:
        changes["name"] = wanted["name"]
    if "options" in wanted:
        changes["options"] = options_from(game, wanted["options"])
    if "clock" in wanted:
        changes["clock"] = control_from(wanted["clock"], settings().allowance_ms).to_json()
    changes["settings"] = _settings(game, wanted, dict(tournament.settings), asker().owner)
    revision = tournament.revision if expected is None else expected
    changed = store().tournaments.update(tournament_id, changes, revision)
    _start_later(tournament_id, changed.settings)
    return _with_revision(changed)


def _start_later(tournament_id: str, settings: Mapping[str, Any]) -> None:
    """Have it started at its time, if it has one; what is due looks at the tournament as it is then."""
    if settings["start_at"] is not None:
        store().due.add("start", {"tournament": tournament_id}, max(settings["start_at"], now_ms() + SOON_MS))


def may(tournament: Tournament, action: Action) -> TournamentState:
    """The state that the action leads to; raises ApiError where it is not possible."""
    try:
        return after(tournament.state, action)
    except Refused as error:
        started = action is Action.START and tournament.started_at is not None
        problem = "already-started" if started else "wrong-state"
        raise ApiError(problem, f"{str(error)[0].upper()}{str(error)[1:]}.") from None


@tournaments.route("/<tournament_id>/open", methods=["POST"])
@tournaments.response(200, TournamentSchema)
def open_entry(tournament_id: str) -> Any:
    """Open a tournament for entry"""
    return _move(own_tournament(tournament_id), Action.OPEN)


def _move(tournament: Tournament, action: Action, reason: str | None = None) -> Any:
    """Carry out an action that changes the state alone."""
    to = may(tournament, action)
    moved = store().tournaments.set_state(tournament.id, to, (tournament.state,), reason)
    jobs().coordinate(tournament.id)
    return _with_revision(moved)


@tournaments.route("/<tournament_id>/start", methods=["POST"])
@tournaments.response(200, TournamentSchema)
def start(tournament_id: str) -> Any:
    """Start a tournament

    From now on nobody enters; the schedule follows from the entrants and the seed. Names and versions of the
    entrants' bots are those of this moment.
    """
    tournament = own_tournament(tournament_id)
    may(tournament, Action.START)
    started = begin(store(), tournament, settings().games_per_tournament)
    jobs().coordinate(tournament_id)
    return _with_revision(started)


@tournaments.route("/<tournament_id>/pause", methods=["POST"])
@tournaments.response(200, TournamentSchema)
def pause(tournament_id: str) -> Any:
    """Pause a tournament

    Games that are being played go on to their end; no new ones begin.
    """
    return _move(own_tournament(tournament_id), Action.PAUSE)


@tournaments.route("/<tournament_id>/resume", methods=["POST"])
@tournaments.response(200, TournamentSchema)
def resume(tournament_id: str) -> Any:
    """Resume a paused tournament"""
    return _move(own_tournament(tournament_id), Action.RESUME)


@tournaments.route("/<tournament_id>/cancel", methods=["POST"])
@tournaments.arguments(OptionalReasonSchema, required=False)
@tournaments.response(200, TournamentSchema)
def cancel(wanted: dict[str, Any], tournament_id: str) -> Any:
    """Cancel a tournament

    With a reason for its entrants to read. Results so far stay.
    """
    return _move(own_tournament(tournament_id), Action.CANCEL, wanted["reason"])


@tournaments.route("/<tournament_id>/events")
@tournaments.arguments(FeedQuery, location="query")
@tournaments.response(200, FeedSchema)
@tournaments.alt_response(200, content_type=EVENT_STREAM, schema={"type": "string"}, success=True)
def events(query: dict[str, Any], tournament_id: str) -> Any:
    """Follow a tournament

    What happens to it and its games, in pages, with `wait` as a long poll; with `Accept: text/event-stream`
    as it happens.
    """
    seen_tournament(tournament_id)

    def wait(after: str, wait_ms: int) -> Numbered[str]:
        return hubs().tournaments.wait(tournament_id, after, wait_ms)

    def over(after: str) -> bool:
        return store().tournaments.get(tournament_id).state in OVER

    return answer(Feed(wait, over, feed_id, _is_last), query)


def _is_last(event: Mapping[str, Any]) -> bool:
    return event["type"] == "state" and event["state"] in OVER

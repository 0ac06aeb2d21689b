"""What the operator does: void and resume matches, ban owners, pause matchmaking, look at workers."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from service import log
from service.api.access import scopes_of
from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import jobs, settings, store
from service.api.errors import ApiError
from service.api.once import once
from service.api.owners import add_owner, new_key
from service.api.paging import page
from service.api.schemas.fields import Line, Time, Yes, described
from service.api.schemas.lists import ListQuery, page_of
from service.api.schemas.matches import MatchSchema
from service.api.schemas.owners import (
    AddOwnerSchema,
    AdminOwnerSchema,
    NewKeySchema,
    ReasonSchema,
    RoleChangeSchema,
    SignedUpSchema,
)
from service.dispatch import dispatch
from service.models import Match, MatchState, Owner
from service.store import MatchFilter

admin = Blueprint("admin", __name__, url_prefix="/v1/admin", description="For the operator.")

_logger = log.logger("admin")


class MatchmakingSchema(ma.Schema):
    """Whether new matches begin."""

    paused = ma.fields.Boolean(required=True)
    reason = ma.fields.String(required=True, allow_none=True)
    by = ma.fields.String(required=True, allow_none=True)
    at = Time(required=True, allow_none=True)


class MatchmakingChangeSchema(ma.Schema):
    """Pause all matchmaking, or go on."""

    paused = Yes(required=True)
    reason = Line(3, 300, load_default=None, metadata=described("Needed to pause; everybody may read it."))


class WorkerSchema(ma.Schema):
    """A worker process."""

    name = ma.fields.String(required=True)
    places = ma.fields.Integer(required=True, metadata=described("Matches it plays at once."))
    running = ma.fields.Integer(required=True)
    progress = ma.fields.Dict(required=True)
    silent_ms = ma.fields.Integer(required=True, metadata=described("Since it was last heard of."))
    queue = ma.fields.String(
        required=True, metadata=described("`matches` or `control`: what it works on.", example="matches")
    )
    drained = ma.fields.Boolean(required=True, metadata=described("It is to take no more matches."))


class WorkerListSchema(ma.Schema):
    """All workers of the last hour."""

    items = ma.fields.List(ma.fields.Nested(WorkerSchema), required=True)


def _note(action: str, subject: str, reason: str | None = None) -> None:
    """Every act of an operator is logged."""
    _logger.warning("operator acts", action=action, subject=subject, reason=reason, by=asker().owner.id)


@admin.route("/matches/<match_id>/void", methods=["POST"])
@admin.arguments(ReasonSchema)
@admin.response(200, MatchSchema)
def void_match(wanted: dict[str, Any], match_id: str) -> Match:
    """Void a match

    The ratings and the tournament follow as if it had never been.
    """
    match = store().matches.void(match_id, wanted["reason"], asker().owner.id)
    _note("void", match_id, wanted["reason"])
    if match.tournament is not None:
        jobs().coordinate(match.tournament)
    return match


@admin.route("/matches/<match_id>/resume", methods=["POST"])
@admin.response(200, MatchSchema)
def resume_match(match_id: str) -> Match:
    """Resume a held match"""
    found = store().matches.get(match_id)
    if found.state is not MatchState.HELD:
        raise ApiError("wrong-state", f"{match_id} is {found.state}; only a held match is resumed.")
    match = store().matches.resume(match_id)
    _note("resume", match_id)
    dispatch(store(), jobs())
    return match


@admin.route("/held")
@admin.arguments(ListQuery, location="query")
@admin.response(200, page_of(MatchSchema))
def list_held(query: dict[str, Any]) -> Any:
    """List held matches

    Those that kept failing for reasons of the service's own; resume or void them.
    """
    wanted = MatchFilter(state=MatchState.HELD, viewer=None)
    return page(store().matches.list(wanted, query["cursor"], query["limit"]))


@admin.route("/matchmaking")
@admin.response(200, MatchmakingSchema)
def matchmaking() -> Any:
    """Is matchmaking paused?"""
    return store().matchmaking.status()


@admin.route("/matchmaking", methods=["PUT"])
@admin.arguments(MatchmakingChangeSchema)
@admin.response(200, MatchmakingSchema)
def set_matchmaking(wanted: dict[str, Any]) -> Any:
    """Pause all matchmaking, or go on

    Matches that are being played go on to their end.
    """
    if wanted["paused"] and wanted["reason"] is None:
        raise ApiError("invalid", "reason: is needed to pause.", (("reason", "is needed to pause"),))
    if wanted["paused"]:
        store().matchmaking.pause(wanted["reason"], asker().owner.id)
    else:
        store().matchmaking.resume()
    _note("pause" if wanted["paused"] else "go on", "matchmaking", wanted["reason"])
    return store().matchmaking.status()


@admin.route("/owners")
@admin.arguments(ListQuery, location="query")
@admin.response(200, page_of(AdminOwnerSchema))
def list_owners(query: dict[str, Any]) -> Any:
    """List owners"""
    return page(store().owners.list(query["cursor"], query["limit"]))


@admin.route("/owners", methods=["POST"])
@admin.arguments(AddOwnerSchema)
@admin.response(201, SignedUpSchema)
@marked("takes_once")
def add(wanted: dict[str, Any]) -> Any:
    """Add an owner

    The answer holds its API key, which is shown this once.
    """
    owner, key = add_owner(wanted["name"], wanted["role"], scopes_of(wanted["role"]))
    _note("add owner", owner.id)
    return {"owner": owner, "key": new_key(key)}


@admin.route("/owners/<owner_id>", methods=["PATCH"])
@admin.arguments(RoleChangeSchema)
@admin.response(200, AdminOwnerSchema)
def change_owner(wanted: dict[str, Any], owner_id: str) -> Owner:
    """Change an owner's role

    Keys that exist keep their scopes; a new admin needs a new key.
    """
    if owner_id == asker().owner.id:
        raise ApiError("wrong-state", "Nobody changes his own role: ask another admin.")
    owner = store().owners.set_role(owner_id, wanted["role"])
    _note(f"role {wanted['role']}", owner_id)
    return owner


@admin.route("/owners/<owner_id>/ban", methods=["POST"])
@admin.arguments(ReasonSchema)
@admin.response(200, AdminOwnerSchema)
def ban(wanted: dict[str, Any], owner_id: str) -> Owner:
    """Ban an owner

    His keys are refused with the reason at once.
    """
    if owner_id == asker().owner.id:
        raise ApiError("wrong-state", "Nobody bans himself: ask another admin.")
    owner = store().owners.ban(owner_id, wanted["reason"])
    _note("ban", owner_id, wanted["reason"])
    return owner


@admin.route("/owners/<owner_id>/unban", methods=["POST"])
@admin.response(200, AdminOwnerSchema)
def unban(owner_id: str) -> Owner:
    """Let a banned owner in again"""
    owner = store().owners.ban(owner_id, None)
    _note("unban", owner_id)
    return owner


@admin.route("/owners/<owner_id>/keys", methods=["POST"])
@admin.response(201, NewKeySchema)
@marked("takes_once")
def recover_key(owner_id: str) -> Any:
    """Make a key for an owner who has lost his

    It is shown this once; hand it over by a way that you trust.
    """
    owner = store().owners.get(owner_id)
    scopes = scopes_of(owner.role)
    made = store().keys.create(owner_id, "recovered", scopes, settings().keys_per_owner, once())
    _note("recover key", owner_id)
    return new_key(made)


@admin.route("/workers/<name>/drain", methods=["POST"])
@admin.response(202, WorkerListSchema)
def drain(name: str) -> Any:
    """Drain a worker

    It takes no more matches; those it plays go on to their end. Then it can be stopped.
    """
    store().workers.drain(name)
    _note("drain", name)
    return _worker(name)


def _worker(name: str) -> Any:
    return {"items": [worker for worker in store().workers.all() if worker.name == name]}, 202


@admin.route("/workers/<name>/undrain", methods=["POST"])
@admin.response(202, WorkerListSchema)
def undrain(name: str) -> Any:
    """Let a drained worker play again

    It takes matches from its next heartbeat on, within two seconds.
    """
    store().workers.undrain(name)
    _note("undrain", name)
    return _worker(name)


@admin.route("/workers")
@admin.response(200, WorkerListSchema)
def list_workers() -> Any:
    """List the workers of the last hour"""
    return {"items": store().workers.all()}

"""A class's owners in one go, and invitations: for organisers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import marshmallow as ma
from marshmallow import validate

from service.api.access import PLAYER_SCOPES
from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import store
from service.api.errors import ApiError
from service.api.objects import owns
from service.api.once import once
from service.api.owners import new_key
from service.api.schemas.fields import Id, Line, Time, Whole, described
from service.api.schemas.owners import NewKeySchema, OwnerSchema
from service.errors import Conflict, NotFound, Unavailable
from service.models import Owner, Role
from service.store import Once
from service.store.invitations import DAY_MS

roster = Blueprint("roster", __name__, url_prefix="/v1", description="A class's owners, and invitations.")

MAX_ROSTER = 300


class RosterSchema(ma.Schema):
    """The names of those who are to be owners."""

    names = ma.fields.List(
        Line(2, 40),
        required=True,
        validate=validate.Length(1, MAX_ROSTER),
        metadata=described("Unique, whatever the case.", example=["Ada", "Bob"]),
    )


class EnrolledSchema(ma.Schema):
    """What became of one name: an owner with a key, or why not."""

    name = ma.fields.String(required=True)
    owner = ma.fields.Nested(OwnerSchema, required=True, allow_none=True)
    key = ma.fields.Nested(NewKeySchema, required=True, allow_none=True)
    problem = ma.fields.String(required=True, allow_none=True, metadata=described("Why not, if not."))


class EnrolledListSchema(ma.Schema):
    """What became of every name, in their order."""

    items = ma.fields.List(ma.fields.Nested(EnrolledSchema), required=True)


class InvitationRequestSchema(ma.Schema):
    """For how many, and for how long."""

    uses = Whole(1, 1000, load_default=1, metadata=described("How many may sign up with it."))
    days = Whole(1, 365, load_default=30, metadata=described("For how long."))


class InvitationSchema(ma.Schema):
    """An invitation without its code."""

    id = Id("i", required=True)
    uses = ma.fields.Integer(required=True, metadata=described("How many may still sign up with it."))
    created_at = Time(required=True)
    expires_at = Time(required=True)


class NewInvitationSchema(InvitationSchema):
    """An invitation as it is shown once."""

    code = ma.fields.String(required=True, metadata=described("It is not shown again.", example="inv_…_…"))


class InvitationListSchema(ma.Schema):
    """The asking owner's invitations that can still be used, newest first."""

    items = ma.fields.List(ma.fields.Nested(InvitationSchema), required=True)


@roster.route("/roster", methods=["POST"])
@roster.arguments(RosterSchema)
@roster.response(201, EnrolledListSchema)
@marked("takes_once")
def enrol(wanted: dict[str, Any]) -> Any:
    """Add a class

    An owner with a key for each name; the keys are shown this once. A name that is taken is reported and
    changes nothing, so that the same list can be sent again.
    """
    names, seen = wanted["names"], once()
    if len({name.casefold() for name in names}) < len(names):
        raise ApiError("invalid", "names: one stands in the list twice.", (("names", "one stands twice"),))
    return {"items": list(_all_enrolled(names, seen))}, 201


def _all_enrolled(names: Sequence[str], seen: Once | None) -> Iterator[dict[str, Any]]:
    """What becomes of each. If the store goes away meanwhile, who has been made still gets his key."""
    away: Unavailable | None = None
    for place, name in enumerate(names):
        if away is None:
            try:
                yield _enrolled(name, seen)
                continue
            except Unavailable as error:
                if place == 0:
                    raise
                away = error
        yield _unmade(name, f"not added, {away.detail}; send the list again")


def _unmade(name: str, problem: str, owner: Owner | None = None) -> dict[str, Any]:
    return {"name": name, "owner": owner, "key": None, "problem": problem}


def _enrolled(name: str, seen: Once | None) -> dict[str, Any]:
    """What becomes of one name. A list that comes again goes on where it was broken off."""
    draft = store().keys.draft("", "first key", PLAYER_SCOPES)
    each = seen and store().owners.part(seen, name)
    try:
        owner = store().owners.create(name, Role.PLAYER, draft.key, each)
    except Conflict as error:
        return _unmade(name, error.detail)
    if each is not None and store().keys.list(owner.id)[-1].id != draft.key.id:
        return _unmade(name, "this request was carried out before; the key was shown then", owner)
    return {"name": name, "owner": owner, "key": new_key(draft), "problem": None}


@roster.route("/invitations", methods=["POST"])
@roster.arguments(InvitationRequestSchema)
@roster.response(201, NewInvitationSchema)
@marked("takes_once")
def invite(wanted: dict[str, Any]) -> Any:
    """Make an invitation

    Its code lets people sign up where that is by invitation; it is shown this once.
    """
    valid_ms = wanted["days"] * DAY_MS
    made, code = store().invitations.create(asker().owner.id, wanted["uses"], valid_ms, once())
    if not code:
        raise ApiError(
            "shown-once",
            f"This request was carried out before: it made the invitation {made.id} and showed its code. "
            "If that was lost, revoke it and make another one.",
        )
    return {**asdict(made), "code": code}, 201


@roster.route("/invitations")
@roster.response(200, InvitationListSchema)
def list_invitations() -> Any:
    """List my invitations

    Those that can still be used, newest first.
    """
    return {"items": store().invitations.list(asker().owner.id)}


@roster.route("/invitations/<invitation_id>", methods=["DELETE"])
@roster.response(204)
def revoke_invitation(invitation_id: str) -> None:
    """Revoke an invitation

    Nobody signs up with it any more; who has done so stays.
    """
    if not owns(store().invitations.get(invitation_id).by):
        raise NotFound(
            "not-found", f"You have no invitation {invitation_id}; GET /v1/invitations lists them."
        )
    store().invitations.revoke(invitation_id)

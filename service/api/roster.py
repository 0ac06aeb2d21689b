"""A class's owners in one go, and invitations: for organisers."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import validate

from service.api.access import PLAYER_SCOPES
from service.api.auth import asker
from service.api.blueprint import Blueprint
from service.api.context import now_ms, store
from service.api.errors import ApiError
from service.api.owners import new_key
from service.api.schemas.fields import Line, Time, Whole, described
from service.api.schemas.owners import NewKeySchema, OwnerSchema
from service.errors import Conflict
from service.models import Role

roster = Blueprint("roster", __name__, url_prefix="/v1", description="A class's owners, and invitations.")

MAX_ROSTER = 300
DAY_MS = 24 * 3600 * 1000


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
    """An invitation as it is shown once."""

    code = ma.fields.String(required=True, metadata=described("It is not shown again.", example="inv_…"))
    uses = ma.fields.Integer(required=True)
    expires_at = Time(required=True)


@roster.route("/roster", methods=["POST"])
@roster.arguments(RosterSchema)
@roster.response(201, EnrolledListSchema)
def enrol(wanted: dict[str, Any]) -> Any:
    """Add a class

    An owner with a key for each name; the keys are shown this once. A name that is taken is reported and
    changes nothing, so that the same list can be sent again.
    """
    names = wanted["names"]
    if len({name.casefold() for name in names}) < len(names):
        raise ApiError("invalid", "names: one stands in the list twice.", (("names", "one stands twice"),))
    return {"items": [_enrolled(name) for name in names]}, 201


def _enrolled(name: str) -> dict[str, Any]:
    draft = store().keys.draft("", "first key", PLAYER_SCOPES)
    try:
        owner = store().owners.create(name, Role.PLAYER, draft.key)
    except Conflict as error:
        return {"name": name, "owner": None, "key": None, "problem": error.detail}
    return {"name": name, "owner": owner, "key": new_key(draft), "problem": None}


@roster.route("/invitations", methods=["POST"])
@roster.arguments(InvitationRequestSchema)
@roster.response(201, InvitationSchema)
def invite(wanted: dict[str, Any]) -> Any:
    """Make an invitation

    Its code lets people sign up where that is by invitation; it is shown this once.
    """
    valid_ms = wanted["days"] * DAY_MS
    code = store().invitations.create(asker().owner.id, wanted["uses"], valid_ms)
    return {"code": code, "uses": wanted["uses"], "expires_at": now_ms() + valid_ms}, 201

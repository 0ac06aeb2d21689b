"""Owners and their keys."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from service.api.access import SCOPES
from service.api.schemas.fields import Id, Line, Time, described
from service.models import Role


class SignUpSchema(ma.Schema):
    """A sign-up."""

    name = Line(2, 40, required=True, metadata=described("Unique, whatever the case.", example="Ada"))
    invitation = ma.fields.String(
        load_default=None,
        validate=validate.Length(1, 100),
        metadata=described("The invitation's code, where the service asks for one."),
    )


class OwnerSchema(ma.Schema):
    """An owner as anybody may see it."""

    id = Id("o", required=True)
    name = ma.fields.String(required=True)
    role = ma.fields.Enum(Role, by_value=True, required=True)
    created_at = Time(required=True)


class AdminOwnerSchema(OwnerSchema):
    """An owner as the operator sees it."""

    banned = ma.fields.String(required=True, allow_none=True, metadata=described("Why, if banned."))


class KeySchema(ma.Schema):
    """An API key without its secret."""

    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    scopes = ma.fields.List(ma.fields.String(), required=True)
    created_at = Time(required=True)
    last_used_at = Time(required=True, allow_none=True)


class NewKeySchema(KeySchema):
    """An API key as it is shown once."""

    key = ma.fields.String(
        required=True, metadata=described("The whole key. It is not shown again.", example="arb_01k8…_…")
    )


class SignedUpSchema(ma.Schema):
    """A new owner and its first key."""

    owner = ma.fields.Nested(OwnerSchema, required=True)
    key = ma.fields.Nested(NewKeySchema, required=True)


class QuotaSchema(ma.Schema):
    """How much of a quota is used."""

    used = ma.fields.Integer(required=True)
    limit = ma.fields.Integer(required=True)


class MeSchema(OwnerSchema):
    """The asking owner."""

    key_id = ma.fields.String(required=True, metadata=described("The key that asked."))
    scopes = ma.fields.List(ma.fields.String(), required=True, metadata=described("What the key may do."))
    quotas = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.Nested(QuotaSchema),
        required=True,
        metadata=described(
            "bots, keys, webhooks, matches and tournaments that are open; /v1/limits has the rates.",
            example={"bots": {"used": 2, "limit": 50}},
        ),
    )


class KeyRequestSchema(ma.Schema):
    """A wish for a key."""

    name = Line(1, 40, required=True, metadata=described("What it is for.", example="laptop"))
    scopes = ma.fields.List(
        ma.fields.String(validate=validate.OneOf(list(SCOPES))),
        load_default=None,
        validate=validate.Length(1, len(SCOPES)),
        metadata=described("At most those of the key that asks; left out: the same."),
    )


class RoleChangeSchema(ma.Schema):
    """A change of role."""

    role = ma.fields.Enum(Role, by_value=True, required=True)


class AddOwnerSchema(ma.Schema):
    """An owner whom the operator adds."""

    name = Line(2, 40, required=True)
    role = ma.fields.Enum(Role, by_value=True, load_default=Role.PLAYER)


class ReasonSchema(ma.Schema):
    """Why something is done, for those concerned to read."""

    reason = Line(3, 300, required=True, metadata=described("A sentence that those concerned will read."))


class OptionalReasonSchema(ma.Schema):
    """Why something is done, if there is more to say; the whole body may be left out."""

    may_be_absent = True

    reason = Line(3, 300, load_default=None, metadata=described("A sentence that those concerned will read."))

"""Owners: sign up, and who one is."""

from __future__ import annotations

from typing import Any

from service.api.access import PLAYER_SCOPES
from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import settings, store
from service.api.errors import ApiError
from service.api.once import once
from service.api.schemas.owners import MeSchema, OwnerSchema, SignedUpSchema, SignUpSchema
from service.models import Owner, Role
from service.store.api_keys import NewKey
from service.store.documents import Spending

owners = Blueprint("owners", __name__, url_prefix="/v1/owners", description="Who has bots and keys.")


@owners.route("", methods=["POST"])
@owners.arguments(SignUpSchema)
@owners.response(201, SignedUpSchema)
@marked("takes_once")
def sign_up(wanted: dict[str, Any]) -> dict[str, Any]:
    """Sign up

    The answer holds an API key, which is shown this once.
    """
    invitation = _admitted(wanted["invitation"])
    owner, key = add_owner(wanted["name"], Role.PLAYER, PLAYER_SCOPES, invitation)
    return {"owner": owner, "key": new_key(key)}


def _admitted(invitation: str | None) -> Spending | None:
    """What signing up uses up; raises ApiError, Refused."""
    if settings().signup == "closed":
        raise ApiError("signup-closed", "Nobody can sign up here; ask the operator to add you.")
    if settings().signup == "open":
        return None
    if invitation is None:
        raise ApiError(
            "bad-invitation", "Signing up here needs an invitation; send its code in `invitation`."
        )
    return store().invitations.use(invitation)


def add_owner(
    name: str, role: Role, scopes: tuple[str, ...], invitation: Spending | None = None
) -> tuple[Owner, NewKey]:
    """A new owner with a first key, in one step; the key's text is empty where the request came again."""
    draft, seen = store().keys.draft("", "first key", scopes), once()
    owner = store().owners.create(name, role, draft.key, seen, invitation)
    if seen is not None:
        first = store().keys.list(owner.id)[-1]
        draft = draft if first.id == draft.key.id else NewKey(first, "")
    return owner, draft


def new_key(new: NewKey) -> dict[str, Any]:
    """A key as it is shown once."""
    if not new.text:
        raise ApiError(
            "shown-once",
            f"This request was carried out before: it made the key {new.key.id} and showed its secret. "
            "If that was lost, revoke that key and make another one.",
        )
    return {
        "id": new.key.id,
        "name": new.key.name,
        "scopes": new.key.scopes,
        "created_at": new.key.created_at,
        "last_used_at": None,
        "key": new.text,
    }


@owners.route("/me")
@owners.response(200, MeSchema)
def me() -> dict[str, Any]:
    """Who am I?

    The owner and what the key that asks may do.
    """
    who = asker()
    owner = who.owner
    return {
        "id": owner.id,
        "name": owner.name,
        "role": owner.role,
        "created_at": owner.created_at,
        "key_id": who.key.id,
        "scopes": who.key.scopes,
        "quotas": _quotas(owner),
    }


def _quotas(owner: Owner) -> dict[str, dict[str, int]]:
    limits = {
        "bots": settings().bots_per_owner,
        "keys": settings().keys_per_owner,
        "webhooks": settings().webhooks_per_owner,
        "matches": settings().open_matches_per_owner,
        "tournaments": tournaments_of(owner.role),
    }
    used = store().quotas.used(owner.id)
    return {name: {"used": used[name], "limit": limit} for name, limit in limits.items()}


def tournaments_of(role: Role) -> int:
    """How many tournaments that are not over an owner of that role may have."""
    chosen = settings()
    return (
        chosen.open_tournaments_per_player if role is Role.PLAYER else chosen.open_tournaments_per_organiser
    )


@owners.route("/<owner_id>")
@owners.response(200, OwnerSchema)
def read(owner_id: str) -> Owner:
    """Read an owner"""
    return store().owners.get(owner_id)

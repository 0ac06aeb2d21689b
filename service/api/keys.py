"""API keys: several per owner, named, with scopes, revocable."""

from __future__ import annotations

from typing import Any

from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.context import settings, store
from service.api.errors import ApiError
from service.api.objects import owns
from service.api.once import once
from service.api.owners import new_key
from service.api.paging import page
from service.api.schemas.lists import page_of
from service.api.schemas.owners import KeyRequestSchema, KeySchema, NewKeySchema
from service.errors import NotFound
from service.models import Page

keys = Blueprint("keys", __name__, url_prefix="/v1/keys", description="The asking owner's API keys.")


@keys.route("")
@keys.response(200, page_of(KeySchema))
def list_keys() -> Any:
    """List my keys

    All that are not revoked, newest first, in one page.
    """
    return page(Page(store().keys.list(asker().owner.id)))


@keys.route("", methods=["POST"])
@keys.arguments(KeyRequestSchema)
@keys.response(201, NewKeySchema)
@marked("takes_once")
def create(wanted: dict[str, Any]) -> dict[str, Any]:
    """Make a key

    Its secret is shown this once. A key makes keys with its own scopes at most.
    """
    held = asker().key.scopes
    scopes = tuple(dict.fromkeys(wanted["scopes"] or held))
    beyond = [scope for scope in scopes if scope not in held]
    if beyond:
        raise ApiError(
            "missing-scope",
            f"This key has not the scope {beyond[0]} and so cannot give it; it has {', '.join(held)}.",
            (("scopes", f"{', '.join(beyond)}: not held by the key that asks"),),
        )
    return new_key(
        store().keys.create(asker().owner.id, wanted["name"], scopes, settings().keys_per_owner, once())
    )


@keys.route("/<key_id>", methods=["DELETE"])
@keys.response(204)
def revoke(key_id: str) -> None:
    """Revoke a key

    It is dead at once and stays so.
    """
    found = store().keys.known(key_id)
    if found is None or not owns(found[1].id):
        raise NotFound("not-found", f"You have no key {key_id!r}; GET /v1/keys lists yours.")
    store().keys.revoke(found[1].id, key_id)

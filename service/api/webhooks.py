"""Webhooks: be told of finished matches and tournaments and of paused bots, instead of asking."""

from __future__ import annotations

from typing import Any

from service.api.auth import asker
from service.api.blueprint import Blueprint, marked
from service.api.bots import check_port
from service.api.context import jobs, now_ms, settings, store
from service.api.objects import owns
from service.api.once import once
from service.api.schemas.webhooks import (
    DeliveryListSchema,
    NewWebhookSchema,
    WebhookListSchema,
    WebhookRequestSchema,
    WebhookSchema,
)
from service.errors import NotFound
from service.ids import new_id
from service.models import Webhook
from service.store.bots import new_secret

PING_EVERY_MS = 10_000
_DESCRIPTION = """\
Be told of results instead of asking. Each message is a POST of `{"type", "timestamp", "data"}`, signed in the
Standard Webhooks form (`webhook-id`, which stays the same over all tries, `webhook-timestamp`,
`webhook-signature`). `data` is for

- `match.finished`: `match`, `game`, `tournament`, `rated`, `players` by seat, `result`, `record_url`; to the
  owners of its bots
- `tournament.finished`: `tournament`, `name`, `game`, `url` of the standings; to its owner and its entrants'
- `bot.paused`: `bot`, `name`, `reason`; to its owner
- `ping`: `webhook`

Any 2xx is a success, whatever follows it. Anything else is tried again after 5 s, 30 s, 2 min, 10 min and an
hour; after five messages in a row that never arrived the webhook is paused, and at once by 410."""
webhooks = Blueprint("webhooks", __name__, url_prefix="/v1/webhooks", description=_DESCRIPTION)


def own_webhook(webhook_id: str) -> Webhook:
    """A webhook of the asker's; raises NotFound."""
    hook = store().webhooks.get(webhook_id)
    if not owns(hook.owner):
        raise NotFound("not-found", f"You have no webhook {webhook_id}; GET /v1/webhooks lists yours.")
    return hook


@webhooks.route("", methods=["POST"])
@webhooks.arguments(WebhookRequestSchema)
@webhooks.response(201, NewWebhookSchema)
@marked("takes_once")
def create(wanted: dict[str, Any]) -> Any:
    """Add a webhook

    The answer holds its signing secret, which is shown this once. Messages come at least once, signed in the
    Standard Webhooks form; answer any 2xx. What fails is tried again, later and later.
    """
    check_port(wanted["url"])
    hook = Webhook(
        id=new_id("w"),
        owner=asker().owner.id,
        url=wanted["url"],
        events=tuple(dict.fromkeys(wanted["events"])),
        secret=new_secret(),
        created_at=now_ms(),
    )
    made = store().webhooks.create(hook, settings().webhooks_per_owner, once())
    return made, 201, {"Location": f"/v1/webhooks/{made.id}"}


@webhooks.route("")
@webhooks.response(200, WebhookListSchema)
def list_webhooks() -> Any:
    """List my webhooks"""
    return {"items": store().webhooks.list(asker().owner.id)}


@webhooks.route("/<webhook_id>")
@webhooks.response(200, WebhookSchema)
def read(webhook_id: str) -> Any:
    """Read a webhook"""
    return own_webhook(webhook_id)


@webhooks.route("/<webhook_id>", methods=["DELETE"])
@webhooks.response(204)
def delete(webhook_id: str) -> None:
    """Delete a webhook"""
    own_webhook(webhook_id)
    store().webhooks.delete(webhook_id)


@webhooks.route("/<webhook_id>/deliveries")
@webhooks.response(200, DeliveryListSchema)
def deliveries(webhook_id: str) -> Any:
    """How the last deliveries went

    Fifty tries, newest first: what was answered, or why it did not arrive.
    """
    own_webhook(webhook_id)
    return {"items": store().webhooks.deliveries(webhook_id)}


@webhooks.route("/<webhook_id>/secret", methods=["POST"])
@webhooks.response(200, NewWebhookSchema)
def rotate_secret(webhook_id: str) -> Any:
    """Rotate a webhook's signing secret

    The new one is shown this once. For a day messages are signed with both.
    """
    own_webhook(webhook_id)
    return store().webhooks.rotate_secret(webhook_id)


@webhooks.route("/<webhook_id>/ping", methods=["POST"])
@webhooks.response(202, WebhookSchema)
def ping(webhook_id: str) -> Any:
    """Try a webhook

    Sends a `ping`, one in ten seconds, and lets a paused one be told again. Its deliveries show how it went.
    """
    own_webhook(webhook_id)
    hook = store().webhooks.go_on(webhook_id)
    at = now_ms()
    letter = f"{hook.id}:ping:{at // PING_EVERY_MS}"
    store().outbox.add(letter, {"kind": "webhook", "event": "ping", "webhook": hook.id, "at": at})
    jobs().deliver()
    return hook, 202, {"Location": f"/v1/webhooks/{hook.id}/deliveries"}

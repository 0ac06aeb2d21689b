"""webhook: be told of results, over the API."""

from __future__ import annotations

import click

from service.store.webhooks import EVENTS
from workers.commands.remote import Remote, given, remote

DELIVERIES = ("at", "event", "attempt", "status", "delivered", "detail", "next_at")


@click.group()
def webhook() -> None:
    """Be told of finished matches and tournaments and of paused bots, instead of asking."""


@webhook.command()
@click.argument("url")
@click.option("--event", "events", type=click.Choice(EVENTS), multiple=True, help="Default: all of them.")
@remote
def new(to: Remote, url: str, events: tuple[str, ...]) -> None:
    """Have messages POSTed to URL; shows the secret that signs them, this once."""
    to.show(to.client.post("/v1/webhooks", given(url=url, events=list(events) or None)))


@webhook.command("list")
@remote
def list_webhooks(to: Remote) -> None:
    """List your webhooks, the newest first."""
    to.table(to.client.get("/v1/webhooks")["items"], ("id", "url", "events", "paused", "created_at"))


@webhook.command()
@click.argument("webhook_id")
@click.option("--last", type=click.IntRange(1, 50), default=10, show_default=True, help="How many tries.")
@remote
def show(to: Remote, webhook_id: str, last: int) -> None:
    """Show a webhook and how its last deliveries went."""
    found = to.client.get(f"/v1/webhooks/{webhook_id}")
    tries = to.client.get(f"/v1/webhooks/{webhook_id}/deliveries")["items"][:last]
    if to.as_json:
        to.show({**found, "deliveries": tries})
        return
    to.show(found)
    to.table(tries, DELIVERIES, title="last deliveries")


@webhook.command()
@click.argument("webhook_id")
@remote
def test(to: Remote, webhook_id: str) -> None:
    """Send it a ping; a paused one is told again from now on. `show` tells how it went."""
    to.client.post(f"/v1/webhooks/{webhook_id}/ping", {})
    to.say(f"a ping is on its way; arbiter webhook show {webhook_id}")


@webhook.command()
@click.argument("webhook_id")
@remote
def rotate(to: Remote, webhook_id: str) -> None:
    """Replace its signing secret; shows the new one, this once. For a day both sign."""
    to.show(to.client.post(f"/v1/webhooks/{webhook_id}/secret", {}))


@webhook.command()
@click.argument("webhook_id")
@remote
def delete(to: Remote, webhook_id: str) -> None:
    """Tell it nothing any more."""
    to.client.delete(f"/v1/webhooks/{webhook_id}")
    to.say(f"{webhook_id} is deleted")


COMMANDS = (webhook,)

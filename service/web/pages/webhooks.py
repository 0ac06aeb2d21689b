"""One's webhooks: how their deliveries went, new ones, tries, new secrets."""

from __future__ import annotations

from typing import Any

from flask import redirect, render_template

from service.api.context import store
from service.api.objects import asker_id
from service.store.webhooks import EVENTS
from service.web.blueprint import web
from service.web.forms import Form, need_owner
from service.web.inside import ask

SHOWN = 10  # of the last deliveries
WHERE = "/me/webhooks"
_TOLD = {
    "match.finished": "a match of a bot of yours is over",
    "tournament.finished": "a tournament of yours, or one that you are in, is over",
    "bot.paused": "a bot of yours was paused",
}


@web.get(WHERE)
def webhooks() -> str:
    return _page(Form.empty())


def _page(form: Form) -> str:
    need_owner()
    hooks = store().webhooks.list(asker_id())
    return render_template(
        "web/webhooks.html",
        form=form,
        events=[(event, _TOLD[event]) for event in EVENTS],
        hooks=[(hook, store().webhooks.deliveries(hook.id)[:SHOWN]) for hook in hooks],
    )


@web.post(WHERE)
def create_webhook() -> Any:
    need_owner()
    form = Form.sent()
    wanted = {"url": form.get("url"), "events": form.all("events")}
    made = form.send("POST", "/v1/webhooks", wanted)
    if made is None:
        return _page(form), form.status
    return render_template("web/webhook_made.html", hook=made, new=True), 201


@web.post(f"{WHERE}/<webhook_id>/test")
def test_webhook(webhook_id: str) -> Any:
    need_owner()
    ask("POST", f"/v1/webhooks/{webhook_id}/ping").check()
    return redirect(f"{WHERE}#{webhook_id}", 303)


@web.post(f"{WHERE}/<webhook_id>/secret")
def rotate_webhook(webhook_id: str) -> Any:
    need_owner()
    made = ask("POST", f"/v1/webhooks/{webhook_id}/secret").check().body
    return render_template("web/webhook_made.html", hook=made, new=False), 201


@web.post(f"{WHERE}/<webhook_id>/delete")
def delete_webhook(webhook_id: str) -> Any:
    need_owner()
    ask("DELETE", f"/v1/webhooks/{webhook_id}").check()
    return redirect(WHERE, 303)

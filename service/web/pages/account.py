"""Signing up, in and out; one's own page with bots, matches, tournaments and keys."""

from __future__ import annotations

from typing import Any

from flask import redirect, render_template, request

from service.api.access import SCOPES
from service.api.context import settings, store
from service.api.objects import asker_id
from service.store import BotFilter, MatchFilter, TournamentFilter
from service.web import session
from service.web.blueprint import web
from service.web.forms import Form, need_owner
from service.web.inside import ask

SHOWN = 12


@web.get("/sign-up")
def sign_up_page() -> str:
    return _sign_up_form(Form.empty())


def _sign_up_form(form: Form) -> str:
    return render_template("web/sign_up.html", form=form, signup=settings().signup)


@web.post("/sign-up")
def sign_up() -> Any:
    form = Form.sent()
    wanted = {"name": form.get("name")}
    if form.get("invitation"):
        wanted["invitation"] = form.get("invitation")
    made = form.send("POST", "/v1/owners", wanted)
    if made is None:
        return _sign_up_form(form), form.status
    session.sign_in(made["key"]["id"])
    return render_template("web/key_made.html", key=made["key"], first=True), 201


@web.get("/sign-in")
def sign_in_page() -> str:
    return render_template("web/sign_in.html", form=Form.empty(request.args))


@web.post("/sign-in")
def sign_in() -> Any:
    form = Form.sent()
    key = form.get("key").strip()
    answer = ask("GET", "/v1/owners/me", headers={"Authorization": f"Bearer {_ascii(key)}"})
    if not answer.ok:
        form.problem, form.status = answer.body["detail"], answer.status
        form.errors = {"key": "This key is not good."}
        return render_template("web/sign_in.html", form=form), form.status
    session.sign_in(answer.body["key_id"])
    return redirect(_inside(form.get("next")), 303)


def _ascii(text: str) -> str:
    """What may stand in a header; what may not makes a wrong key."""
    return "".join(character if "!" <= character <= "~" else "?" for character in text)


def _inside(path: str) -> str:
    """An address of ours; the owner's own page for anything else."""
    safe = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if safe else "/me"


@web.post("/sign-out")
def sign_out() -> Any:
    session.sign_out()
    return redirect("/", 303)


@web.get("/me")
def me() -> str:
    return _my_page(Form.empty())


def _my_page(form: Form) -> str:
    who = need_owner()
    mine = asker_id()
    return render_template(
        "web/me.html",
        form=form,
        who=who,
        scopes=[(scope, SCOPES[scope]) for scope in who.key.scopes],
        bots=store().bots.list(BotFilter(owner=mine, viewer=mine), limit=100).items,
        matches=store().matches.list(MatchFilter(owner=mine, viewer=mine), limit=SHOWN).items,
        tournaments=store().tournaments.list(TournamentFilter(owner=mine, viewer=mine), limit=SHOWN).items,
        keys=store().keys.list(mine) if "keys" in who.key.scopes else (),
        current=who.key.id,
    )


@web.post("/me/keys")
def create_key() -> Any:
    need_owner()
    form = Form.sent()
    made = form.send("POST", "/v1/keys", {"name": form.get("name"), "scopes": form.all("scopes") or None})
    if made is None:
        return _my_page(form), form.status
    return render_template("web/key_made.html", key=made, first=False), 201


@web.post("/me/keys/<key_id>/revoke")
def revoke_key(key_id: str) -> Any:
    need_owner()
    ask("DELETE", f"/v1/keys/{key_id}").check()
    return redirect("/me", 303)

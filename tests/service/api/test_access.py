"""The authorisation matrix: every route, asked by everybody, about own, foreign and private things.

It is made from the application's routes. A route without a line in the access table, or one that takes a
body and has none here, fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from service.api.access import ACCESS, PLAYER_SCOPES, SCOPES, Access, reaches, scopes_of
from service.models import Role
from tests.service.api.conftest import Person, Service, problem
from tests.service.api.playing import play

REASON = {"reason": "as a test"}
BODIES = {
    "owners.sign_up": {"name": "Newcomer"},
    "keys.create": {"name": "one more"},
    "bots.register": {"name": "One more", "games": ["quixo"], "url": "http://127.0.0.1:9000/"},
    "bots.change": {"version": "2"},
    "checks.create": {"games": ["quixo"]},
    "turns.reply": {"move": 0},
    "matches.create": {"game": "quixo", "bots": ["b_0000000000000000"] * 2},
    "tournaments.create": {"name": "Cup", "game": "quixo"},
    "tournaments.change": {"cycles": 2},
    "tournaments.cancel": REASON,
    "entrants.enter": {"bot": "b_0000000000000000"},
    "webhooks.create": {"url": "http://127.0.0.1:9000/hook"},
    "roster.enrol": {"names": ["Pupil"]},
    "roster.invite": {},
    "admin.void_match": REASON,
    "admin.set_matchmaking": {"paused": False},
    "admin.add": {"name": "Added", "role": "player"},
    "admin.change_owner": {"role": "organiser"},
    "admin.ban": REASON,
}
PEOPLE = (
    *("admin", "owner", "nobody", "owner without the scope", "foreign player", "foreign organiser"),
    "admin without the scope admin",
)
OTHER_NAMES = {"docs.schema": {"name": "bot-protocol-1"}, "admin.drain": {"name": "spare-worker"}}
OTHER_NAMES["admin.undrain"] = OTHER_NAMES["admin.drain"]
CHANGING = ("admin", "owner", "nobody")
OUTSIDE = {"metrics.scrape"}  # has a token of its own; tests/service/api/test_operator.py


@dataclass
class World:
    """Ada's things, public or private, and people who ask for them."""

    ids: dict[str, str]
    people: dict[str, Person]
    private: bool


def build(service: Service, private: bool, needed: str | None) -> World:
    ada, bob = service.somebody(), service.somebody()
    admin = service.somebody(Role.ADMIN)
    bot, other = service.bot(ada)["id"], service.bot(bob)["id"]
    rated = ada.post("/v1/matches", json={"game": "quixo", "bots": [bot, other]}).json["items"][0]["id"]
    play(service.store, rated, moves=1)
    cup = ada.post("/v1/tournaments", json={"name": "Cup", "game": "quixo"}).json["id"]
    ada.post(f"/v1/tournaments/{cup}/entrants", json={"bot": bot})
    if private:
        assert ada.patch(f"/v1/bots/{bot}", json={"private": True}).status_code == 200
        assert ada.patch(f"/v1/tournaments/{cup}", json={"private": True}).status_code == 200
    second = service.bot(ada)["id"]
    match = ada.post("/v1/matches", json={"game": "quixo", "bots": [bot, second]}).json["items"][0]["id"]
    hook = ada.post("/v1/webhooks", json={"url": "http://127.0.0.1:9000/hook"}).json["id"]
    spare = ada.post("/v1/keys", json={"name": "spare"}).json["id"]
    ids = {"bot_id": bot, "match_id": match, "tournament_id": cup, "key_id": spare, "owner_id": bob.id}
    ids |= {"ladder": "quixo", "name": "quixo", "slug": "not-found", "other_id": other, "message_id": "x"}
    ids |= {"check_id": ada.post(f"/v1/bots/{bot}/checks", json={}).json["id"]}
    ids |= {"webhook_id": hook, "invitation_id": service.store.invitations.create(ada.id)[0].id}
    service.store.workers.beat("spare-worker", "matches", 0, 0)
    return World(ids, _people(service, ada, bob, admin, needed), private)


def _people(
    service: Service, ada: Person, bob: Person, admin: Person, needed: str | None
) -> dict[str, Person]:
    """Everybody who asks."""

    def with_scopes(person: Person, scopes: tuple[str, ...]) -> Person:
        return Person(person.client, person.id, service.store.keys.create(person.id, "k", scopes).text)

    others = tuple(scope for scope in PLAYER_SCOPES if scope != needed)
    return {
        "nobody": service.nobody,
        "owner without the scope": with_scopes(ada, others),
        "foreign player": bob,
        "foreign organiser": service.somebody(Role.ORGANISER),
        "admin without the scope admin": with_scopes(admin, PLAYER_SCOPES),
        "admin": admin,
        "owner": ada,
    }


def expected(line: Access, who: str, private: bool) -> tuple[int, str] | None:
    """The refusal that the access table asks for, None if there is none."""
    roles = {
        "foreign organiser": Role.ORGANISER,
        "admin": Role.ADMIN,
        "admin without the scope admin": Role.ADMIN,
    }
    scopes = {"owner without the scope": set(PLAYER_SCOPES) - {line.scope}, "admin": set(SCOPES)}
    if line.scope is not None:
        if who == "nobody":
            return 401, "no-key"
        if not reaches(roles.get(who, Role.PLAYER), line.role):
            return 403, "missing-role"
        if line.scope not in scopes.get(who, set(PLAYER_SCOPES)):
            return 403, "missing-scope"
    if who in ("owner", "owner without the scope", "admin"):
        return None
    if line.thing == "own" or (line.thing == "seen" and private):
        return 404, "not-found"
    return None


def routes(app) -> Iterator[tuple[str, str, str]]:
    for rule in app.url_map.iter_rules():
        if rule.endpoint in OUTSIDE or rule.endpoint.startswith("web."):
            continue
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            yield rule.endpoint, method.lower(), rule.rule


def ask(person: Person, method: str, path: str, endpoint: str):
    if method in ("post", "put", "patch") and endpoint in BODIES:
        return getattr(person, method)(path, json=BODIES[endpoint])
    return getattr(person, method)(path)


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
def test_everybody_gets_what_the_table_says(service, private):
    wrong = []
    for endpoint, method, rule in routes(service.app):
        for who in PEOPLE:
            if who == PEOPLE[0] or (
                method != "get" and who in CHANGING
            ):  # what they delete is gone for those behind them
                world = build(service, private, ACCESS[endpoint].scope)
            ids = world.ids | OTHER_NAMES.get(endpoint, {})
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule).format_map(ids)
            answer = ask(world.people[who], method, path, endpoint)
            wanted = expected(ACCESS[endpoint], who, private)
            if not as_wanted(answer, wanted):
                wrong.append(f"{method} {path} by {who}, not {wanted}: {answer.get_data(as_text=True)[:150]}")
    assert wrong == []


def as_wanted(answer, wanted: tuple[int, str] | None) -> bool:
    """Whether somebody was refused as the table says, or let in (whatever else is wrong with his request)."""
    if wanted is None:
        return answer.status_code < 500 and answer.status_code not in (401, 403, 404)
    return answer.status_code >= 400 and problem(answer) == wanted


def test_every_route_that_takes_a_body_has_one_here(service):
    spec = service.app.extensions["arbiter-openapi"]
    taking = {
        operation["operationId"].replace("-", ".", 1)
        for item in spec["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict) and "requestBody" in operation
    }
    assert taking == set(BODIES)


def test_a_new_route_without_a_line_stops_the_start(service):
    from service.api.auth import check_table

    check_table(service.app)
    service.app._got_first_request = False
    service.app.add_url_rule("/v1/back-door", "back_door", lambda: "")
    with pytest.raises(AssertionError, match="back_door"):
        check_table(service.app)


def test_roles_are_ordered_and_only_admins_have_the_scope_admin():
    assert [reaches(Role.ORGANISER, role) for role in (Role.PLAYER, Role.ORGANISER, Role.ADMIN)] == [
        True,
        True,
        False,
    ]
    assert "admin" not in scopes_of(Role.PLAYER)
    assert "admin" not in scopes_of(Role.ORGANISER)
    assert set(scopes_of(Role.ADMIN)) == set(SCOPES)


def test_every_admin_route_asks_for_role_and_scope():
    admin = {endpoint: line for endpoint, line in ACCESS.items() if endpoint.startswith("admin.")}
    assert admin
    assert all(line.scope == "admin" and line.role is Role.ADMIN for line in admin.values())

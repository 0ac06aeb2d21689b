"""Idempotency-Key on every route that creates something: the list is made from the description."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.models import BotState, TournamentState
from service.store import Once
from tests.service.api.conftest import Service, problem
from tests.service.api.test_access import BODIES, World, build
from tests.service.api.test_tournaments import enter, make

# What a POST does that creates nothing: carried out twice it comes to the same. A new one has to be put here,
# or take a key.
ACTIONS = {
    "admin-ban",
    "admin-drain",
    "admin-resume_match",
    "admin-unban",
    "admin-undrain",
    "admin-void_match",
    "bots-rotate_secret",
    "bots-verify",
    "matches-cancel",
    "tournaments-cancel",
    "tournaments-open_entry",
    "tournaments-pause",
    "tournaments-resume",
    "tournaments-start",
    "turns-reply",
    "webhooks-ping",
    "webhooks-rotate_secret",
}
KEY = "0f8fad5b-d9cb-469f-a165-70867728950e"


def posts(service: Service) -> dict[str, tuple[str, dict[str, Any]]]:
    """By operation id: the address and the description of every POST."""
    spec = service.app.extensions["arbiter-openapi"]
    found = ((path, item["post"]) for path, item in spec["paths"].items() if "post" in item)
    return {operation["operationId"]: (path, operation) for path, operation in found}


def creating(service: Service) -> list[str]:
    """The operations that take a key."""
    return sorted(
        name
        for name, (_, operation) in posts(service).items()
        if any(parameter.get("name") == "Idempotency-Key" for parameter in operation.get("parameters", ()))
    )


def test_whatever_creates_takes_a_key(service):
    described, taking = posts(service), set(creating(service))
    assert {name for name, (_, operation) in described.items() if "201" in operation["responses"]} <= taking
    assert set(described) - taking == ACTIONS
    assert len(taking) >= 11


def things(service: Service) -> set[str]:
    """Every key of the store but those that are there for a time: of requests, limits and what is waiting."""
    found = service.store.db.run("KEYS", "{*}:*")
    return {key for key in found if not key.startswith("{capacity}") and ":once:" not in key}


def body_of(name: str, world: World) -> dict[str, Any] | None:
    ids = world.ids
    real = {
        "matches-create": {"game": "quixo", "bots": [ids["bot_id"], ids["other_id"]]},
        "entrants-enter": {"bot": ids["other_id"]},
    }
    return real.get(name, BODIES.get(name.replace("-", ".", 1)))


def kept_ms(service: Service, headers: dict[str, str]) -> float:
    """For how long the key is remembered, at least and at most."""
    found = service.store.db.run("KEYS", f"*:once:*:{digest_of(headers['Idempotency-Key'])}")
    assert found
    left = [service.store.db.run("PTTL", key) for key in found]
    assert max(left) - min(left) < 60_000
    return min(left)


def digest_of(key: str) -> str:
    return Once("", key, "").place("").rpartition(":")[2]


def test_the_same_request_with_the_same_key_makes_nothing_new_and_another_is_refused(service):
    for number, name in enumerate(creating(service)):
        world = build(service, private=False, needed=None)
        admin = name.startswith("admin-")
        person = world.people["admin" if admin or name.startswith("roster-") else "owner"]
        path, _ = posts(service)[name]
        path = path.format_map(world.ids)
        headers = {"Idempotency-Key": f"{KEY}-{number}"}
        body = body_of(name, world)
        first = person.post(path, json=body, headers=headers)
        assert first.status_code in (201, 202), (name, first.get_data(as_text=True))
        assert kept_ms(service, headers) == pytest.approx(24 * 3600 * 1000, abs=60_000), name
        before = things(service)
        again = person.post(path, json=body, headers=headers)
        assert things(service) == before, name
        if again.status_code != first.status_code:
            assert problem(again) == (409, "shown-once"), name
        elif name != "roster-enrol":  # says of each name that it was carried out before
            assert again.json == first.json, name
        if body is not None:
            longer = json.dumps(body) + " "
            other = person.post(path, data=longer, content_type="application/json", headers=headers)
            assert problem(other) == (422, "idempotency-key-reused"), name
            assert things(service) == before, name


def test_another_request_under_the_key_is_refused_wherever_it_goes(service, ada, bob):
    headers = {"Idempotency-Key": KEY}
    contest, pair = make(ada), [service.bot(ada)["id"], service.bot(bob)["id"]]
    path = f"/v1/tournaments/{contest['id']}/entrants"
    assert ada.post(path, json={"bot": pair[0]}, headers=headers).status_code == 201
    refused = [
        ada.post(path, json={"bot": pair[1]}, headers=headers),
        ada.post("/v1/matches", json={"game": "quixo", "bots": pair}, headers=headers),
        ada.post("/v1/webhooks", json={"url": "http://127.0.0.1:9000/"}, headers=headers),
    ]
    assert [problem(answer) for answer in refused] == [(422, "idempotency-key-reused")] * 3


def test_an_entry_is_answered_again_although_entry_has_closed(service, ada):
    contest = make(ada)
    enter(ada, contest, service.bot(service.somebody())["id"])
    bot = service.bot(ada)["id"]
    path, headers = f"/v1/tournaments/{contest['id']}/entrants", {"Idempotency-Key": KEY}
    first = ada.post(path, json={"bot": bot}, headers=headers)
    assert ada.post(f"/v1/tournaments/{contest['id']}/start").status_code == 200
    again = ada.post(path, json={"bot": bot}, headers=headers)
    assert (again.status_code, again.json) == (201, first.json)
    assert service.store.tournaments.get(contest["id"]).state is TournamentState.RUNNING
    assert problem(ada.post(path, json={"bot": bot})) == (409, "wrong-state")


@pytest.mark.parametrize("change", ["paused", "quota"])
def test_matches_are_answered_again_although_they_could_not_be_asked_for_now(start_service, change):
    service = start_service(open_matches_per_owner=1)
    ada, bob = service.somebody(), service.somebody()
    body = {"game": "quixo", "bots": [service.bot(ada)["id"], service.bot(bob)["id"]]}
    first = ada.post("/v1/matches", json=body, headers={"Idempotency-Key": KEY})
    if change == "paused":
        service.store.bots.set_state(body["bots"][1], BotState.PAUSED, "it fails")
    again = ada.post("/v1/matches", json=body, headers={"Idempotency-Key": KEY})
    assert (again.status_code, again.json) == (201, first.json)
    assert ada.post("/v1/matches", json=body).status_code in (409, 422, 429)


def test_an_invitation_is_used_once_by_a_sign_up_that_comes_again(start_service):
    service = start_service(signup="invite")
    code = service.store.invitations.create("o_x", uses=2)[1]
    body = {"name": "Ada", "invitation": code}
    for _ in range(3):
        service.nobody.post("/v1/owners", json=body, headers={"Idempotency-Key": KEY})
    assert problem(service.nobody.post("/v1/owners", json=body)) == (409, "name-taken")
    assert service.nobody.post("/v1/owners", json={**body, "name": "Bob"}).status_code == 201
    assert problem(service.nobody.post("/v1/owners", json={**body, "name": "Eve"})) == (
        403,
        "bad-invitation",
    )

"""Signing up, keys and their scopes."""

import pytest

from tests.service.api.conftest import fields, problem


def test_a_sign_up_shows_a_working_key_once(service):
    made = service.nobody.post("/v1/owners", json={"name": "  Ada  "})
    assert made.status_code == 201
    assert made.json["owner"]["name"] == "Ada"
    key = made.json["key"]["key"]
    me = service.nobody.get("/v1/owners/me", headers={"Authorization": f"Bearer {key}"})
    assert me.json["id"] == made.json["owner"]["id"]
    assert key not in me.get_data(as_text=True)
    seen = service.nobody.get(f"/v1/owners/{made.json['owner']['id']}")
    assert set(seen.json) == {"id", "name", "role", "created_at"}


def test_names_are_unique_whatever_the_case(service):
    service.nobody.post("/v1/owners", json={"name": "Ada"})
    answer = service.nobody.post("/v1/owners", json={"name": "ADA"})
    assert problem(answer) == (409, "name-taken")
    assert fields(answer) == ["name"]


@pytest.mark.parametrize(
    "header",
    [
        "Bearer arb_x",
        "Bearer nothing",
        "Basic abc",
        "arb_1m8mvse83e81jk4v_b7CV",
        "Bearer " + "arb_" + "x" * 500,
        "",
    ],
)
def test_a_wrong_key_is_refused_even_where_none_is_needed(service, header):
    answer = service.nobody.get("/v1/bots", headers={"Authorization": header})
    assert problem(answer) == (401, "bad-key")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_key_in_the_address_is_no_key(service, ada):
    assert problem(service.nobody.get(f"/v1/owners/me?key={ada.key}")) == (401, "no-key")


def test_without_a_key_what_needs_one_says_so(service):
    assert problem(service.nobody.get("/v1/owners/me")) == (401, "no-key")


def test_keys_are_named_listed_revoked(service, ada):
    made = ada.post("/v1/keys", json={"name": "laptop", "scopes": ["read"]}).json
    listed = ada.get("/v1/keys").json["items"]
    assert [key["name"] for key in listed] == ["laptop", "first key"]
    assert "key" not in listed[0]
    headers = {"Authorization": f"Bearer {made['key']}"}
    assert service.nobody.get("/v1/owners/me", headers=headers).json["scopes"] == ["read"]
    assert ada.delete(f"/v1/keys/{made['id']}").status_code == 204
    assert problem(service.nobody.get("/v1/owners/me", headers=headers)) == (401, "bad-key")
    assert [key["name"] for key in ada.get("/v1/keys").json["items"]] == ["first key"]


def test_a_key_s_use_is_shown(ada):
    ada.get("/v1/owners/me")
    assert ada.get("/v1/keys").json["items"][0]["last_used_at"] is not None


def test_a_key_gives_no_scope_that_it_has_not(service, ada):
    small = ada.post("/v1/keys", json={"name": "k", "scopes": ["keys"]}).json["key"]
    headers = {"Authorization": f"Bearer {small}"}
    answer = service.nobody.post("/v1/keys", json={"name": "k2", "scopes": ["keys", "bots"]}, headers=headers)
    assert problem(answer) == (403, "missing-scope")
    assert fields(answer) == ["scopes"]
    left_out = service.nobody.post("/v1/keys", json={"name": "k3"}, headers=headers)
    assert left_out.json["scopes"] == ["keys"]
    assert problem(service.nobody.get("/v1/owners/me", headers=headers)) == (403, "missing-scope")


def test_a_player_cannot_make_an_admin_s_key(ada):
    assert problem(ada.post("/v1/keys", json={"name": "k", "scopes": ["admin"]})) == (403, "missing-scope")


def test_somebody_else_s_key_is_not_there(ada, bob):
    key = ada.get("/v1/keys").json["items"][0]["id"]
    assert problem(bob.delete(f"/v1/keys/{key}")) == (404, "not-found")
    assert ada.get("/v1/owners/me").status_code == 200


def test_keys_have_a_quota(start_service):
    ada = start_service(keys_per_owner=2).somebody()
    assert ada.post("/v1/keys", json={"name": "two"}).status_code == 201
    assert problem(ada.post("/v1/keys", json={"name": "three"})) == (409, "quota")


def test_closed_sign_up(start_service):
    closed = start_service(signup="closed")
    assert problem(closed.nobody.post("/v1/owners", json={"name": "Ada"})) == (403, "signup-closed")


def test_sign_up_by_invitation(start_service):
    service = start_service(signup="invite")
    code = service.store.invitations.create("o_x")[1]
    nobody = service.nobody
    assert problem(nobody.post("/v1/owners", json={"name": "Ada"})) == (403, "bad-invitation")
    assert problem(nobody.post("/v1/owners", json={"name": "Ada", "invitation": "x"})) == (
        403,
        "bad-invitation",
    )
    assert nobody.post("/v1/owners", json={"name": "Ada", "invitation": code}).status_code == 201
    assert problem(nobody.post("/v1/owners", json={"name": "Bob", "invitation": code})) == (
        403,
        "bad-invitation",
    )


def test_a_banned_owner_is_refused_with_the_reason(service, ada):
    service.store.owners.ban(ada.id, "flooded the service")
    answer = ada.get("/v1/owners/me")
    assert problem(answer) == (403, "banned")
    assert "flooded the service" in answer.json["detail"]


def test_an_owner_sees_what_is_left_of_the_quotas(start_service):
    service = start_service(bots_per_owner=7, open_tournaments_per_player=2)
    ada, bob = service.somebody(), service.somebody()
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    ada.post("/v1/matches", json={"game": "quixo", "bots": pair, "count": 3})
    ada.post("/v1/tournaments", json={"name": "Cup", "game": "quixo"})
    quotas = ada.get("/v1/owners/me").json["quotas"]
    assert quotas["bots"] == {"used": 1, "limit": 7}
    assert quotas["matches"]["used"] == 3
    assert quotas["tournaments"] == {"used": 1, "limit": 2}
    assert (quotas["keys"]["used"], quotas["webhooks"]["used"]) == (1, 0)

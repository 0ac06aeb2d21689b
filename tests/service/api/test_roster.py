"""A class in one go, and invitations: for organisers."""

from service.models import Role
from tests.service.api.conftest import Person, fields, problem


def test_a_class_gets_owners_and_keys(service):
    organiser = service.somebody(Role.ORGANISER)
    service.nobody.post("/v1/owners", json={"name": "Bob"})
    answer = organiser.post("/v1/roster", json={"names": ["Ada", "bob", "Cleo"]})
    assert answer.status_code == 201
    ada, bob, cleo = answer.json["items"]
    assert (bob["owner"], bob["key"]) == (None, None)
    assert "bob" in bob["problem"]
    for pupil in (ada, cleo):
        person = Person(service.app.test_client(), key=pupil["key"]["key"])
        assert person.get("/v1/owners/me").json["id"] == pupil["owner"]["id"]
        assert pupil["owner"]["role"] == "player"
    again = organiser.post("/v1/roster", json={"names": ["Ada", "bob", "Cleo"]}).json["items"]
    assert all(pupil["problem"] for pupil in again)


def test_wrong_lists_are_refused_whole(service):
    organiser = service.somebody(Role.ORGANISER)
    twice = organiser.post("/v1/roster", json={"names": ["Ada", "ADA"]})
    assert problem(twice) == (422, "invalid")
    short = organiser.post("/v1/roster", json={"names": ["Ada", "B"]})
    assert fields(short) == ["names.1"]
    assert problem(organiser.post("/v1/roster", json={"names": []})) == (422, "invalid")
    assert problem(organiser.post("/v1/roster", json={"names": ["x y"] * 301})) == (422, "invalid")
    assert service.nobody.post("/v1/owners", json={"name": "Ada"}).status_code == 201


def test_a_class_that_is_sent_again_is_made_once_and_shows_no_key_again(service):
    organiser = service.somebody(Role.ORGANISER)
    headers = {"Idempotency-Key": "a-class-of-mine"}
    first = organiser.post("/v1/roster", json={"names": ["Ada", "Bob"]}, headers=headers).json["items"]
    again = organiser.post("/v1/roster", json={"names": ["Ada", "Bob"]}, headers=headers).json["items"]
    assert [pupil["owner"] for pupil in again] == [pupil["owner"] for pupil in first]
    assert all(pupil["key"] is None and "shown then" in pupil["problem"] for pupil in again)
    other = organiser.post("/v1/roster", json={"names": ["Cleo"]}, headers=headers)
    assert problem(other) == (422, "idempotency-key-reused")


def test_players_add_nobody(ada):
    assert problem(ada.post("/v1/roster", json={"names": ["Eve"]})) == (403, "missing-role")
    assert problem(ada.post("/v1/invitations", json={})) == (403, "missing-role")


def test_an_invitation_is_for_so_many(start_service):
    service = start_service(signup="invite")
    admin = service.store.owners.create("Root", Role.ADMIN)
    key = service.store.keys.create(admin.id, "k", ("owners",)).text
    code = Person(service.app.test_client(), key=key).post("/v1/invitations", json={"uses": 2}).json["code"]
    statuses = [
        service.nobody.post("/v1/owners", json={"name": f"Pupil {i}", "invitation": code}).status_code
        for i in range(3)
    ]
    assert statuses == [201, 201, 403]


def test_invitations_are_listed_until_used_up_and_can_be_revoked(start_service):
    service = start_service(signup="invite")
    owner = service.store.owners.create("Olga", Role.ORGANISER)
    olga = Person(service.app.test_client(), key=service.store.keys.create(owner.id, "k", ("owners",)).text)

    def sign_up(name, code):
        return service.nobody.post("/v1/owners", json={"name": name, "invitation": code}).status_code

    one = olga.post("/v1/invitations", json={}).json
    many = olga.post("/v1/invitations", json={"uses": 5, "days": 1}).json
    listed = olga.get("/v1/invitations").json["items"]
    assert [(i["id"], i["uses"]) for i in listed] == [(many["id"], 5), (one["id"], 1)]
    assert all("code" not in i and "secret_sha256" not in i for i in listed)
    assert sign_up("Ada", one["code"]) == 201
    assert sign_up("Bob", many["code"]) == 201
    assert [(i["id"], i["uses"]) for i in olga.get("/v1/invitations").json["items"]] == [(many["id"], 4)]
    assert olga.delete(f"/v1/invitations/{many['id']}").status_code == 204
    assert sign_up("Cleo", many["code"]) == 403
    assert olga.get("/v1/invitations").json["items"] == []
    assert problem(olga.delete(f"/v1/invitations/{many['id']}")) == (404, "not-found")


def test_an_invitation_that_is_asked_for_again_is_not_shown_again(service):
    organiser = service.somebody(Role.ORGANISER)
    headers = {"Idempotency-Key": "an-invitation"}
    assert organiser.post("/v1/invitations", json={}, headers=headers).status_code == 201
    again = organiser.post("/v1/invitations", json={}, headers=headers)
    assert problem(again) == (409, "shown-once")
    assert len(organiser.get("/v1/invitations").json["items"]) == 1

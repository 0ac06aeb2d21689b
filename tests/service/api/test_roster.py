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

"""Bots: registering, reading, changing, retiring, verifying."""

import pytest

from tests.service.api.conftest import fields, problem

BOT = {"name": "Greedy", "games": ["quixo"], "url": "https://bots.example.org/quixo"}


def test_registering_shows_the_secret_once(ada):
    made = ada.post("/v1/bots", json=BOT)
    assert made.status_code == 201
    bot = made.json
    assert bot["secret"].startswith("whsec_")
    assert (bot["state"], bot["version"], bot["concurrency"], bot["revision"]) == ("unverified", "1", 1, 0)
    assert made.headers["Location"] == f"/v1/bots/{bot['id']}"
    again = ada.get(f"/v1/bots/{bot['id']}")
    assert again.json["url"] == BOT["url"]
    assert "secret" not in again.json


def test_others_see_no_address(service, ada):
    bot = service.bot(ada)
    seen = service.nobody.get(f"/v1/bots/{bot['id']}").json
    assert not {"url", "challengers", "failures", "secret"} & set(seen)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"games": []}, "games"),
        ({"games": ["chess"]}, "games.0"),
        ({"url": "ftp://h/"}, "url"),
        ({"url": "http://user:pw@h/"}, "url"),
        ({"url": "nonsense"}, "url"),
        ({"url": "http://h:22/"}, "url"),
        ({"url": "http://h/" + "x" * 3000}, "url"),
        ({"url": None}, "url"),
        ({"transport": "carrier-pigeon"}, "transport"),
        ({"transport": "poll"}, "url"),
        ({"concurrency": 0}, "concurrency"),
        ({"concurrency": "1"}, "concurrency"),
        ({"concurrency": True}, "concurrency"),
        ({"concurrency": 1e30}, "concurrency"),
        ({"private": "yes"}, "private"),
        ({"challenges": "somebody"}, "challenges"),
        ({"challengers": ["ada"]}, "challengers.0"),
        ({"challenges_per_day": -1}, "challenges_per_day"),
    ],
)
def test_wrong_values_are_refused_by_field(ada, change, field):
    answer = ada.post("/v1/bots", json={**BOT, **change})
    assert problem(answer) == (422, "invalid")
    assert fields(answer) == [field]


def test_a_bot_that_polls_needs_no_verification(ada):
    about = {"name": "P", "games": ["quixo"], "transport": "poll"}
    bot = ada.post("/v1/bots", json=about).json
    assert bot["state"] == "active"
    assert bot["last_poll_at"] is None


def test_names_are_unique_among_an_owner_s_bots(ada, bob):
    ada.post("/v1/bots", json=BOT)
    assert problem(ada.post("/v1/bots", json={**BOT, "name": "GREEDY"})) == (409, "name-taken")
    assert bob.post("/v1/bots", json=BOT).status_code == 201


def test_changing(ada):
    bot = ada.post("/v1/bots", json=BOT).json
    path = f"/v1/bots/{bot['id']}"
    etag = ada.get(path).headers["ETag"]
    changed = ada.patch(path, json={"version": "2", "concurrency": 3}, headers={"If-Match": etag})
    assert (changed.json["version"], changed.json["concurrency"], changed.json["revision"]) == ("2", 3, 1)
    stale = ada.patch(path, json={"version": "3"}, headers={"If-Match": etag})
    assert problem(stale) == (412, "stale")
    assert (
        ada.patch(path, json={"version": "3"}, headers={"If-Match": changed.headers["ETag"]}).status_code
        == 200
    )
    assert ada.get(path).json["version"] == "3"


def test_a_change_without_if_match_is_refused(ada):
    bot = ada.post("/v1/bots", json=BOT).json
    answer = ada.client.patch(
        f"/v1/bots/{bot['id']}", json={"version": "2"}, headers={"Authorization": f"Bearer {ada.key}"}
    )
    assert problem(answer) == (428, "if-match-required")


@pytest.mark.parametrize("tag", ['"nonsense"', '"rx-1"', 'W/"r0-1"', '"r99999999999999999999-1"', "nonsense"])
def test_an_if_match_that_is_no_tag_of_ours_is_stale(ada, tag):
    bot = ada.post("/v1/bots", json=BOT).json
    answer = ada.patch(f"/v1/bots/{bot['id']}", json={"version": "2"}, headers={"If-Match": tag})
    assert problem(answer) == (412, "stale")


@pytest.mark.parametrize(
    "member", ["owner", "rating", "verified_at", "state", "secret", "id", "transport", "revision"]
)
def test_what_an_owner_may_not_change_is_refused(ada, member):
    bot = ada.post("/v1/bots", json=BOT).json
    answer = ada.patch(f"/v1/bots/{bot['id']}", json={member: "x"})
    assert problem(answer) == (400, "unknown-member")
    assert fields(answer) == [member]


def test_a_changed_address_must_be_verified_again(service, ada):
    bot = service.bot(ada)
    path = f"/v1/bots/{bot['id']}"
    assert ada.patch(path, json={"description": "same address"}).json["state"] == "active"
    moved = ada.patch(path, json={"url": "http://127.0.0.1:9001/"}).json
    assert moved["state"] == "unverified"
    assert ada.get(f"{path}/verification").json["state"] == "pending"


def test_away_and_back(service, ada):
    bot = service.bot(ada)
    path = f"/v1/bots/{bot['id']}"
    assert ada.patch(path, json={"away": True}).json["state"] == "away"
    assert ada.patch(path, json={"away": False}).json["state"] == "active"


def test_an_unverified_bot_cannot_be_set_away(ada):
    bot = ada.post("/v1/bots", json=BOT).json
    assert problem(ada.patch(f"/v1/bots/{bot['id']}", json={"away": True})) == (409, "wrong-state")


def test_retiring_is_for_good(service, ada):
    bot = service.bot(ada)
    path = f"/v1/bots/{bot['id']}"
    assert ada.delete(path).status_code == 204
    assert ada.delete(path).status_code == 204
    assert ada.get(path).json["state"] == "retired"
    assert problem(ada.patch(path, json={"version": "2"})) == (409, "bot-retired")
    assert problem(ada.post(f"{path}/verify")) == (409, "bot-retired")


def test_verification_is_a_job_with_a_status(ada):
    bot = ada.post("/v1/bots", json=BOT).json
    status = f"/v1/bots/{bot['id']}/verification"
    assert ada.get(status).json["state"] == "none"
    asked = ada.post(f"/v1/bots/{bot['id']}/verify")
    assert asked.status_code == 202
    assert asked.headers["Location"] == status
    assert asked.json["state"] == "pending"


def test_rotating_the_secret(ada):
    bot = ada.post("/v1/bots", json=BOT).json
    rotated = ada.post(f"/v1/bots/{bot['id']}/secret")
    assert rotated.json["secret"] not in ("", bot["secret"])


def test_health_is_for_the_owner(service, ada, bob):
    bot = service.bot(ada)
    seen = ada.get(f"/v1/bots/{bot['id']}/health").json
    assert (seen["state"], seen["failures"], seen["open_matches"]) == ("active", 0, 0)
    assert problem(bob.get(f"/v1/bots/{bot['id']}/health")) == (404, "not-found")


def test_private_bots_are_seen_by_their_owner_only(service, ada, bob):
    bot = service.bot(ada, private=True)
    path = f"/v1/bots/{bot['id']}"
    assert ada.get(path).status_code == 200
    hidden = bob.get(path)
    assert problem(hidden) == (404, "not-found")
    unknown = bob.get("/v1/bots/b_0000000000000000")
    assert hidden.json["detail"].replace(bot["id"], "") == unknown.json["detail"].replace(
        "b_0000000000000000", ""
    )
    assert [b["id"] for b in ada.get("/v1/bots").json["items"]] == [bot["id"]]
    assert bob.get("/v1/bots").json["items"] == []
    assert bob.get(f"/v1/bots?owner={ada.id}").json["items"] == []


def test_filters(service, ada, bob):
    a = service.bot(ada)["id"]
    b = service.bot(bob, games=["sorry"], active=False)["id"]

    def listed(query, who=ada):
        return [bot["id"] for bot in who.get(f"/v1/bots{query}").json["items"]]

    assert listed("") == [b, a]
    assert listed("?game=sorry") == [b]
    assert listed("?owner=me") == [a]
    assert listed(f"?owner={bob.id}") == [b]
    assert listed("?state=active") == [a]
    assert listed("?state=active&game=sorry") == []


def test_bots_have_a_quota(start_service):
    ada = start_service(bots_per_owner=1).somebody()
    assert ada.post("/v1/bots", json=BOT).status_code == 201
    assert problem(ada.post("/v1/bots", json={**BOT, "name": "Two"})) == (409, "quota")


def test_descriptions_may_have_lines_but_nothing_invisible(ada):
    made = ada.post("/v1/bots", json={**BOT, "description": "one\r\ntwo\n"})
    assert made.json["description"] == "one\ntwo\n"
    answer = ada.post("/v1/bots", json={**BOT, "name": "B", "description": "a\u202eb"})
    assert fields(answer) == ["description"]

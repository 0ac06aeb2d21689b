"""Pages, conditional requests, and requests that come again."""

import threading

import pytest

from tests.service.api.conftest import problem


def test_pages_show_everything_once(service, ada):
    made = [service.bot(ada)["id"] for _ in range(7)]
    seen, path = [], "/v1/bots?limit=3&owner=me"
    while path:
        answer = ada.get(path)
        assert len(answer.json["items"]) <= 3
        seen += [bot["id"] for bot in answer.json["items"]]
        link = answer.headers.get("Link")
        assert (link is None) == (answer.json["next"] is None)
        path = link[1 : link.index(">")] if link else None
    assert seen == made[::-1]


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=1e9", "limit=-1", "limit=x", "cursor=", "cursor=%00", "cursor=a%20b"],
)
@pytest.mark.parametrize("path", ["/v1/bots", "/v1/matches", "/v1/tournaments", "/v1/ratings/quixo"])
def test_bad_pages_are_refused(service, path, query):
    assert problem(service.nobody.get(f"{path}?{query}")) == (422, "invalid")


def test_a_cursor_from_nowhere_harms_nothing(service):
    for path in ("/v1/bots", "/v1/matches", "/v1/tournaments"):
        assert service.nobody.get(f"{path}?cursor=b_zzzz").status_code in (200, 400, 422)
    assert service.nobody.get("/v1/ratings/quixo?cursor=999999999").json == {"items": [], "next": None}


def test_what_has_not_changed_is_not_sent_again(service, ada):
    bot = service.bot(ada)
    for path in (f"/v1/bots/{bot['id']}", "/v1/bots", "/v1/games", "/v1/limits", "/openapi.json", "/docs"):
        first = ada.get(path)
        again = ada.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
    ada.patch(f"/v1/bots/{bot['id']}", json={"version": "2"})
    first = f'"{ada.get("/v1/bots").headers["ETag"][1:-1]}"'
    ada.patch(f"/v1/bots/{bot['id']}", json={"version": "3"})
    assert ada.get("/v1/bots", headers={"If-None-Match": first}).status_code == 200


def test_an_owner_s_view_and_another_s_have_different_tags(service, ada, bob):
    path = f"/v1/bots/{service.bot(ada)['id']}"
    assert ada.get(path).headers["ETag"] != bob.get(path).headers["ETag"]
    assert "Authorization" in ada.get(path).headers["Vary"]


BOT = {"name": "Once", "games": ["quixo"], "url": "http://127.0.0.1:9000/"}


def test_a_request_that_comes_again_makes_nothing_new(ada):
    headers = {"Idempotency-Key": "0f8fad5b-d9cb-469f-a165-70867728950e"}
    first = ada.post("/v1/bots", json=BOT, headers=headers)
    again = ada.post("/v1/bots", json=BOT, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json == again.json
    assert len(ada.get("/v1/bots?owner=me").json["items"]) == 1


def test_the_same_key_with_another_request_is_refused(ada):
    headers = {"Idempotency-Key": "one-and-the-same"}
    ada.post("/v1/bots", json=BOT, headers=headers)
    other = ada.post("/v1/bots", json={**BOT, "name": "Other"}, headers=headers)
    assert problem(other) == (422, "idempotency-key-reused")
    elsewhere = ada.post("/v1/keys", json={"name": "k"}, headers=headers)
    assert problem(elsewhere) == (422, "idempotency-key-reused")


def test_keys_of_two_owners_have_nothing_to_do_with_each_other(ada, bob):
    headers = {"Idempotency-Key": "one-and-the-same"}
    assert ada.post("/v1/bots", json=BOT, headers=headers).status_code == 201
    assert bob.post("/v1/bots", json=BOT, headers=headers).status_code == 201


@pytest.mark.parametrize("key", ["short", "x" * 129, "has a blank", "ümlaute-sind-nichts"])
def test_a_key_must_have_its_form(ada, key):
    answer = ada.post("/v1/bots", json=BOT, headers={"Idempotency-Key": key})
    assert problem(answer) == (400, "bad-request")


def test_a_secret_is_not_shown_again(service, ada):
    headers = {"Idempotency-Key": "made-with-care"}
    assert ada.post("/v1/keys", json={"name": "k"}, headers=headers).status_code == 201
    assert problem(ada.post("/v1/keys", json={"name": "k"}, headers=headers)) == (409, "shown-once")
    assert len(ada.get("/v1/keys").json["items"]) == 2
    assert service.nobody.post("/v1/owners", json={"name": "Eve"}, headers=headers).status_code == 201
    answer = service.nobody.post("/v1/owners", json={"name": "Eve"}, headers=headers)
    assert problem(answer) == (409, "shown-once")


@pytest.mark.parametrize("what", ["bots", "matches", "tournaments"])
def test_racing_requests_with_one_key_make_one_thing(service, ada, bob, what):
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    body = {
        "bots": BOT,
        "matches": {"game": "quixo", "bots": pair, "count": 2},
        "tournaments": {"name": "T", "game": "quixo"},
    }[what]
    answers = []

    def post():
        headers = {"Idempotency-Key": "racing-requests", "Authorization": f"Bearer {ada.key}"}
        answers.append(service.app.test_client().post(f"/v1/{what}", json=body, headers=headers))

    threads = [threading.Thread(target=post) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [201] * 8
    assert len({answer.headers["Location"] for answer in answers}) == 1

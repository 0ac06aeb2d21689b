"""What an operator sees and does: metrics, owners, matchmaking, proxies, CORS, readiness."""

import re

import pytest

from service.models import Role
from tests.service.api.conftest import Person, fields, problem
from tests.service.api.playing import beat, play


def metrics(service, **headers) -> dict[str, float]:
    """The metrics by name and labels."""
    answer = service.nobody.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    lines = [line.rsplit(" ", 1) for line in answer.get_data(as_text=True).splitlines() if line[0] != "#"]
    return {name: float(value) for name, value in lines}


def test_metrics_tell_what_goes_on(service, ada, bob):
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    body = {"game": "quixo", "bots": pair, "count": 2}
    first, _ = ada.post("/v1/matches", json=body).json["items"]
    play(service.store, first["id"])
    service.store.health.note(1, {pair[0]: ([(2000, 1), (3000, 1)], {"timeout": 2})})
    seen = metrics(service)
    assert seen["arbiter_redis_up"] == 1
    assert seen['arbiter_matches{state="queued"}'] == 1
    assert seen["arbiter_turns_total"] == 2
    assert seen["arbiter_charged_seconds_total"] == 0.005
    assert seen['arbiter_faults_total{reason="timeout"}'] == 2
    assert seen["arbiter_workers"] == 1
    assert seen['arbiter_worker_places{worker="test-worker"}'] > 0
    assert 0 <= seen["arbiter_queue_age_seconds"] < 60
    assert seen['arbiter_requests_total{endpoint="matches.create",method="POST",status="201"}'] == 1
    assert seen['arbiter_request_seconds_count{endpoint="matches.create"}'] == 1
    assert seen["arbiter_store_memory_bytes"] > 0


def test_metrics_are_for_this_machine_unless_there_is_a_token(start_service):
    open_here = start_service()
    assert open_here.nobody.get("/metrics").status_code == 200
    elsewhere = open_here.nobody.client.get("/metrics", environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert problem(elsewhere)[0] == 401
    guarded = start_service(metrics_token="let-me-see")
    assert problem(guarded.nobody.get("/metrics"))[0] == 401
    wrong = guarded.nobody.get("/metrics", headers={"Authorization": "Bearer let-me-not"})
    assert problem(wrong)[0] == 401
    assert metrics(guarded, Authorization="Bearer let-me-see")["arbiter_redis_up"] == 1


def test_metrics_while_redis_is_away_say_so(start_service, start_redis):
    service = start_service()
    server = start_redis("embedded")
    server.pause()
    try:
        assert metrics(service)["arbiter_redis_up"] == 0
    finally:
        server.go_on()


def test_owners_are_added_promoted_banned_and_helped(service):
    admin = service.somebody(Role.ADMIN)
    added = admin.post("/v1/admin/owners", json={"name": "Olga", "role": "organiser"})
    assert added.status_code == 201
    olga = Person(service.app.test_client(), added.json["owner"]["id"], added.json["key"]["key"])
    assert olga.get("/v1/owners/me").json["role"] == "organiser"
    path = f"/v1/admin/owners/{olga.id}"
    assert admin.patch(path, json={"role": "player"}).json["role"] == "player"
    assert (
        admin.post(f"{path}/ban", json={"reason": "shouted at people"}).json["banned"] == "shouted at people"
    )
    assert problem(olga.get("/v1/owners/me")) == (403, "banned")
    assert admin.post(f"{path}/unban").json["banned"] is None
    assert olga.get("/v1/owners/me").status_code == 200
    recovered = admin.post(f"{path}/keys").json["key"]
    assert Person(service.app.test_client(), key=recovered).get("/v1/owners/me").json["id"] == olga.id
    assert olga.id in {owner["id"] for owner in admin.get("/v1/admin/owners").json["items"]}


def test_no_admin_locks_himself_out(service):
    admin = service.somebody(Role.ADMIN)
    path = f"/v1/admin/owners/{admin.id}"
    assert problem(admin.patch(path, json={"role": "player"})) == (409, "wrong-state")
    assert problem(admin.post(f"{path}/ban", json={"reason": "a slip of the hand"})) == (409, "wrong-state")


def test_pausing_all_matchmaking(service, ada, bob):
    admin = service.somebody(Role.ADMIN)
    assert admin.get("/v1/admin/matchmaking").json["paused"] is False
    answer = admin.put("/v1/admin/matchmaking", json={"paused": True})
    assert (problem(answer), fields(answer)) == ((422, "invalid"), ["reason"])
    paused = admin.put("/v1/admin/matchmaking", json={"paused": True, "reason": "moving house"}).json
    assert (paused["paused"], paused["reason"], paused["by"]) == (True, "moving house", admin.id)
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    match = ada.post("/v1/matches", json={"game": "quixo", "bots": pair}).json["items"][0]["id"]
    beat(service.store)
    assert service.store.schedule.ready(10) == []
    assert admin.put("/v1/admin/matchmaking", json={"paused": False}).json["paused"] is False
    assert service.store.schedule.ready(10) == [match]


def test_workers_are_listed(service):
    admin = service.somebody(Role.ADMIN)
    service.store.workers.beat("w1", "matches", 50, 3, {"played": 7})
    [worker] = admin.get("/v1/admin/workers").json["items"]
    assert (worker["name"], worker["places"], worker["running"], worker["progress"]) == (
        "w1",
        50,
        3,
        {"played": 7},
    )


def test_readiness_looks_at_progress(service, start_service, ada, bob, monkeypatch):
    monkeypatch.setattr("service.api.health.STUCK_S", 0)
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    beat(service.store)
    assert service.nobody.get("/readyz").status_code == 200
    match = ada.post("/v1/matches", json={"game": "quixo", "bots": pair}).json["items"][0]["id"]
    service.nobody.get("/readyz")
    stuck = service.nobody.get("/readyz")
    assert (stuck.status_code, stuck.json["status"]) == (503, "not ready")
    assert "played none" in stuck.json["detail"]
    assert start_service().nobody.get("/readyz").status_code == 200, "this one has looked once only"
    play(service.store, match)
    assert service.nobody.get("/readyz").status_code == 200


def test_a_drained_worker_takes_no_more_matches(service, ada, bob):
    admin = service.somebody(Role.ADMIN)
    assert problem(admin.post("/v1/admin/workers/nobody/drain")) == (404, "not-found")
    beat(service.store)
    drained = admin.post("/v1/admin/workers/test-worker/drain")
    [seen] = drained.json["items"]
    assert (drained.status_code, seen["places"], seen["drained"]) == (202, 0, True)
    assert service.store.workers.beat("test-worker", "matches", 5, 0) is True
    pair = [service.bot(ada)["id"], service.bot(bob)["id"]]
    match = ada.post("/v1/matches", json={"game": "quixo", "bots": pair}).json["items"][0]["id"]
    assert service.store.schedule.ready(10) == []
    assert service.store.workers.beat("another", "matches", 5, 0) is False
    assert service.store.schedule.ready(10) == [match]
    service.store.workers.gone("test-worker")
    assert service.store.workers.beat("test-worker", "matches", 5, 0) is False


@pytest.mark.parametrize(("peer", "seen"), [("10.1.2.3", "203.0.113.9"), ("192.0.2.7", "192.0.2.7")])
def test_forwarded_addresses_are_believed_of_trusted_proxies_only(start_service, peer, seen):
    service = start_service(trusted_proxies=("10.0.0.0/8",), rate_reads="2 per minute")
    headers = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}

    def ask(address, **more):
        return service.nobody.client.get("/v1/games", environ_base={"REMOTE_ADDR": address}, **more)

    first = ask(peer, headers=headers)
    assert ("Strict-Transport-Security" in first.headers) == (peer == "10.1.2.3")
    ask(peer, headers=headers)
    assert ask(peer, headers=headers).status_code == 429
    assert ask(seen).status_code == 429, "it was counted under this address"


def test_cors_is_off_unless_set(start_service):
    plain, chosen = start_service(), start_service(cors_origins=("https://app.example",))
    origin = {"Origin": "https://app.example"}
    assert "Access-Control-Allow-Origin" not in plain.nobody.get("/v1/bots", headers=origin).headers
    allowed = chosen.nobody.get("/v1/bots", headers=origin)
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert "Origin" in allowed.headers["Vary"]
    other = chosen.nobody.get("/v1/bots", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in other.headers
    before = chosen.nobody.options("/v1/owners/me", headers=origin)
    assert before.status_code == 200
    assert "Authorization" in before.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in before.headers


def test_times_are_rfc_3339_in_utc(service, ada):
    created = ada.get("/v1/owners/me").json["created_at"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", created)

"""Checks by the doctor over the API: asked for, bounded, read."""

from __future__ import annotations

import pytest

from service.models import ExaminationState
from tests.service.api.conftest import fields, problem

FINDING = {"game": "quixo", "check": "match", "level": "ok", "summary": "6 turns of a match are answered"}
FINDING |= {"sent": "", "came": "", "expected": "", "mend": "", "reason": None}


@pytest.fixture
def bot(service, ada):
    return service.bot(ada, games=["quixo", "sorry"])["id"]


def test_a_check_is_a_job_whose_state_is_read_at_its_location(service, ada, bot):
    asked = ada.post(f"/v1/bots/{bot}/checks")
    assert (asked.status_code, asked.json["state"], asked.json["passed"]) == (202, "waiting", None)
    assert asked.json["games"] == ["quixo", "sorry"]
    assert asked.json["clock"]["base_ms"] == 1000
    where = asked.headers["Location"]
    assert where == f"/v1/bots/{bot}/checks/{asked.json['id']}"
    store = service.store.examinations
    held = store.begin(asked.json["id"])
    store.renew(held, "quixo", 3)
    store.found(held, 1, FINDING)
    seen = ada.get(where).json
    assert (seen["state"], seen["progress"]) == ("running", {"game": "quixo", "requests": 3})
    assert seen["findings"] == [FINDING]
    store.finish(held, 9)
    assert ada.get(where).json["passed"] is True


def test_what_must_be_mended_is_not_passed(service, ada, bot):
    store = service.store.examinations
    asked = ada.post(f"/v1/bots/{bot}/checks", json={}).json
    held = store.begin(asked["id"])
    store.found(held, 1, FINDING | {"level": "error", "reason": "timeout"})
    store.finish(held, 9)
    assert ada.get(f"/v1/bots/{bot}/checks/{asked['id']}").json["passed"] is False


def test_the_services_own_view_is_part_of_the_answer(service, ada, bot):
    service.store.health.note(1_700_000_000_000, {bot: ([(4_000, 300), (9_000, 0)], {"timeout": 2})})
    for _ in range(5):
        service.store.bots.failed(bot, "timeout")
    view = ada.post(f"/v1/bots/{bot}/checks", json={}).json["service"]
    assert view["health"]["charged"] == {"p50_ms": 4.0, "p90_ms": 9.0, "p99_ms": 9.0, "max_ms": 9.0}
    assert (view["health"]["state"], view["health"]["faults"]) == ("paused", {"timeout": 2})
    assert "timeout" in view["health"]["state_reason"]
    assert view["health"]["last_seen_at"] == "2023-11-14T22:13:20.000Z"
    assert view["verification"]["state"] == "passed"


def test_games_and_clock_may_be_chosen_within_what_the_doctor_does(ada, bot):
    path = f"/v1/bots/{bot}/checks"
    answer = ada.post(path, json={"games": ["quixo-teams"]})
    assert (problem(answer), fields(answer)) == ((422, "game-not-played"), ["games.0"])
    answer = ada.post(path, json={"clock": "rapid"})
    assert (problem(answer), fields(answer)) == ((422, "bad-clock"), ["clock"])
    assert "more than 10000 ms" in answer.json["detail"]
    made = ada.post(path, json={"games": ["sorry"], "clock": "course"})
    assert (made.status_code, made.json["games"]) == (202, ["sorry"])


def test_the_same_key_makes_one_check(service, ada, bot):
    headers = {"Idempotency-Key": "0123456789"}
    first = ada.post(f"/v1/bots/{bot}/checks", json={}, headers=headers).json["id"]
    store = service.store.examinations
    store.finish(store.begin(first), 1)
    again = ada.post(f"/v1/bots/{bot}/checks", json={}, headers=headers).json
    assert (again["id"], again["state"]) == (first, ExaminationState.DONE)
    assert ada.post(f"/v1/bots/{bot}/checks", json={}).json["id"] != first


def test_checks_are_bounded_by_owner_and_by_host_and_limits_say_so(start_service):
    service = start_service(checks_per_owner_day=1, checks_per_host_day=2)
    quotas = service.nobody.get("/v1/limits").json["quotas"]
    assert (quotas["checks_per_owner_day"], quotas["checks_per_host_day"]) == (1, 2)

    def check(person):
        answer = person.post(f"/v1/bots/{service.bot(person)['id']}/checks", json={})
        if answer.status_code == 202:
            service.store.examinations.finish(service.store.examinations.begin(answer.json["id"]), 1)
        return answer

    ada, bob, eve = (service.somebody() for _ in range(3))
    assert check(ada).status_code == 202
    assert problem(check(ada)) == (429, "checks-used-up")
    assert check(bob).status_code == 202
    assert "bots on 127.0.0.1 have had 2 checks today" in check(eve).json["detail"]


def test_a_retired_bot_is_not_checked(ada, bot):
    ada.delete(f"/v1/bots/{bot}")
    assert problem(ada.post(f"/v1/bots/{bot}/checks", json={})) == (409, "bot-retired")


def test_a_check_belongs_to_its_bot(service, ada, bot):
    other = service.bot(ada)["id"]
    made = ada.post(f"/v1/bots/{bot}/checks", json={}).json["id"]
    assert problem(ada.get(f"/v1/bots/{other}/checks/{made}")) == (404, "not-found")

"""Webhooks over the API: made, listed, tried, deleted; what is sent is in tests/workers/test_hooks.py."""

import time

import pytest

from service.models import Delivery
from tests.service.api.conftest import fields, problem

HOOK = {"url": "https://example.org/hook", "events": ["match.finished"]}


def test_a_webhook_shows_its_secret_once(service, ada):
    made = ada.post("/v1/webhooks", json=HOOK)
    assert made.status_code == 201
    assert made.json["secret"].startswith("whsec_")
    path = made.headers["Location"]
    read = ada.get(path).json
    assert (read["url"], read["events"], read["paused"]) == (HOOK["url"], HOOK["events"], None)
    assert "secret" not in read
    assert ada.get("/v1/webhooks").json["items"] == [read]
    assert ada.delete(path).status_code == 204
    assert problem(ada.get(path)) == (404, "not-found")
    assert ada.get("/v1/webhooks").json["items"] == []


def test_by_default_it_is_told_everything(ada):
    made = ada.post("/v1/webhooks", json={"url": HOOK["url"]}).json
    assert made["events"] == ["match.finished", "tournament.finished", "bot.paused"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": "ftp://h/"}, "url"),
        ({"url": "http://h:22/"}, "url"),
        ({"url": "http://user@h/"}, "url"),
        ({"events": ["everything"]}, "events.0"),
        ({"events": []}, "events"),
    ],
)
def test_wrong_values_are_refused_by_field(ada, change, field):
    answer = ada.post("/v1/webhooks", json={**HOOK, **change})
    assert problem(answer) == (422, "invalid")
    assert fields(answer) == [field]


def test_webhooks_have_a_quota(start_service):
    ada = start_service(webhooks_per_owner=1).somebody()
    assert ada.post("/v1/webhooks", json=HOOK).status_code == 201
    assert problem(ada.post("/v1/webhooks", json=HOOK)) == (409, "quota")


def test_the_last_deliveries_can_be_read(service, ada):
    made = ada.post("/v1/webhooks", json=HOOK).json
    hook = service.store.webhooks.get(made["id"])
    for number in range(60):
        tried = Delivery(f"m_quixo_{number}", "match.finished", number, 1, 500, "it answered 500", False)
        service.store.webhooks.note(hook, tried)
    items = ada.get(f"/v1/webhooks/{made['id']}/deliveries").json["items"]
    assert len(items) == 50
    assert (items[0]["letter"], items[0]["status"], items[0]["delivered"]) == ("m_quixo_59", 500, False)


def test_a_ping_is_sent_by_a_worker_and_lets_a_paused_one_go_on(service, ada):
    made = ada.post("/v1/webhooks", json=HOOK).json
    hook = service.store.webhooks.get(made["id"])
    service.store.webhooks.gone(hook)
    assert ada.get(f"/v1/webhooks/{hook.id}").json["paused"]
    answer = ada.post(f"/v1/webhooks/{hook.id}/ping")
    assert (answer.status_code, answer.json["paused"]) == (202, None)
    [letter] = service.store.outbox.take()
    assert letter.item["webhook"] == hook.id
    assert letter.item["event"] == "ping"


def test_its_secret_is_rotated_and_the_one_before_used_for_a_day(service, ada):
    made = ada.post("/v1/webhooks", json=HOOK).json
    rotated = ada.post(f"/v1/webhooks/{made['id']}/secret")
    assert rotated.status_code == 200
    assert rotated.json["secret"] != made["secret"]
    hook = service.store.webhooks.get(made["id"])
    now = int(time.time() * 1000)
    assert hook.secrets(now) == (rotated.json["secret"], made["secret"])
    assert hook.secrets(now + 25 * 3600 * 1000) == (rotated.json["secret"],)

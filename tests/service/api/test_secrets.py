"""A run of everything with marked secrets: none of them is in a log, a record, an error or a metric."""

from __future__ import annotations

import json

import pytest
import requests

from service.models import Role
from tests.service.api.playing import begin, play
from tests.service.api.served import Served

TOKEN = "metrics-token-7f3a"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What was secret, what was answered to whom it did not concern, and what was logged."""
    served = Served(
        tmp_path_factory.mktemp("secrets"),
        log_level="debug",
        metrics_token=TOKEN,
        signup="invite",
        api_threads=4,
    )
    secrets: dict[str, str] = {"metrics token": TOKEN}
    seen: list[str] = []
    try:
        _use(served, secrets, seen)
    finally:
        served.close()
    return secrets, seen, served.log.read_text()


def _use(served: Served, secrets: dict[str, str], seen: list[str]) -> None:
    def say(answer: requests.Response) -> dict:
        """An answer that is meant for everybody."""
        seen.append(answer.text)
        return answer.json() if answer.content and "json" in answer.headers["Content-Type"] else {}

    people = {}
    for name in ("Ada", "Bob"):
        secrets[f"{name}'s invitation"] = code = served.store.invitations.create("o_test", uses=2)[1]
        key = served.post("/v1/owners", json={"name": name, "invitation": code}).json()["key"]["key"]
        people[name] = {"Authorization": f"Bearer {key}"}
        secrets[f"{name}'s key"] = key.split("_", 2)[2]
        say(served.post("/v1/owners", json={"name": name, "invitation": code}))
        say(served.get("/v1/owners/me", headers=people[name]))
        say(served.get("/v1/keys", headers=people[name]))
    _enrol(served, people["Bob"], secrets, say)
    bots = []
    for name, headers in people.items():
        about = {"name": name, "games": ["quixo"], "url": "http://127.0.0.1:9000/"}
        bot = served.post("/v1/bots", json=about, headers=headers).json()
        secrets[f"{name}'s bot"] = bot["secret"].removeprefix("whsec_")
        rotated = served.post(f"/v1/bots/{bot['id']}/secret", headers=headers).json()["secret"]
        secrets[f"{name}'s bot, rotated"] = rotated.removeprefix("whsec_")
        served.store.verifications.passed(served.store.bots.get(bot["id"]))
        say(served.post(f"/v1/bots/{bot['id']}/verify", headers=headers))
        for tail in ("", "/health", "/verification"):
            say(served.get(f"/v1/bots/{bot['id']}{tail}", headers=headers))
        bots.append(bot["id"])
        hook = served.post("/v1/webhooks", json={"url": "http://127.0.0.1:9000/"}, headers=headers).json()
        secrets[f"{name}'s webhook"] = hook["secret"].removeprefix("whsec_")
        rotated = served.post(f"/v1/webhooks/{hook['id']}/secret", headers=headers).json()["secret"]
        secrets[f"{name}'s webhook, rotated"] = rotated.removeprefix("whsec_")
        say(served.get("/v1/webhooks", headers=headers))
        say(served.post(f"/v1/webhooks/{hook['id']}/ping", headers=headers))
        for tail in ("", "/deliveries"):
            say(served.get(f"/v1/webhooks/{hook['id']}{tail}", headers=headers))
    body = {"game": "quixo", "bots": bots, "count": 3}
    matches = [m["id"] for m in served.post("/v1/matches", json=body, headers=people["Ada"]).json()["items"]]
    play(served.store, matches[0])
    begin(served.store, matches[1])
    for match in matches[1:]:
        secrets[f"seed of {match}"] = served.store.matches.get(match).secret
    for match in matches:
        for tail in ("", "/events", "/record"):
            say(served.get(f"/v1/matches/{match}{tail}"))
    cup = served.post("/v1/tournaments", json={"name": "C", "game": "quixo"}, headers=people["Ada"]).json()
    secrets["seed of the tournament"] = served.store.tournaments.get(cup["id"]).seed
    for tail in ("", "/standings", "/events", "/pairings"):
        say(served.get(f"/v1/tournaments/{cup['id']}{tail}", headers=people["Ada"]))
    _provoke(served, people["Ada"], secrets, say)


def _enrol(served: Served, headers: dict[str, str], secrets: dict[str, str], say) -> None:
    """What an organiser makes for others."""
    served.store.owners.set_role(served.get("/v1/owners/me", headers=headers).json()["id"], Role.ORGANISER)
    pupils = served.post("/v1/roster", json={"names": ["Pupil"]}, headers=headers).json()["items"]
    secrets["a pupil's key"] = pupils[0]["key"]["key"].split("_", 2)[2]
    say(served.post("/v1/roster", json={"names": ["Pupil"]}, headers=headers))
    made = served.post("/v1/invitations", json={}, headers=headers).json()
    secrets["an organiser's invitation"] = made["code"].split("_", 2)[2]
    say(served.get("/v1/invitations", headers=headers))
    say(served.delete(f"/v1/invitations/{made['id']}", headers=headers))


def _provoke(served: Served, headers: dict[str, str], secrets: dict[str, str], say) -> None:
    """Errors of every kind, with secrets in the requests."""
    for name, secret in list(secrets.items()):
        say(served.get(f"/v1/bots?cursor=%20{secret}&key={secret}"))
        say(served.get("/v1/bots", headers={"Authorization": f"Bearer arb_{'0' * 16}_{secret}"}))
        say(served.get("/v1/bots", headers={"Authorization": f"Basic {secret}"}))
        if "invitation" in name:
            say(served.post("/v1/owners", json={"name": "Eve", "invitation": secret + "x"}))
    served.redis.pause()
    try:
        say(served.get("/v1/bots", headers=headers))
    finally:
        served.redis.go_on()
    say(served.get("/metrics", headers={"Authorization": "Bearer wrong"}))
    say(served.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}))


def test_no_answer_tells_a_secret(run):
    secrets, seen, _ = run
    assert len(seen) > 60
    told = {name for name, secret in secrets.items() for text in seen if secret in text}
    assert told == set()


def test_no_log_line_tells_a_secret(run):
    secrets, _, log = run
    told = {name for name, secret in secrets.items() if secret in log}
    assert told == set()


def test_the_log_names_every_request_that_failed_or_changed_something(run):
    lines = [json.loads(line) for line in run[2].splitlines() if line.startswith("{")]
    requests_logged = [line for line in lines if line["event"] == "request"]
    assert len(requests_logged) > 60
    assert all({"request", "method", "path", "status", "took_ms"} <= set(line) for line in requests_logged)
    assert {503, 401, 201} <= {line["status"] for line in requests_logged}
    assert any("owner" in line for line in requests_logged)
    by_path = {line["path"]: line for line in requests_logged}
    for kind, ladder in (("match", "m_quixo_"), ("bot", "b_")):
        ids = {line[kind] for line in requests_logged if kind in line}
        assert ids
        assert all(thing.startswith(ladder) for thing in ids)
        assert all(line.get(kind, "") in path for path, line in by_path.items())

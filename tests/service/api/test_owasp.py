"""The OWASP API Security Top 10 (2023), a test each, as far as it is the API's business.

API1 is held for every route by test_access.py; API7 is the bot client's (tests/workers/bot_client).
"""

from __future__ import annotations

import resource
import time

import pytest

from service.api.access import ACCESS
from service.models import Role
from tests.service.api.conftest import fields, problem
from tests.service.api.test_access import BODIES, routes


def test_api1_broken_object_level_authorisation(service, ada, bob):
    bot = service.bot(ada)["id"]
    assert ada.get(f"/v1/bots/{bot}/health").status_code == 200
    for method, tail in (
        ("get", "/health"),
        ("get", "/verification"),
        ("post", "/verify"),
        ("post", "/secret"),
    ):
        assert problem(getattr(bob, method)(f"/v1/bots/{bot}{tail}")) == (404, "not-found")
    assert problem(bob.patch(f"/v1/bots/{bot}", json={"version": "2"})) == (404, "not-found")
    assert problem(bob.delete(f"/v1/bots/{bot}")) == (404, "not-found")


def test_api2_broken_authentication_guessing_is_stopped(start_service):
    service = start_service(rate_bad_keys="30 per minute")
    nobody = service.nobody
    good = service.somebody()
    answers = [
        nobody.get("/v1/bots", headers={"Authorization": f"Bearer arb_{i:016d}_{'x' * 32}"}).status_code
        for i in range(1000)
    ]
    assert set(answers) == {401, 429}
    assert answers.count(401) <= 31
    assert good.get("/v1/owners/me").status_code == 200, "a good key from the same address goes on"
    assert nobody.get("/v1/bots").status_code == 200


def test_api2_broken_authentication_a_revoked_key_is_dead_at_once(service, ada):
    made = ada.post("/v1/keys", json={"name": "k"}).json
    headers = {"Authorization": f"Bearer {made['key']}"}
    assert service.nobody.get("/v1/owners/me", headers=headers).status_code == 200
    ada.delete(f"/v1/keys/{made['id']}")
    deadline = time.monotonic() + 1
    while service.nobody.get("/v1/owners/me", headers=headers).status_code != 401:
        assert time.monotonic() < deadline


@pytest.mark.parametrize("member", ["owner", "rating", "verified", "verified_at", "state", "role", "secret"])
def test_api3_broken_property_level_authorisation_in(service, ada, member):
    bot = service.bot(ada)
    before = ada.get(f"/v1/bots/{bot['id']}").json
    answer = ada.patch(f"/v1/bots/{bot['id']}", json={member: "x"})
    assert (problem(answer), fields(answer)) == ((400, "unknown-member"), [member])
    assert ada.get(f"/v1/bots/{bot['id']}").json == before


def test_api3_broken_property_level_authorisation_out(service, ada):
    """No secret in any GET, whoever asks."""
    bot, second = service.bot(ada), service.bot(ada)
    body = {"game": "quixo", "bots": [bot["id"], second["id"]]}
    match = ada.post("/v1/matches", json=body).json["items"][0]["id"]
    secrets = {bot["secret"], second["secret"], service.store.matches.get(match).secret, ada.key}
    ids = {"bot_id": bot["id"], "match_id": match, "ladder": "quixo", "name": "quixo", "slug": "quota"}
    ids |= {
        "check_id": ada.post(f"/v1/bots/{bot['id']}/checks").json["id"],
        "webhook_id": "w_0000000000000000",
        "owner_id": ada.id,
        "tournament_id": "t_quixo_0000000000000000",
        "key_id": "x",
    }
    admin = service.somebody(Role.ADMIN)
    seen = 0
    for _, method, rule in routes(service.app):
        if method == "get":
            path = rule.replace("<", "{").replace(">", "}").replace("string:", "").format_map(ids)
            for person in (ada, admin, service.nobody):
                text = person.get(path).get_data(as_text=True)
                seen += 1
                assert not any(secret in text for secret in secrets), path
    assert seen > 60


def test_api4_unrestricted_resource_consumption(service, ada):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    big = b'{"name": "' + b"x" * 10_000_000 + b'"}'
    deep = b'{"options": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    for _ in range(20):
        assert ada.post("/v1/bots", data=big, content_type="application/json").status_code == 413
        assert ada.post("/v1/matches", data=deep, content_type="application/json").status_code == 400
    assert problem(ada.get("/v1/bots?limit=1000000000"))[0] == 422
    assert problem(ada.get("/v1/bots?limit=1e9"))[0] == 422
    wide = {"name": "T", "game": "quixo", "max_entrants": 10_000}
    assert problem(ada.post("/v1/tournaments", json=wide))[0] == 422
    many = {"game": "quixo", "bots": ["b_0000000000000000"] * 10_000}
    assert problem(ada.post("/v1/matches", json=many))[0] == 422
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 60_000, f"{grown} KiB more"


def test_api5_broken_function_level_authorisation(service, ada):
    """A player's key on every admin route, and an organiser's."""
    organiser = service.somebody(Role.ORGANISER)
    asked = 0
    for endpoint, method, rule in routes(service.app):
        if ACCESS[endpoint].role is Role.ADMIN:
            path = rule.replace("<", "").replace(">", "")
            for person in (ada, organiser):
                answer = getattr(person, method)(path, json=BODIES.get(endpoint))
                assert problem(answer) == (403, "missing-role"), path
                asked += 1
    assert asked >= 20


def test_api6_unrestricted_access_to_sensitive_flows(start_service):
    """1 000 registrations of bots, sign-ups in a row: bounded."""
    service = start_service(bots_per_owner=20, rate_signups="5 per hour")
    ada = service.somebody()
    about = {"games": ["quixo"], "url": "http://127.0.0.1:9000/"}
    made = [ada.post("/v1/bots", json={"name": f"bot {i}", **about}).status_code for i in range(1000)]
    assert (made.count(201), made.count(409)) == (20, 980)
    signed = [service.nobody.post("/v1/owners", json={"name": f"Eve {i}"}).status_code for i in range(20)]
    assert (signed.count(201), signed.count(429)) == (4, 16)


def test_api6_checks_of_one_host_are_bounded_over_all_owners(service):
    """A check sends a request to a URL that may be a stranger's: at most 3 to one, few to a host."""
    allowed = 0
    for i in range(12):
        for j in range(4):
            url = f"http://127.0.0.1:{9000 + i}/{j}"
            bot = service.store.bots.get(service.bot(service.somebody(), active=False, url=url)["id"])
            allowed += sum(service.store.verifications.begin(bot) for _ in range(4))
    assert allowed <= 30


def test_api8_security_misconfiguration(service, ada):
    for method in ("TRACE", "TRACK", "CONNECT"):
        assert service.nobody.client.open("/v1/bots", method=method).status_code in (400, 405, 501)
    answer = service.nobody.get("/v1/bots")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert "Server" not in answer.headers
    assert service.app.debug is False
    assert problem(service.nobody.get("/console"))[0] == 404


def test_api9_improper_inventory_management(service):
    """The application's routes are those of the access table; those of the description: test_openapi.py."""
    endpoints = {rule.endpoint for rule in service.app.url_map.iter_rules()}
    assert {e for e in endpoints if not e.startswith("web.")} == set(ACCESS)


def test_api10_unsafe_consumption_of_apis(service, ada):
    """What a bot's owner writes reaches nobody's browser as markup: JSON says it is JSON."""
    bot = service.bot(ada, name="<script>x</script>", description="</pre><img src=x>")
    answer = service.nobody.get(f"/v1/bots/{bot['id']}")
    assert answer.json["name"] == "<script>x</script>"
    assert answer.mimetype == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"

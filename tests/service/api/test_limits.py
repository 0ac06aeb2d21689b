"""Rate limits: per key or address, told in headers, kept while Redis is away."""

import time

from service.api.limits import _QUOTAS, _RATES
from service.config import NAMES
from tests.service.api.conftest import problem


def test_too_many_requests_of_one_key(start_service):
    service = start_service(rate_reads="5 per minute")
    ada, bob = service.somebody(), service.somebody()
    answers = [ada.get("/v1/owners/me") for _ in range(7)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
    refused = answers[-1]
    assert problem(refused) == (429, "too-many-requests")
    assert 0 < int(refused.headers["Retry-After"]) <= 61
    assert refused.headers["X-RateLimit-Limit"] == "5"
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert bob.get("/v1/owners/me").status_code == 200


def test_reading_and_writing_are_counted_apart(start_service):
    service = start_service(rate_reads="2 per minute", rate_writes="3 per minute")
    nobody = service.nobody
    for _ in range(3):
        nobody.get("/v1/bots")
    assert nobody.get("/v1/bots").status_code == 429
    assert nobody.post("/v1/owners", json={"name": "Ada"}).status_code == 201


def test_a_wrong_key_does_not_escape_the_address_s_limit(start_service):
    service = start_service(rate_reads="3 per minute", rate_bad_keys="1000 per minute")
    codes = [
        service.nobody.get("/v1/bots", headers={"Authorization": f"Bearer arb_{i}"}).status_code
        for i in range(5)
    ]
    assert codes[-1] == 429


def test_probes_are_never_limited(start_service):
    service = start_service(rate_reads="1 per minute")
    assert [service.nobody.get("/healthz").status_code for _ in range(5)] == [200] * 5


def test_every_limit_can_be_read(service):
    seen = service.nobody.get("/v1/limits").json
    assert set(_QUOTAS) | set(_RATES) <= set(NAMES)
    assert {name for name in NAMES if name.startswith("rate_")} == set(_RATES)
    assert {name for name in NAMES if "_per_" in name} == set(_QUOTAS)
    assert seen["quotas"]["bots_per_owner"] == service.settings.bots_per_owner
    assert seen["rates"]["reads"] == service.settings.rate_reads
    assert seen["requests"]["body_bytes"] == 256 * 1024
    assert set(seen["clock"]["presets"]) == {"bullet", "blitz", "rapid", "course"}


def test_limits_hold_in_memory_while_redis_is_away(start_redis, start_service):
    service = start_service(rate_reads="4 per minute")
    server = start_redis("embedded")
    assert service.nobody.get("/v1/games").status_code == 200
    server.pause()
    try:
        codes = []
        for _ in range(8):
            began = time.monotonic()
            codes.append(service.nobody.get("/v1/games").status_code)
            assert time.monotonic() - began < 2
        assert codes.count(200) <= 5
        assert codes[-1] == 429
        assert 500 not in codes
    finally:
        server.go_on()

"""The short form of the fuzzing; the long one is `./run chaos api`."""

import pytest

pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from tests.service.api.fuzz import Fuzz


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_api_keeps_to_its_description_whatever_is_sent(service):
    report = Fuzz(service).run(examples=6)
    assert report.failures == {}
    assert report.requests > 250
    assert {200, 201, 404, 422} <= set(report.statuses)

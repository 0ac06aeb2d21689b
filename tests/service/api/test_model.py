"""The short form of the model's run; the long one is `./run chaos api`."""

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.service.api.model import ApiModel


def test_the_api_does_what_its_model_does(redis_url):
    ApiModel.redis_url, ApiModel.service = redis_url, None
    chosen = settings(
        max_examples=12,
        stateful_step_count=25,
        deadline=None,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(ApiModel, settings=chosen)
    finally:
        ApiModel.service = None

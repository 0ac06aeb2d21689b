"""The fit as the service makes it: a task, a process of its own, and intervals in the ladder."""

import pytest

from service.jobs import Jobs
from tests.e2e.conftest import wait_for
from tests.e2e.test_match import answering, first_move

pytestmark = pytest.mark.slow


def test_a_ladder_is_fitted_by_a_job(service):
    owners = [service.owner(), service.owner()]
    bots = [
        service.bot(owner, "quixo", player)
        for owner, player in zip(owners, (first_move(), answering("zz")), strict=True)
    ]
    service.match(owners[0], "quixo", bots)
    Jobs.at(service.stack.environ["ARBITER_BROKER_URL"]).fit("quixo")

    def fitted():
        return owners[0].get(f"/v1/ratings/quixo/{bots[0]}")["interval"] is not None

    wait_for(fitted, "the fit")
    report = owners[0].get("/v1/ratings/quixo/fit")
    assert report["games"] >= 1
    compared = owners[0].get("/v1/ratings/quixo/superiority", bot=bots[0], other=bots[1])
    assert compared["superiority"] > 0.5

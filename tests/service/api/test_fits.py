"""The fit in the API: intervals beside the ratings, the report, and who is the stronger of two."""

import pytest

from service.fitting import fit_ladder
from tests.service.api.conftest import problem
from tests.service.api.playing import now_ms, play


@pytest.fixture
def three(service, ada, bob):
    """Bots that have met all round; the first always wins, but once."""
    bots = [service.bot(owner)["id"] for owner in (ada, bob, service.somebody())]
    for one, other in ((0, 1), (1, 2), (0, 2), (1, 0)):
        wanted = {"game": "quixo", "bots": [bots[one], bots[other]]}
        made = ada.post("/v1/matches", json=wanted).json["items"][0]["id"]
        play(service.store, made, moves=2, loser=1)
    return bots


def test_before_the_first_fit_there_is_none(service, three):
    rows = service.nobody.get("/v1/ratings/quixo").json["items"]
    assert {(row["fit"], row["interval"], row["pool"]) for row in rows} == {(None, None, None)}
    report = service.nobody.get("/v1/ratings/quixo/fit").json
    assert (report["at"], report["behind"], report["pools"]) == (None, 4, [])
    path = f"/v1/ratings/quixo/superiority?bot={three[0]}&other={three[1]}"
    assert problem(service.nobody.get(path)) == (404, "not-found")


def test_ratings_have_intervals(service, three):
    fit_ladder(service.store, "quixo", now_ms())
    rows = service.nobody.get("/v1/ratings/quixo").json["items"]
    for row in rows:
        assert row["interval"][0] < row["fit"] < row["interval"][1]
        assert (row["opponents"], row["pool"], row["version"]) == (2, 0, "1")
    one = service.nobody.get(f"/v1/ratings/quixo/{three[0]}").json
    assert one in rows
    report = service.nobody.get("/v1/ratings/quixo/fit").json
    assert (report["ledger"], report["behind"], report["games"], report["lines"]) == (4, 0, 4, 3)
    assert report["pools"] == [{"pool": 0, "lines": 3, "finite": report["pools"][0]["finite"]}]


def test_which_of_two_is_stronger(service, three):
    fit_ladder(service.store, "quixo", now_ms())
    found = service.nobody.get(f"/v1/ratings/quixo/superiority?bot={three[0]}&other={three[2]}").json
    assert found["superiority"] > 0.5
    assert found["interval"][0] < found["difference"] < found["interval"][1]
    back = service.nobody.get(f"/v1/ratings/quixo/superiority?bot={three[2]}&other={three[0]}").json
    assert back["superiority"] == pytest.approx(1 - found["superiority"], abs=1e-3)
    missing = service.nobody.get(f"/v1/ratings/quixo/superiority?bot={three[0]}")
    assert problem(missing) == (422, "invalid")


def test_who_never_met_cannot_be_compared(service, ada, three):
    others = [service.bot(service.somebody())["id"] for _ in range(2)]
    made = ada.post("/v1/matches", json={"game": "quixo", "bots": others}).json["items"][0]["id"]
    play(service.store, made, moves=2)
    fit_ladder(service.store, "quixo", now_ms())
    path = f"/v1/ratings/quixo/superiority?bot={three[0]}&other={others[0]}"
    assert problem(service.nobody.get(path)) == (409, "not-comparable")
    assert [p["lines"] for p in service.nobody.get("/v1/ratings/quixo/fit").json["pools"]] == [3, 2]

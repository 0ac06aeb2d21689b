"""A round-robin from the draft to the tables; what may not be done in it."""

import pytest

from tests.e2e.conftest import wait_for
from tests.e2e.test_match import answering, first_move, refused


@pytest.fixture(scope="module")
def four(service):
    owners = [service.owner("player") for _ in range(4)]
    players = [first_move(), first_move(), first_move(), answering("zz")]
    return owners, [service.bot(o, "quixo", p) for o, p in zip(owners, players, strict=True)]


def draft(organiser, **members):
    body = {"name": "cup", "game": "quixo", "format": "round-robin", "clock": "blitz", **members}
    return organiser.post("/v1/tournaments", body)["id"]


def finish(organiser, tournament):
    path = f"/v1/tournaments/{tournament}"
    wait_for(lambda: organiser.get(path)["state"] == "finished", "the tournament", 90)
    return path


def test_a_double_round_robin_is_played_to_its_tables(service, four):
    owners, bots = four
    organiser = service.owner("organiser")
    tournament = draft(organiser, cycles=2)
    path = f"/v1/tournaments/{tournament}"
    organiser.post(f"{path}/open", {})
    for owner, bot in zip(owners, bots, strict=True):
        owner.post(f"{path}/entrants", {"bot": bot})
    organiser.post(f"{path}/start", {})
    assert refused(organiser.post, f"{path}/start", {}).status == 409
    finish(organiser, tournament)
    rows = organiser.get(f"{path}/standings")["rows"]
    assert [row["played"] for row in rows] == [6] * 4
    assert sum(row["points"] for row in rows) == 12
    assert rows[-1]["bot"] == bots[3], "the bot that always forfeits is last"
    cross = organiser.get(f"{path}/crosstable")
    assert len(cross["rows"]) == 4
    for row in cross["rows"]:
        assert sum(cell["games"] for cell in row["cells"] if cell) == 6
    pairings = list(organiser.pages(f"{path}/pairings"))
    assert len(pairings) == 12
    firsts = [sum(p["bots"][0] == bot for p in pairings) for bot in bots]
    assert firsts == [3] * 4, "everyone sits in each seat equally often"
    assert all(p["match"] for p in pairings)


def test_a_tournament_with_one_entrant_does_not_start(service, four):
    owners, bots = four
    organiser = service.owner("organiser")
    tournament = draft(organiser)
    path = f"/v1/tournaments/{tournament}"
    organiser.post(f"{path}/open", {})
    owners[0].post(f"{path}/entrants", {"bot": bots[0]})
    error = refused(organiser.post, f"{path}/start", {})
    assert error.status in (409, 422)
    assert "2" in error.problem["detail"] or "two" in error.problem["detail"]
    assert organiser.get(path)["state"] == "open"

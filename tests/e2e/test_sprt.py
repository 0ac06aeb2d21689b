"""`arbiter match sprt`: pairs of games from both seats until the test has decided."""

import json

import pytest

from service.ratings.sprt import Sprt
from tests.e2e.test_commands import arbiter, ok
from tests.e2e.test_match import answering, first_move

pytestmark = pytest.mark.slow

__all__ = ["arbiter"]


@pytest.fixture(scope="module")
def tester(service):
    return service.owner("tester")


def bot(service, owner, player, game="quixo"):
    return service.bot(owner, game, player)


def key_of(client):
    return client._session.headers["Authorization"].split()[1]


def test_a_stronger_bot_is_found_to_be_stronger(service, arbiter, tester):
    strong, weak = bot(service, tester, first_move()), bot(service, tester, answering("zz"))
    words = ("match", "sprt", strong, weak, "--elo0", "0", "--elo1", "200", "--ahead", "3", "--json")
    lines = [json.loads(line) for line in ok(arbiter(key_of(tester), *words)).splitlines()]
    assert lines[-1]["verdict"] == "H1"
    assert lines[-1]["pairs"][:4] == [0] * 4
    test = Sprt(0, 200)
    for line in lines[:-1]:
        test = test.after(4)
        assert (line["pairs"], line["llr"]) == (list(test.pairs), round(test.llr, 3))
    matches = list(tester.pages("/v1/matches", bot=strong))
    assert not any(m["rated"] for m in matches)
    finished = [m for m in matches if m["state"] == "finished"]
    assert {m["state"] for m in matches} <= {"finished", "cancelled", "running"}
    sets = {}
    for m in finished:
        sets.setdefault(m["set"], []).append([p["bot"] for p in m["players"]])
    assert [strong, weak] in sets[finished[0]["set"]] or [weak, strong] in sets[finished[0]["set"]]
    assert sum(len(seats) == 2 for seats in sets.values()) >= len(lines) - 1


def test_equal_bots_with_one_deck_are_found_not_to_be_far_apart(service, arbiter, tester):
    one, two = (bot(service, tester, first_move(), "sorry") for _ in range(2))
    words = ("match", "sprt", one, two, "--elo0", "0", "--elo1", "800", "--ahead", "3", "--opening", "0")
    said = ok(arbiter(key_of(tester), *words))
    assert "H0 is accepted" in said
    assert "LLR -" in said
    matches = [m for m in tester.pages("/v1/matches", bot=one) if m["state"] == "finished"]
    assert all(m["shared_deal"] for m in matches)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--elo0", "20", "--elo1", "10"), "elo0 must be below elo1"),
        (("--game", "sorry"), "do not both play sorry"),
    ],
)
def test_what_cannot_be_tested_is_refused(service, arbiter, tester, words, said):
    one, two = (bot(service, tester, first_move()) for _ in range(2))
    result = arbiter(key_of(tester), "match", "sprt", one, two, *words)
    assert result.exit_code == 2
    assert said in result.output


def test_no_decision_is_said_too(service, arbiter, tester):
    one, two = (bot(service, tester, first_move()) for _ in range(2))
    said = ok(arbiter(key_of(tester), "match", "sprt", one, two, "--most", "1"))
    assert "no decision" in said
    assert "1 pairs of games" in said

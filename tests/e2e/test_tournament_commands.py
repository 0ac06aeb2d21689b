"""`arbiter tournament`: made, entered, started and followed to its table from a terminal."""

import json

import pytest

from tests.e2e.test_commands import arbiter, ok
from tests.e2e.test_match import first_move
from workers.commands.tournaments import duration

pytestmark = pytest.mark.slow

__all__ = ["arbiter"]


@pytest.fixture(scope="module")
def bots(service):
    return [service.bot(service.owner(), "quixo", first_move()) for _ in range(3)]


def test_a_tournament_from_a_terminal(service, arbiter, bots, tmp_path):
    key = json.loads(ok(arbiter(None, "owner", "sign-up", "Hilda", "--json")))["key"]
    words = ("tournament", "new", "cup", "quixo", "--cycles", "2", "--set", "absence_grace_ms=5000", "--json")
    made = json.loads(ok(arbiter(key, *words)))
    cup = made["id"]
    assert made["settings"]["absence_grace_ms"] == 5000
    assert "has not begun" not in ok(arbiter(key, "tournament", "set", cup, "tie_breaks=[]"))
    assert ok(arbiter(key, "tournament", "enter", cup, *bots)).count("has entered") == 3
    assert cup in ok(arbiter(key, "tournament", "list", "--owner", "me"))
    ok(arbiter(key, "tournament", "withdraw", cup, bots[2]))
    ok(arbiter(key, "tournament", "enter", cup, bots[2]))
    assert "running" in ok(arbiter(key, "tournament", "start", cup))
    looks = [
        json.loads(line) for line in ok(arbiter(None, "tournament", "watch", cup, "--json")).splitlines()
    ]
    *progress, table = looks
    assert progress[-1] == {
        "state": "finished",
        "games_total": 6,
        "games_done": 6,
        "games_settled": 0,
        "running": 0,
        "estimate_ms": None,
    }
    assert all(look["games_done"] <= 6 for look in progress)
    assert [row["played"] for row in table["rows"]] == [4, 4, 4]
    shown = ok(arbiter(None, "tournament", "watch", cup))
    assert "6/6" in shown
    assert "finished" in shown
    assert "ahead of" in shown or "shares" in shown or "behind" in shown
    file = tmp_path / "cup.jsonl"
    assert f"records in {file}: 6" in ok(arbiter(None, "tournament", "export", cup, "-o", str(file)))
    assert "6 records: 6 hold, 0 do not" in ok(arbiter(None, "verify", "-q", str(file)))


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (400, "0 s"),
        (59_400, "59 s"),
        (61_000, "1 min"),
        (3 * 3_600_000 + 5 * 60_000, "3 h 05 min"),
        (50 * 3_600_000, "2 d 2 h"),
    ],
)
def test_durations_for_people(ms, text):
    assert duration(ms) == text

"""What of a ledger is fitted: rated games, voids left out, versions apart, sets as clusters."""

import pytest

from service.models import LedgerEntry
from service.ratings.ladder import Gathering


def entry(number, players, placing, **more):
    payload = {
        "kind": "finish",
        "players": [[bot, version, team] for bot, version, team in players],
        "placing": placing,
        "rated": True,
        "set": None,
        **more,
    }
    return LedgerEntry(number, payload, "")


def two(number, one, other, placing=(1, 2), **more):
    players = [(name, "1", None) if isinstance(name, str) else (*name, None) for name in (one, other)]
    return entry(number, players, list(placing), **more)


def gathered(*entries, most=100):
    gathering = Gathering()
    for one in entries:
        gathering.add(one)
    return gathering, gathering.ladder(most)


def test_rated_games_count_and_versions_are_lines_of_their_own():
    gathering, ladder = gathered(
        two(1, "a", "b"),
        two(2, "b", ("a", "2"), (1, 1)),
        two(3, "a", "c", rated=False),
    )
    assert gathering.last == 3
    assert ladder.lines == (("a", "1"), ("b", "1"), ("a", "2"))
    [games] = ladder.kinds
    assert games.seats.tolist() == [[0, 1], [1, 2]]
    assert games.placing.tolist() == [[1, 2], [1, 1]]
    assert games.clusters is None


def test_voided_games_leave_no_trace():
    void = LedgerEntry(3, {"kind": "void", "match": "m", "voids": 1}, "")
    held = LedgerEntry(4, {"kind": "void", "match": "m", "voids": None}, "")
    gathering, ladder = gathered(two(1, "a", "b"), two(2, "b", "c"), void, held)
    assert (ladder.lines, gathering.last) == ((("b", "1"), ("c", "1")), 4)
    assert ladder.kinds[0].seats.tolist() == [[0, 1]]


def test_kinds_are_kept_apart():
    teams = [("a", "1", 0), ("b", "1", 1), ("c", "1", 0), ("d", "1", 1)]
    three = [("a", "1", None), ("b", "1", None), ("c", "1", None)]
    _, ladder = gathered(entry(1, teams, [1, 2, 1, 2]), entry(2, three, [1, 2, 3]), two(3, "a", "d"))
    shapes = {(games.seats.shape, games.teams) for games in ladder.kinds}
    assert shapes == {((1, 4), True), ((1, 3), False), ((1, 2), False)}


def test_games_of_a_set_are_one_cluster():
    _, ladder = gathered(
        two(1, "a", "b", set="t:0"), two(2, "b", "a", set="t:0"), two(3, "a", "c"), two(4, "b", "c")
    )
    clusters = ladder.kinds[0].clusters.tolist()
    assert clusters[0] == clusters[1]
    assert len(set(clusters)) == 3


@pytest.mark.parametrize(("most", "kept", "games"), [(10, 5, 12), (3, 3, 5), (2, 2, 3), (0, 0, 0)])
def test_of_too_many_lines_those_with_most_games_stay(most, kept, games):
    """b0 and b1 have met three times, everybody else once."""
    pairs = [(one, other) for one in range(5) for other in range(one)] + [(1, 0)] * 2
    entries = [two(n, f"b{one}", f"b{other}") for n, (one, other) in enumerate(pairs, start=1)]
    _, ladder = gathered(*entries, most=most)
    assert (len(ladder.lines), ladder.left_out) == (kept, 5 - kept)
    assert sum(len(part.seats) for part in ladder.kinds) == games
    if most == 2:
        assert {bot for bot, _ in ladder.lines} == {"b0", "b1"}


def test_an_empty_ledger_is_an_empty_ladder():
    _, ladder = gathered()
    assert (ladder.lines, ladder.kinds, ladder.left_out) == ((), (), 0)

"""Play on one machine: the same referee, records that can be checked, scores with intervals."""

import pytest

from engines.clock import Control
from engines.game import Reason
from engines.record import verify
from engines.registry import GAMES
from tests.hostile import hostile
from workers.local_bots import BotError, LocalBots, new_secret
from workers.local_play import Series, open_network, play
from workers.local_score import Score, add_record, elo

QUICK = Control("per_move", base_ms=300)


@pytest.fixture
def local_bots():
    with LocalBots(new_secret(), seed=5) as found:
        yield found


def planned(game, bots, games=2, opening=0):
    rules = GAMES[game]
    return Series(rules, bots, rules.full_options({}), QUICK, games, 7, opening)


def played(series):
    bots = {bot.id: bot for bot in series.bots}
    return [play(match, bots, open_network(), lambda state: None) for match in series.matches()]


def test_seats_rotate_and_each_opening_is_played_from_every_seat(local_bots):
    bots = [local_bots.bot(f"http://127.0.0.1:{port}") for port in (1, 2)]
    matches = list(planned("quixo", bots, games=4, opening=3).matches())
    assert [[p.bot == bots[0].id for p in m.players] for m in matches] == [[True, False], [False, True]] * 2
    seeds = [match.opening_seed for match in matches]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3]
    assert len({match.secret for match in matches}) == 4


def test_two_bots_take_a_team_each_and_four_a_seat_each(local_bots):
    bots = [local_bots.bot(f"http://127.0.0.1:{port}") for port in (1, 2, 3, 4)]
    (match,) = planned("sorry-teams", bots[:2], games=1).matches()
    assert [player.bot for player in match.players] == [bots[0].id, bots[1].id] * 2
    (match,) = planned("sorry-teams", bots, games=1).matches()
    assert [player.bot for player in match.players] == [bot.id for bot in bots]


def test_records_hold_receipts_and_verify(local_bots):
    records = played(planned("sorry", [local_bots.bot("random"), local_bots.bot("greedy")]))
    for record in records:
        assert verify(record) == []
        moves = [event for event in record["events"] if event["type"] == "move"]
        assert all(event["receipt"]["charged_us"] == event["charged_us"] for event in moves)
    changed = records[0] | {"result": {**records[0]["result"], "placing": [1, 1]}}
    assert verify(changed) != []


def test_every_position_is_shown_once(local_bots):
    series = planned("quixo", [local_bots.bot("random"), local_bots.bot("greedy")], games=1)
    (match,) = series.matches()
    seen = []
    play(match, {bot.id: bot for bot in series.bots}, open_network(), seen.append)
    assert [state.ply for state in seen] == list(range(len(seen)))
    assert seen[-1].outcome.reason in (Reason.LINE, Reason.OPPONENT_LINE)


def test_a_fault_is_a_result_and_not_an_error(local_bots):
    with hostile("HTML") as broken:
        series = planned("quixo", [local_bots.bot(broken.url), local_bots.bot("random")])
        records = played(series)
    assert [record["result"]["reason"] for record in records] == ["malformed-reply"] * 2
    scores = {bot.id: Score() for bot in series.bots}
    for record in records:
        add_record(scores, record)
    lost, won = (scores[bot.id] for bot in series.bots)
    assert (lost.lost, won.won, lost.faults) == (2, 2, {"malformed-reply": 2})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("raise SystemExit('no such opening book')", "ended with code 1:\n  no such opening book"),
        ("import time; print('hello', flush=True); time.sleep(60)", "printed no address within"),
    ],
)
def test_a_program_that_does_not_come_up_is_explained(local_bots, tmp_path, monkeypatch, content, why):
    monkeypatch.setattr("workers.local_bots.START_S", 1.0)
    (tmp_path / "odd.py").write_text(content)
    with pytest.raises(BotError, match=why):
        local_bots.bot(str(tmp_path / "odd.py"))


def test_what_is_no_bot_is_explained(local_bots):
    with pytest.raises(BotError, match=r"no sample bot \(random, greedy.* no file and no address"):
        local_bots.bot("grady")


def test_a_sample_refuses_a_level_it_does_not_have(local_bots):
    with pytest.raises(BotError, match=r"alphabeta: error: argument --level: invalid choice: 77"):
        local_bots.bot("alphabeta:77")


def test_equal_names_are_told_apart(local_bots):
    assert [local_bots.bot("random").name for _ in range(3)] == ["random", "random #2", "random #3"]


# Wilson's interval at 95 %, from its formula: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), z = 1.95996
@pytest.mark.parametrize(
    ("won", "drawn", "lost", "low", "high"),
    [(10, 0, 0, 0.7225, 1.0), (5, 0, 5, 0.2366, 0.7634), (18, 2, 0, 0.7639, 0.9911), (0, 0, 1, 0.0, 0.7935)],
)
def test_intervals(won, drawn, lost, low, high):
    score = Score()
    for place, other, count in ((1, 2, won), (1, 1, drawn), (2, 1, lost)):
        for _ in range(count):
            score.add(place, [other], 0)
    assert (score.won, score.drawn, score.lost) == (won, drawn, lost)
    assert score.interval() == pytest.approx((low, high), abs=2e-4)


def test_a_share_for_each_opponent_behind():
    score = Score()
    score.add(2, [1, 3, 2], 40)
    assert (score.mean, score.lost, score.game_points) == (0.5, 1, 40)


def test_elo_differences():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1.0) is None

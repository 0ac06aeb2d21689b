"""The referee: turns out, answers in; faults by reason; openings; forced plies; resuming by replaying."""

import pytest

from engines.clock import Control
from engines.game import Outcome, Reason
from engines.protocol import FaultReason, MoveReply
from engines.quixo.game import Quixo, QuixoTeams
from engines.referee import Answer, Fault, Setup, Verdict, recorded_answer, referee
from engines.registry import GAMES

QUIXO, TEAMS = Quixo(), QuixoTeams()
CONTROL = Control("fischer", base_ms=1000, increment_ms=10, allowance_ms=5)


def setup(game=QUIXO, seats=2, **changes):
    options = game.full_options(changes.pop("options", {}))
    return Setup(game, seats, options, CONTROL, bytes(32), **changes)


def drive(match, answers):
    """Send the answers (then index 0 for ever); returns the turns seen and the verdict."""
    running, turns, supply = referee(match), [], iter(answers)
    try:
        turns.append(next(running))
        while True:
            turns.append(running.send(next(supply, Answer(MoveReply(0), 1000))))
    except StopIteration as stop:
        return turns, stop.value


def events_of(turns, verdict):
    return [event for turn in turns for event in turn.events] + list(verdict.events)


def test_a_whole_match_is_asked_turn_by_turn():
    turns, verdict = drive(setup(), [])
    assert [turn.turn for turn in turns] == list(range(len(turns)))
    assert [turn.seat for turn in turns] == [n % 2 for n in range(len(turns))]
    assert verdict.result["outcome"] in ("decided", "drawn")
    assert verdict.events[-1] == {"type": "finished", "result": verdict.result}
    assert verdict.state.outcome.placing == tuple(verdict.result["placing"])


def test_the_clock_runs_for_the_one_who_is_asked():
    turns, _ = drive(setup(), [Answer(MoveReply(0), 400_000), Answer(MoveReply(0), 0)])
    assert turns[1].clock.remaining_us == (610_000, 1_000_000)
    assert turns[2].clock.remaining_us == (610_000, 1_010_000)


FAULTS = [
    (Answer(MoveReply("e9N"), 10), "illegal-move", "Q"),
    (Answer(MoveReply(44), 10), "illegal-move", "from 0 to 43"),
    (Answer(MoveReply(-1), 10), "illegal-move", "from 0 to 43"),
    (Answer(MoveReply(None), 10), "resigned", "resigned"),
    (Answer(MoveReply("c1N"), 1_005_001), "timeout", "1005.0 ms were left"),
    (Answer(MoveReply("e9N"), 1_005_001), "timeout", "took"),
    (Fault(FaultReason.MALFORMED_REPLY, "not JSON", 10), "malformed-reply", "not JSON"),
    (Fault(FaultReason.MALFORMED_REPLY, "not JSON", 9_000_000), "timeout", "took"),
    (Fault(FaultReason.TIMEOUT, "no answer", 1_005_001), "timeout", "no answer"),
    (Fault(FaultReason.UNREACHABLE, "refused", 9_000_000), "unreachable", "refused"),
    (Fault(FaultReason.HTTP_ERROR, "503", 9_000_000), "http-error", "503"),
    (Fault(FaultReason.TOO_LARGE, "64 KiB", 10), "too-large", "64 KiB"),
]


@pytest.mark.parametrize(("answer", "reason", "words"), FAULTS)
def test_every_fault_has_its_own_reason_and_loses(answer, reason, words):
    turns, verdict = drive(setup(), [answer])
    assert len(turns) == 1
    fault, finished = verdict.events
    assert (fault["type"], fault["reason"], fault["seat"], fault["final"]) == ("fault", reason, 0, True)
    assert words in fault["detail"]
    assert finished["result"]["placing"] == [2, 1]
    assert finished["result"]["reason"] == reason
    assert finished["result"]["faults"] == [{"turn": 0, "seat": 0, "reason": reason}]


def test_an_endless_answer_is_kept_in_part():
    _, verdict = drive(setup(), [Answer(MoveReply("x" * 60_000), 10)])
    assert verdict.events[0]["got"] == "x" * 200
    assert verdict.events[0]["detail"].startswith("x" * 80 + "…: ")


def test_history_names_the_cards():
    turns, _ = drive(setup(GAMES["sorry"]), [])
    entries = [entry for turn in turns[:20] for entry in turn.history]
    names = {"1", "2", "3", "4", "5", "7", "8", "10", "11", "12", "Sorry!"}
    assert {entry["card"] for entry in entries} <= names


def test_the_answer_that_just_makes_it_is_in_time():
    turns, _ = drive(setup(), [Answer(MoveReply(0), 1_005_000)])
    assert turns[1].clock.remaining_us[0] == 10_000


def test_a_match_may_allow_another_answer_and_then_says_what_was_wrong():
    wrong = Answer(MoveReply("e9N"), 100)
    turns, verdict = drive(setup(attempts=2), [wrong, Answer(MoveReply("c1N"), 100)])
    assert [turn.seat for turn in turns[:3]] == [0, 0, 1]
    assert turns[0].error is None
    assert turns[1].error["reason"] == "illegal-move"
    assert turns[1].error["got"] == "e9N"
    assert turns[1].legal == turns[0].legal
    assert [event["final"] for event in turns[1].events] == [False]
    _, verdict = drive(setup(attempts=2), [wrong, wrong])
    assert verdict.result["placing"] == [2, 1]


def test_only_illegal_and_malformed_answers_get_another_attempt():
    turns, _ = drive(setup(attempts=5), [Fault(FaultReason.TOO_LARGE, "64 KiB", 10)])
    assert len(turns) == 1


def test_a_side_of_two_falls_as_one():
    """Q17: with teams the side whose player forfeits loses."""
    _, verdict = drive(setup(TEAMS, 4), [Answer(MoveReply(0), 1), Answer(MoveReply(None), 1)])
    assert verdict.result["placing"] == [1, 2, 1, 2]
    assert verdict.result["reason"] == "resigned"


def test_openings_are_seeded_and_the_same_for_the_same_seed():
    match = setup(opening_plies=4, opening_seed=b"o" * 32)
    one, _ = drive(match, [])
    two, _ = drive(match, [])
    other, _ = drive(setup(opening_plies=4, opening_seed=b"p" * 32), [])
    assert [event["by"] for event in one[0].events] == ["opening"] * 4
    assert one[0].events == two[0].events != other[0].events
    assert one[0].turn == 4
    assert one[0].clock.remaining_us == (1_000_000, 1_000_000)
    assert [entry["by"] for entry in one[0].history] == ["opening"] * 4


def test_history_is_what_the_seat_has_not_seen():
    turns, _ = drive(setup(), [])
    assert turns[0].history == ()
    assert [entry["seat"] for entry in turns[1].history] == [0]
    assert [(entry["turn"], entry["seat"]) for entry in turns[2].history] == [(1, 1)]


def test_who_does_not_come_loses_and_if_nobody_comes_nobody_wins():
    turns, verdict = drive(setup(no_shows=(1,)), [])
    assert turns == []
    assert verdict.result["placing"] == [1, 2]
    assert verdict.result["reason"] == "no-show"
    _, verdict = drive(setup(no_shows=(0, 1)), [])
    assert verdict.result["outcome"] == "void"
    assert verdict.result["reason"] == "no-show"
    _, verdict = drive(setup(TEAMS, 4, no_shows=(0, 2)), [])
    assert verdict.result["placing"] == [2, 1, 2, 1]
    _, verdict = drive(setup(TEAMS, 4, no_shows=(0, 1)), [])
    assert verdict.result["outcome"] == "void"


def test_a_no_show_says_why():
    why = "no poll fetched the message"
    _, verdict = drive(setup(no_shows=(1,), absences=(why,)), [])
    assert verdict.events[0]["detail"].endswith(f"three tries (the last one: {why})")
    _, verdict = drive(setup(no_shows=(1,)), [])
    assert verdict.events[0]["detail"].endswith("three tries")


@pytest.mark.parametrize("stop", range(0, 12, 3))
def test_a_new_referee_goes_on_where_the_record_ends(stop):
    """D2: a match resumed has the moves and clocks it would have had."""
    match = setup(opening_plies=2, attempts=2)
    script = [Answer(MoveReply(n % 5), 1000 * n, receipt={"wait_us": n}) for n in range(1, 9)]
    script[3] = Answer(MoveReply("zz"), 5)
    turns, verdict = drive(match, script)
    recorded = events_of(turns[: stop + 1], Verdict((), {}, None))
    again, rest = drive(match, [a for a in map(recorded_answer, recorded) if a] + script[stop:])
    assert events_of(again, rest) == events_of(turns, verdict)


def test_a_turn_with_one_move_is_played_by_the_referee():
    forced = Forced()
    turns, verdict = drive(setup(forced), [])
    assert [turn.turn for turn in turns] == [1]
    assert verdict.events[-1]["result"]["reason"] == "line"
    first, second = turns[0].events, verdict.events[:-1]
    assert [(e["type"], e.get("by"), e["turn"]) for e in first + second] == [
        ("forced", "forced", 0),
        ("move", None, 1),
        ("forced", "forced", 2),
    ]


class Forced(Quixo):
    """Three plies: forced, a choice of two, forced."""

    def start(self, seats, options, seed):
        return ForcedState(0)


class ForcedState:
    def __init__(self, ply):
        self.ply = ply
        self.to_move = ply % 2
        self.outcome = Outcome((1, 2), Reason.LINE) if ply == 3 else None

    def legal_moves(self):
        return ["a", "b"] if self.ply == 1 else ["a"]

    def move(self, text):
        return text

    def apply(self, move):
        return ForcedState(self.ply + 1)

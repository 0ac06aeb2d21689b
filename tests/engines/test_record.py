"""The record: what is public, the chain, and the check that needs no server."""

import copy
import json
from pathlib import Path

import pytest

import engines
from engines.chance import commitment, match_seed
from engines.clock import Control
from engines.protocol import FaultReason, MoveReply
from engines.record import chain_on, chain_start, public, replayed, setup_from, verify
from engines.referee import Answer, Fault, recorded_answer, referee
from engines.registry import GAMES, game_named

SECRET = bytes(range(32))
SCHEMA = json.loads((Path(engines.__file__).parent / "schemas/record-1.json").read_text())
SEATS = [(game, seats) for game in GAMES for seats in GAMES[game].seats]


def played(name="quixo", seats=2, script=(), **changes):
    """A record of a match in which seats answer `script`, then the first move for ever."""
    game = game_named(name)
    header = {
        "schema_version": 1,
        "match_id": f"m_{name}_1",
        "game": name,
        "options": game.full_options({}),
        "clock": Control("fischer", base_ms=60_000, increment_ms=10).to_json(),
        "opening": {"plies": 2, "seed": "ab" * 32},
        "attempts": 2,
        "players": [
            {"seat": seat, "team": game.team(seat), "bot": f"b_{seat}", "name": f"bot {seat}", "version": "1"}
            for seat in range(seats)
        ],
        "rated": True,
        "engine_version": game.version,
        "commitment": commitment(SECRET),
        **changes,
    }
    started = {"type": "started", "at": 1, "nonces": ["ab"] + [""] * (seats - 1), "no_shows": []}
    events, result = run(setup_from(header, SECRET, started), script)
    events = [started, *map(public, events)]
    events[-1]["at"] = 2
    head = chain_on(chain_start(header), events).hex()
    seed = match_seed(SECRET, started["nonces"]).hex()
    record = {"header": header, "events": events, "secret": SECRET.hex(), "seed": seed}
    return {**record, "result": result, "chain_head": head}


def run(setup, script):
    running, supply, events = referee(setup), iter(script), []
    try:
        turn = next(running)
        while True:
            events += turn.events
            turn = running.send(next(supply, Answer(MoveReply(0), 1000, 1, {"wait_us": 7}, "kernel")))
    except StopIteration as stop:
        return events + list(stop.value.events), dict(stop.value.result)


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_a_true_record_holds_and_survives_json(name, seats):
    record = played(name, seats)
    assert verify(record) == []
    assert verify(json.loads(json.dumps(record))) == []


FAULTS = [
    Answer(MoveReply("zz"), 10),
    Answer(MoveReply(9999), 10),
    Answer(MoveReply(None), 10),
    Answer(MoveReply(0), 99_000_000),
    Fault(FaultReason.MALFORMED_REPLY, "not JSON", 10, got="<html>"),
    Fault(FaultReason.UNREACHABLE, "refused", 99_000_000),
]


@pytest.mark.parametrize(("name", "seats"), SEATS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_record_with_faults_holds(name, seats, fault):
    assert verify(played(name, seats, [Answer(MoveReply(0), 5), fault])) == []


def change(record, path, value):
    changed = copy.deepcopy(record)
    spot = changed
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = value
    return changed


# what is changed, what the check says
LIES = [
    (("secret",), "00" * 32, "committed"),
    (("seed",), "00" * 32, "seed"),
    (("result", "placing"), [1, 1], "result"),
    (("chain_head",), "00" * 32, "hash chain"),
    (("events", 5, "move"), "c5S", "event|replayed"),
    (("events", 5, "charged_us"), 3, "remaining_us"),
    (("events", 5, "remaining_us"), [1, 1], "remaining_us"),
    (("events", 5, "receipt_sha256"), "00" * 32, "hash chain"),
    (("events", 5, "stamp"), "monotonic", "hash chain"),
    (("events", 5, "comment"), "I was here", "comment|hash chain"),
    (("events", 1, "move"), "a1N", "event 2"),
    (("header", "players"), [{}, {}], "hash chain"),
    (("header", "engine_version"), 99, "version 99"),
    (("header", "schema_version"), 99, "schema_version"),
    (("header", "game"), "go", "no game"),
    (("events",), [], "not complete"),
    (("header", "clock"), None, "cannot be replayed"),
]


@pytest.mark.parametrize(("path", "value", "words"), LIES)
def test_a_changed_record_is_found_out(path, value, words):
    problems = verify(change(played(), path, value))
    assert problems
    assert any(word in " ".join(problems) for word in words.split("|"))


def test_a_move_called_illegal_that_the_rules_allow_is_found_out():
    record = played(script=[Answer(MoveReply("zz"), 10)])
    at = next(n for n, e in enumerate(record["events"]) if e["type"] == "fault")
    lie = change(record, ("events", at, "got"), 0)
    assert any("rules allow it" in problem for problem in verify(lie))


def test_events_left_out_at_the_end_are_missed():
    record = played()
    problems = verify({**record, "events": record["events"][:-3]})
    assert "the result is not the one of the last event" in problems


def test_the_private_receipt_is_hashed_not_shown():
    event = {"type": "move", "receipt": {"wait_us": 5}}
    assert set(public(event)) == {"type", "receipt_sha256"}
    assert public(event) != public({"type": "move", "receipt": {"wait_us": 6}})


def test_an_owners_copy_holds_with_its_receipts_and_not_with_others():
    record = played()
    receipts = [dict(e) for e in record["events"]]
    for event in receipts:
        if "receipt_sha256" in event:
            event["receipt"] = {"wait_us": 7}
    assert verify({**record, "events": receipts}) == []
    receipts[-2]["receipt"] = {"wait_us": 8}
    assert any("receipt" in problem for problem in verify({**record, "events": receipts}))


@pytest.mark.parametrize(("name", "seats"), SEATS)
@pytest.mark.parametrize("script", [[], [FAULTS[0], FAULTS[0]], [FAULTS[4]]])
def test_records_keep_to_the_published_schema(name, seats, script):
    jsonschema = pytest.importorskip("jsonschema")
    record = played(name, seats, script)
    jsonschema.validate(json.loads(json.dumps(record)), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(change(record, ("events", 1, "type"), "rumour"), SCHEMA)


def test_replaying_stops_where_the_answers_stop():
    record = played()
    setup = setup_from(record["header"], SECRET, record["events"][0])
    part = record["events"][1:6]
    assert [e["type"] for e in replayed(setup, part)] == [e["type"] for e in part]
    assert all(recorded_answer(e) is None for e in part if e["type"] == "forced")

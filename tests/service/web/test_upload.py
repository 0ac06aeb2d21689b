"""Records from files: read if they have the right shape, refused in a sentence if not, never believed."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from engines.registry import GAMES
from service.api.errors import ApiError
from service.web.upload import MAX_EVENTS, read_record
from tests.service.web.playing import ALL_TABLES, header_for, played, record_from


def a_record(game="quixo", seats=2):
    header, secret = header_for(GAMES[game], seats)
    return record_from(header, secret, played(header, secret))


@pytest.mark.parametrize(("game", "seats"), ALL_TABLES, ids=lambda value: getattr(value, "name", value))
def test_every_record_is_read(game, seats):
    record = a_record(game.name, seats)
    whole, read = read_record(json.dumps(record).encode())
    assert whole == record
    assert len(read["events"]) == len(record["events"])


def changed(path, value):
    """A record in which the member at `path` is `value`; None takes it away."""
    record = deepcopy(a_record())
    part = record
    for step in path[:-1]:
        part = part[step]
    if value is None:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return record


BAD = [
    (("header",), [], "header"),
    (("header", "game"), "chess", "header.game"),
    (("header", "players"), [], "header.players"),
    (("header", "players", 0, "name"), 5, "header.players.0.name"),
    (("header", "options"), {"size": 99}, "size"),
    (("header", "clock"), {"control": "sand"}, "clock.control"),
    (("header", "opening", "plies"), 10**9, "header.opening.plies"),
    (("secret",), "00", "secret"),
    (("events",), [], "events"),
    (("events", 0, "type"), "begun", "events.0.type"),
    (("events", 0, "nonces"), ["", "", ""], "each of the 2 seats"),
    (("events", 3, "move"), None, "event 4 (move) has no move"),
    (("events", 3, "seat"), 3, "a seat is beyond the 2 players"),
    (("events", 3, "remaining_us"), [10**30, 0], "events.3.remaining_us.0"),
    (("events", 3, "charged_us"), True, "events.3.charged_us"),
    (("events", 0), {"type": "finished"}, "has no result"),
    (("result", "placing"), [1], "result.placing"),
    (("result", "placing"), [1, 2, 3], "each of the 2 seats"),
]


@pytest.mark.parametrize(("path", "value", "says"), BAD, ids=[row[2] for row in BAD])
def test_what_is_no_record_is_refused_in_a_sentence(path, value, says):
    with pytest.raises(ApiError) as refused:
        read_record(json.dumps(changed(path, value)).encode())
    assert refused.value.detail.startswith("This is no record of a match: ")
    assert says in refused.value.detail


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 10_000, b'{"header": NaN}', b'{"a": 1, "a": 2}'],
    ids=lambda body: body[:12].decode(errors="replace"),
)
def test_what_is_no_json_object_is_refused(body):
    with pytest.raises(ApiError):
        read_record(body)


def test_a_record_without_an_end_in_sight_is_refused():
    record = a_record()
    record["events"] += [record["events"][1]] * MAX_EVENTS
    with pytest.raises(ApiError, match="events"):
        read_record(json.dumps(record).encode())

"""A record from a file, checked for shape before anything is computed from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma
from marshmallow import EXCLUDE, validate

from engines.clock import Control
from engines.errors import GameError
from engines.game import SEED_BYTES
from engines.registry import GAMES, game_named
from service.api.errors import ApiError, flat
from service.api.parsing import read_json

MAX_RECORD_BYTES = 1024 * 1024
MAX_EVENTS = 6000
MAX_OPENING = 1000
_COUNT = validate.Range(0, 10**15)


class _Part(ma.Schema):
    class Meta:
        unknown = EXCLUDE


def _hex(size: int) -> ma.fields.String:
    return ma.fields.String(required=True, validate=validate.Regexp(rf"[0-9a-f]{{{2 * size}}}\Z"))


def _counts() -> ma.fields.List[int]:
    return ma.fields.List(ma.fields.Integer(strict=True, validate=_COUNT), validate=validate.Length(0, 4))


class _Player(_Part):
    seat = ma.fields.Integer(required=True, strict=True)
    name = ma.fields.String(required=True)
    version = ma.fields.String(required=True)
    bot = ma.fields.String(required=True)


class _Opening(_Part):
    plies = ma.fields.Integer(required=True, strict=True, validate=validate.Range(0, MAX_OPENING))
    seed = _hex(SEED_BYTES)


class _Header(_Part):
    match_id = ma.fields.String(required=True)
    game = ma.fields.String(required=True, validate=validate.OneOf(list(GAMES)))
    options = ma.fields.Dict(required=True)
    clock = ma.fields.Dict(required=True)
    opening = ma.fields.Nested(_Opening, required=True)
    attempts = ma.fields.Integer(required=True, strict=True, validate=validate.Range(1, 100))
    players = ma.fields.List(ma.fields.Nested(_Player), required=True, validate=validate.Length(2, 4))
    rated = ma.fields.Boolean(required=True)


class _Result(_Part):
    outcome = ma.fields.String(required=True, validate=validate.OneOf(("decided", "drawn", "void")))
    reason = ma.fields.String(required=True)
    placing = ma.fields.List(ma.fields.Integer(strict=True), required=True, validate=validate.Length(2, 4))


class _Event(_Part):
    """What the viewer reads of an event; which members a type must have is in `_NEEDS`."""

    type = ma.fields.String(
        required=True, validate=validate.OneOf(("started", "forced", "move", "fault", "finished"))
    )
    turn = ma.fields.Integer(strict=True, validate=_COUNT)
    seat = ma.fields.Integer(strict=True, validate=validate.Range(0, 3))
    move = ma.fields.String()
    by = ma.fields.String()
    charged_us = ma.fields.Integer(strict=True, validate=_COUNT)
    remaining_us = _counts()
    periods_left = _counts()
    comment = ma.fields.String()
    reason = ma.fields.String()
    detail = ma.fields.String()
    got = ma.fields.Raw(allow_none=True)
    final = ma.fields.Boolean()
    nonces = ma.fields.List(ma.fields.String(), validate=validate.Length(2, 4))
    no_shows = ma.fields.List(ma.fields.Integer(strict=True), validate=validate.Length(0, 4))
    absences = ma.fields.List(ma.fields.String(), validate=validate.Length(0, 4))
    result = ma.fields.Nested(_Result)


class _Record(_Part):
    header = ma.fields.Nested(_Header, required=True)
    events = ma.fields.List(ma.fields.Nested(_Event), required=True, validate=validate.Length(1, MAX_EVENTS))
    secret = _hex(SEED_BYTES)
    result = ma.fields.Nested(_Result, required=True)


_CLOCKED = ("turn", "seat", "charged_us", "remaining_us", "periods_left")
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "started": ("nonces", "no_shows"),
    "forced": ("turn", "seat", "move", "by"),
    "move": (*_CLOCKED, "move"),
    "fault": (*_CLOCKED, "reason", "detail", "got", "final"),
    "finished": ("result",),
}


def read_record(body: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The record as it came, and what the viewer reads of it; raises ApiError that says what is wrong."""
    whole = read_json(body)
    try:
        read = _Record().load(whole)
    except ma.ValidationError as error:
        where, what = next(flat(error.messages), ("", "unknown shape"))
        raise _bad(f"{where or 'the file'}: {what}") from None
    for number, event in enumerate(read["events"], start=1):
        missing = [name for name in _NEEDS[event["type"]] if name not in event]
        if missing:
            raise _bad(f"event {number} ({event['type']}) has no {missing[0]}")
        if (event["type"] == "started") != (number == 1):
            raise _bad("`started` must be the first event and no other")
    _check_game(read)
    return whole, read


def _check_game(read: Mapping[str, Any]) -> None:
    """Raise ApiError unless the header's game can be played as it says."""
    header = read["header"]
    seats = len(header["players"])
    try:
        game = game_named(header["game"])
        game.check_seats(seats)
        header["options"] = game.full_options(header["options"])
        header["clock"] = Control.from_json(header["clock"]).to_json()
    except (GameError, TypeError) as error:
        raise _bad(str(error)) from None
    lists = [read["result"]["placing"], read["events"][0]["nonces"]]
    lists += [event["remaining_us"] for event in read["events"] if "remaining_us" in event]
    lists += [event["periods_left"] for event in read["events"] if "periods_left" in event]
    if any(event.get("seat", 0) >= seats for event in read["events"]):
        raise _bad(f"a seat is beyond the {seats} players")
    if any(len(values) != seats for values in lists):
        raise _bad(f"there must be one entry for each of the {seats} seats in every list by seat")


def _bad(detail: str) -> ApiError:
    return ApiError("invalid", f"This is no record of a match: {detail}.")

"""Matches and their events."""

from __future__ import annotations

import marshmallow as ma
from marshmallow import validate

from engines.registry import GAMES
from service.api.schemas.fields import Digits, GameName, Id, Time, Whole, Yes, described
from service.api.schemas.games import ClockField, OptionsField
from service.api.schemas.lists import ListQuery
from service.matches import MAX_ATTEMPTS, MAX_COUNT, MAX_OPENING_PLIES
from service.models import MatchState

MAX_WAIT_S = 30


class MatchRequestSchema(ma.Schema):
    """Matches to be played between the same bots."""

    game = GameName(required=True)
    bots = ma.fields.List(
        Id("b"),
        required=True,
        validate=validate.Length(1, 4),
        metadata=described(
            "The bot in each seat, from seat 0. A team's two seats may hold one bot.",
            example=["b_01k8z4n2q7h3v9ty", "b_01k8z4n2q7h3v9tz"],
        ),
    )
    options = OptionsField(load_default=dict)
    clock = ClockField(load_default="blitz")
    opening = Whole(
        0, MAX_OPENING_PLIES, load_default=0, metadata=described("Random plies that are played first.")
    )
    attempts = Whole(
        1, MAX_ATTEMPTS, load_default=1, metadata=described("Answers a turn may take while they are illegal.")
    )
    rated = Yes(load_default=True)
    count = Whole(
        1,
        MAX_COUNT,
        load_default=1,
        metadata=described("How many games; the seats rotate, each opening is played from every seat."),
    )
    duplicate = Yes(
        load_default=False,
        metadata=described("Each deck is played from every seat; nothing of it is told before all have."),
    )


class PlayerSchema(ma.Schema):
    """Who sits in a seat, as it was when the match was made."""

    seat = ma.fields.Integer(required=True)
    team = ma.fields.Integer(required=True, allow_none=True)
    bot = Id("b", required=True)
    name = ma.fields.String(required=True)
    version = ma.fields.String(required=True)
    owner = Id("o", required=True)


class MatchSchema(ma.Schema):
    """A match."""

    id = Id("m", required=True)
    game = ma.fields.String(required=True)
    state = ma.fields.Enum(MatchState, by_value=True, required=True)
    state_reason = ma.fields.String(required=True, allow_none=True)
    players = ma.fields.List(ma.fields.Nested(PlayerSchema), required=True)
    options = ma.fields.Dict(required=True)
    clock = ma.fields.Dict(required=True)
    opening_plies = ma.fields.Integer(required=True)
    attempts = ma.fields.Integer(required=True)
    rated = ma.fields.Boolean(required=True)
    unrated_reason = ma.fields.String(required=True, allow_none=True)
    engine_version = ma.fields.Integer(required=True)
    commitment = ma.fields.String(
        required=True, metadata=described("SHA-256 of the server's part of the seed, published before play.")
    )
    tournament = Id("t", required=True, allow_none=True)
    pairing = ma.fields.Integer(required=True, allow_none=True)
    round = ma.fields.Integer(required=True, allow_none=True)
    set = ma.fields.String(
        required=True,
        allow_none=True,
        metadata=described("Games with the same one share an opening or a deck; null: neither is shared."),
    )
    shared_deal = ma.fields.Boolean(
        required=True, metadata=described("Whether they share the deck; the record waits for all of them.")
    )
    requested_by = Id("o", required=True)
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    finished_at = Time(required=True, allow_none=True)
    turn_began_at = Time(
        required=True,
        allow_none=True,
        metadata=described("When the turn in progress, or the last one, was asked for."),
    )
    plies = ma.fields.Integer(required=True)
    result = ma.fields.Dict(
        required=True, allow_none=True, metadata=described("outcome, reason, placing by seat, points.")
    )
    chain_head = ma.fields.String(required=True, allow_none=True)


class MatchesMadeSchema(ma.Schema):
    """The matches that a request made."""

    items = ma.fields.List(ma.fields.Nested(MatchSchema), required=True)


class MatchQuery(ListQuery):
    """Which matches to list."""

    game = ma.fields.String(load_default=None, validate=validate.OneOf(list(GAMES)))
    bot = Id("b", load_default=None, metadata=described("Played by this bot."))
    owner = ma.fields.String(
        load_default=None,
        validate=validate.Length(1, 40),
        metadata=described("Played by its bots; an id or me."),
    )
    state = ma.fields.Enum(MatchState, by_value=True, load_default=None)
    tournament = Id("t", load_default=None)
    from_ = Time(data_key="from", load_default=None, metadata=described("Asked for at this time or later."))
    to = Time(load_default=None, metadata=described("Asked for before this time."))


class EventsQuery(ma.Schema):
    """Which events, and how long to wait for one."""

    after = Digits(0, 10**9, load_default=0, metadata=described("The id of the last event already seen."))
    limit = Digits(1, 1000, load_default=200)
    wait = Digits(
        0,
        MAX_WAIT_S,
        load_default=0,
        metadata=described("Seconds to wait for an event if there is none yet."),
    )


class EventsSchema(ma.Schema):
    """Events in the order they happened."""

    items = ma.fields.List(
        ma.fields.Dict(), required=True, metadata=described("Each with its `id`, from 1, and its `type`.")
    )
    next = ma.fields.Integer(required=True, metadata=described("`after` for the next request."))
    over = ma.fields.Boolean(required=True, metadata=described("Whether these are the last there will be."))


class RecordSchema(ma.Schema):
    """A record: all that is needed to check a match without the service."""

    header = ma.fields.Dict(required=True, metadata=described("All that was fixed before play."))
    events = ma.fields.List(ma.fields.Dict(), required=True)
    secret = ma.fields.String(required=True, metadata=described("The server's 32 bytes, hex."))
    seed = ma.fields.String(required=True)
    result = ma.fields.Dict(required=True)
    chain_head = ma.fields.String(required=True)
    match = ma.fields.Dict(required=True, metadata=described("What the service adds."))

"""Tournaments, their entrants and their tables."""

from __future__ import annotations

import re
from typing import Any

import marshmallow as ma
from marshmallow import ValidationError, validate, validates_schema

from engines.registry import GAMES
from service.api.schemas.fields import Digits, GameName, Id, Line, Prose, Time, Whole, Yes, described
from service.api.schemas.games import ClockField, OptionsField
from service.api.schemas.lists import ListQuery, NumberedQuery
from service.api.schemas.matches import EventsQuery, EventsSchema
from service.matches import MAX_ATTEMPTS, MAX_OPENING_PLIES
from service.models import TournamentState
from service.tournaments.formats import FORMATS
from service.tournaments.pairing import Partners
from service.tournaments.tie_breaks import DEFAULT, NAMES

ENTRIES = ("open", "invitation")
MAX_CYCLES = 100
MAX_GRACE_MS = 30 * 24 * 3_600_000


class TournamentChangeSchema(ma.Schema):
    """What may be changed until a tournament starts."""

    name = Line(1, 80)
    description = Prose(0, 2000)
    options = OptionsField()
    clock = ClockField()
    seats = Whole(2, 4, metadata=described("Seats at a table; left out: as few as the game takes."))
    partners = ma.fields.Enum(
        Partners, by_value=True, metadata=described("In team games: fixed teams, or partners that rotate.")
    )
    cycles = Whole(1, MAX_CYCLES, metadata=described("How often the whole schedule is played."))
    opening = Whole(
        0,
        MAX_OPENING_PLIES,
        allow_none=True,
        metadata=described("Random plies played first; null: some where there is more than one cycle."),
    )
    duplicate = Yes(metadata=described("One deck for every rotation of the seats, set by set."))
    challengers = Whole(1, 100, metadata=described("In a gauntlet: how many, the first to enter."))
    attempts = Whole(1, MAX_ATTEMPTS)
    rated = Yes()
    tie_breaks = ma.fields.List(
        ma.fields.String(validate=validate.OneOf(NAMES)),
        validate=validate.Length(0, len(NAMES)),
        metadata=described("In the order they apply.", example=list(DEFAULT)),
    )
    max_entrants = Whole(2, 1000)
    entry = ma.fields.String(
        validate=validate.OneOf(ENTRIES),
        metadata=described(
            "open: owners enter their bots, and the tournament's owner anybody's that take their challenges;"
            " invitation: the tournament's owner alone enters bots."
        ),
    )
    private = Yes(metadata=described("Seen by its owner and its entrants' owners only; never rated."))
    start_at = Time(allow_none=True, metadata=described("When it starts by itself."))
    entries_close_at = Time(allow_none=True, metadata=described("After this nobody enters any more."))
    absence_grace_ms = Whole(
        0,
        MAX_GRACE_MS,
        metadata=described("How long an entrant's bot may be unable to play before it is withdrawn."),
    )
    pseudonyms = Yes(
        metadata=described("Until the end only the host and each owner know who plays; never rated.")
    )

    @validates_schema
    def _times(self, data: dict[str, Any], **kwargs: Any) -> None:
        start, close = data.get("start_at"), data.get("entries_close_at")
        if start is not None and close is not None and close > start:
            raise ValidationError("must not be later than start_at", "entries_close_at")


class TournamentRequestSchema(TournamentChangeSchema):
    """A tournament to be made."""

    name = Line(1, 80, required=True, metadata=described("For people.", example="Spring league"))
    game = GameName(required=True)
    format = ma.fields.String(load_default="round-robin", validate=validate.OneOf(list(FORMATS)))


class TournamentSettingsSchema(ma.Schema):
    """How it is played."""

    description = ma.fields.String(required=True)
    seats = ma.fields.Integer(required=True)
    partners = ma.fields.String(required=True)
    cycles = ma.fields.Integer(required=True)
    opening = ma.fields.Integer(required=True, allow_none=True)
    duplicate = ma.fields.Boolean(required=True)
    challengers = ma.fields.Integer(required=True)
    attempts = ma.fields.Integer(required=True)
    rated = ma.fields.Boolean(required=True)
    tie_breaks = ma.fields.List(ma.fields.String(), required=True)
    max_entrants = ma.fields.Integer(required=True)
    entry = ma.fields.String(required=True)
    private = ma.fields.Boolean(required=True)
    start_at = Time(required=True, allow_none=True)
    entries_close_at = Time(required=True, allow_none=True)
    absence_grace_ms = ma.fields.Integer(required=True)
    pseudonyms = ma.fields.Boolean(required=True)


class TournamentSchema(ma.Schema):
    """A tournament."""

    id = Id("t", required=True)
    name = ma.fields.String(required=True)
    game = ma.fields.String(required=True)
    format = ma.fields.String(required=True)
    owner = Id("o", required=True)
    state = ma.fields.Enum(TournamentState, by_value=True, required=True)
    state_reason = ma.fields.String(required=True, allow_none=True)
    options = ma.fields.Dict(required=True)
    clock = ma.fields.Dict(required=True)
    settings = ma.fields.Nested(TournamentSettingsSchema, required=True)
    entrants_count = ma.fields.Function(
        lambda tournament: len(tournament.entrants), required=True, metadata={"type": "integer"}
    )
    games_total = ma.fields.Integer(
        required=True, allow_none=True, metadata=described("Games in the schedule; null before the start.")
    )
    games_done = ma.fields.Integer(required=True)
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    finished_at = Time(required=True, allow_none=True)
    revision = ma.fields.Integer(required=True)


class ProgressSchema(ma.Schema):
    """How far a tournament is."""

    games_total = ma.fields.Integer(required=True, metadata=described("Games in the schedule."))
    games_done = ma.fields.Integer(required=True, metadata=described("Of these, with a result."))
    games_settled = ma.fields.Integer(
        required=True, metadata=described("Of these, not to be played since an entrant has withdrawn.")
    )
    running = ma.fields.Integer(required=True, metadata=described("Of these, being played now."))
    estimate_ms = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata=described(
            "How long the rest will take, by the lengths of its games so far and by what its bots and the"
            " workers can play at once; null before the first result and after the end."
        ),
    )


class FollowedSchema(TournamentSchema):
    """A tournament with how far it is."""

    progress = ma.fields.Nested(
        ProgressSchema, required=True, allow_none=True, metadata=described("Null before the start.")
    )


class TournamentQuery(ListQuery):
    """Which tournaments to list."""

    game = ma.fields.String(load_default=None, validate=validate.OneOf(list(GAMES)))
    owner = ma.fields.String(
        load_default=None, validate=validate.Length(1, 40), metadata=described("An owner's id, or me.")
    )
    state = ma.fields.Enum(TournamentState, by_value=True, load_default=None)


class EntrySchema(ma.Schema):
    """A bot that enters, or a team."""

    bot = Id("b", required=True)
    partner = Id(
        "b",
        load_default=None,
        metadata=described(
            "Where teams are fixed: the bot in the team's second seat; left out: the first holds both."
        ),
    )


class EntrantSchema(ma.Schema):
    """A bot that has entered, as it was then."""

    bot = Id("b", required=True)
    name = ma.fields.String(required=True)
    version = ma.fields.String(required=True)
    owner = Id("o", required=True)
    entered_at = Time(required=True)
    partner = Id("b", metadata=described("The second bot of a team that has two."))
    partner_name = ma.fields.String()
    partner_version = ma.fields.String()
    withdrawn_at = Time(required=True, allow_none=True)
    withdrawn_reason = ma.fields.String(
        required=True,
        allow_none=True,
        metadata=described("Why the service withdrew it by itself."),
    )


class EntrantListSchema(ma.Schema):
    """All entrants, in the order of entry."""

    items = ma.fields.List(ma.fields.Nested(EntrantSchema), required=True)


class StandingsQuery(ma.Schema):
    """In what form."""

    format = ma.fields.String(load_default="json", validate=validate.OneOf(("json", "csv")))


class OutcomesSchema(ma.Schema):
    """How games ended."""

    won = ma.fields.Integer(required=True)
    drawn = ma.fields.Integer(required=True)
    lost = ma.fields.Integer(required=True)
    won_by_forfeit = ma.fields.Integer(required=True)
    lost_by_forfeit = ma.fields.Integer(required=True)


class StandingsRowSchema(OutcomesSchema):
    """One entrant's line."""

    rank = ma.fields.Integer(required=True)
    bot = Id("b", required=True)
    name = ma.fields.String(required=True)
    version = ma.fields.String(required=True)
    owner = Id("o", required=True)
    played = ma.fields.Integer(required=True)
    points = ma.fields.Float(required=True)
    game_points = ma.fields.Integer(required=True)
    tie_breaks = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.Float(allow_none=True),
        required=True,
        metadata=described("By name; null where it was not applied."),
    )
    decided_by = ma.fields.String(
        required=True,
        metadata=described("What set it apart from the line above (the first: from the one below)."),
    )
    explanation = ma.fields.String(required=True, metadata=described("The same in words."))
    rating = ma.fields.Float(required=True, allow_none=True, metadata=described("Elo points now."))
    withdrawn_at = Time(required=True, allow_none=True)


class StandingsSchema(ma.Schema):
    """The table."""

    tournament = Id("t", required=True)
    partial = ma.fields.Boolean(required=True, metadata=described("Whether games are still missing."))  # type: ignore[assignment]
    tie_breaks = ma.fields.List(ma.fields.String(), required=True)
    notes = ma.fields.List(
        ma.fields.String(), required=True, metadata=described("The schedule's imbalances.")
    )
    rows = ma.fields.List(ma.fields.Nested(StandingsRowSchema), required=True)


class CrossQuery(StandingsQuery):
    """Whose rows, and in what form."""

    bot = Id("b", load_default=None, metadata=described("This bot's row only."))


class CrossBotSchema(ma.Schema):
    """A line's bot."""

    bot = Id("b", required=True)
    name = ma.fields.String(required=True)


class CrossCellSchema(ma.Schema):
    """The row's bot against the column's."""

    games = ma.fields.Integer(required=True)
    points = ma.fields.Float(required=True)
    ahead = ma.fields.Integer(required=True)
    level = ma.fields.Integer(required=True)
    behind = ma.fields.Integer(required=True)


class CrossRowSchema(ma.Schema):
    """One bot against all."""

    bot = Id("b", required=True)
    cells = ma.fields.List(
        ma.fields.Nested(CrossCellSchema, allow_none=True),
        required=True,
        metadata=described("In the order of `bots`; null where two have not met."),
    )


class CrossTableSchema(ma.Schema):
    """Everybody against everybody, in the order of the standings."""

    tournament = Id("t", required=True)
    partial = ma.fields.Boolean(required=True)  # type: ignore[assignment]
    bots = ma.fields.List(ma.fields.Nested(CrossBotSchema), required=True)
    rows = ma.fields.List(ma.fields.Nested(CrossRowSchema), required=True)


class SeatResultsSchema(OutcomesSchema):
    """What came of the games in one seat."""

    seat = ma.fields.Integer(required=True)


class BreakdownRowSchema(ma.Schema):
    """One entrant's results by seat, and its faults."""

    bot = Id("b", required=True)
    name = ma.fields.String(required=True)
    seats = ma.fields.List(
        ma.fields.Nested(SeatResultsSchema),
        required=True,
        metadata=described("A fixed team counts in seats 0 and 1, as one of two sides."),
    )
    faults = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.Integer(),
        required=True,
        metadata=described("By reason, how often it fell out of a game for it, if ever."),
    )


class BreakdownSchema(ma.Schema):
    """Results by seat and faults by reason, in the order of the standings."""

    tournament = Id("t", required=True)
    partial = ma.fields.Boolean(required=True)  # type: ignore[assignment]
    rows = ma.fields.List(ma.fields.Nested(BreakdownRowSchema), required=True)


class PairingsQuery(NumberedQuery, StandingsQuery):
    """Which pairings, and in what form."""

    round = Digits(1, 10**6, load_default=None, metadata=described("Of this round only."))
    bot = Id("b", load_default=None, metadata=described("Of this bot only."))


class PairingSchema(ma.Schema):
    """One game of the schedule."""

    index = ma.fields.Integer(required=True)
    round = ma.fields.Integer(required=True)
    table = ma.fields.Integer(required=True)
    cycle = ma.fields.Integer(required=True)
    bots = ma.fields.List(Id("b"), required=True, metadata=described("By seat."))
    match = Id("m", required=True, allow_none=True, metadata=described("Null until it is made."))
    placing = ma.fields.List(
        ma.fields.Integer(), required=True, allow_none=True, metadata=described("By seat, once it is over.")
    )


_FEED_ID = re.compile(r"[0-9]{1,16}(-[0-9]{1,10})?\Z")


def feed_id(text: str) -> str:
    """An id of a tournament's event; raises ValueError."""
    if not _FEED_ID.match(text):
        raise ValueError(f"{text!r} is no id of an event")
    return text


class FeedQuery(EventsQuery):
    """Which events of a tournament, and how long to wait for one."""

    after = ma.fields.String(  # type: ignore[assignment]
        load_default="0",
        validate=validate.Regexp(_FEED_ID, error="is no id of an event; use `next` as it came"),
        metadata=described("The id of the last event already seen."),
    )


class FeedSchema(EventsSchema):
    """What happened to a tournament, in order; the last thousand or so are kept."""

    next = ma.fields.String(  # type: ignore[assignment]
        required=True, metadata=described("`after` for the next request.")
    )

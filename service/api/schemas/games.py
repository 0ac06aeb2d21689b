"""Games as data, time controls, and the parts of a request that depend on a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from engines.clock import CONTROLS, PRESETS, Control
from engines.errors import BadOption, GameError
from engines.game import Game, OptionValue
from service.api.errors import ApiError
from service.api.schemas.fields import described

_DURATION = {"type": "integer", "minimum": 0}
_CLOCK_DOC: dict[str, Any] = {
    "description": "A preset's name, or a control with its times.",
    "example": "blitz",
    "oneOf": [
        {"type": "string", "enum": list(PRESETS)},
        {
            "type": "object",
            "properties": {
                "control": {"type": "string", "enum": list(CONTROLS)},
                **dict.fromkeys(("base_ms", "increment_ms", "delay_ms", "periods", "period_ms"), _DURATION),
                "cap_ms": {"type": ["integer", "null"], "minimum": 1},
            },
            "additionalProperties": False,
        },
    ],
}


class ClockField(ma.fields.Raw):
    """A time control as it is asked for."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(metadata=_CLOCK_DOC, **kwargs)


class OptionsField(ma.fields.Dict):
    """A game's options."""

    def __init__(self, **kwargs: Any) -> None:
        text = "The game's options; those left out take their defaults (GET /v1/games/{name})."
        super().__init__(keys=ma.fields.String(), metadata=described(text, example={}), **kwargs)


def control_from(given: object, allowance_ms: int) -> Control:
    """The control that a request asks for; everybody's allowance is the service's. Raises ApiError."""
    if isinstance(given, Mapping):
        if "allowance_ms" in given:
            raise _bad("bad-clock", "clock.allowance_ms", "is the same for all and cannot be chosen")
        given = {**given, "allowance_ms": allowance_ms}
    try:
        return Control.from_json(given)
    except BadOption as error:
        raise _bad("bad-clock", error.field, error.detail) from None


def options_from(game: Game, given: Mapping[str, object]) -> dict[str, OptionValue]:
    """The complete options; raises ApiError."""
    try:
        return game.full_options(given)
    except BadOption as error:
        raise _bad("bad-option", f"options.{error.field}", error.detail) from None
    except GameError as error:
        raise _bad("bad-option", "options", str(error)) from None


def _bad(problem: str, field: str, detail: str) -> ApiError:
    return ApiError(problem, f"{field} {detail}", ((field, detail),))


class OptionSchema(ma.Schema):
    """One option of a game."""

    name = ma.fields.String(required=True)
    default = ma.fields.Raw(required=True, metadata={"type": ["integer", "string", "boolean"]})
    help = ma.fields.String(required=True)
    rule = ma.fields.String(required=True, metadata=described("The rule's number in the rules."))
    low = ma.fields.Integer(required=True, allow_none=True)
    high = ma.fields.Integer(required=True, allow_none=True)
    choices = ma.fields.List(ma.fields.String(), required=True)


class GameSchema(ma.Schema):
    """A game as data."""

    name = ma.fields.String(required=True, metadata=described("Its wire name, and its ladder's."))
    title = ma.fields.String(required=True)
    seats = ma.fields.List(ma.fields.Integer(), required=True, metadata=described("How many may play."))
    teams = ma.fields.Boolean(
        required=True, metadata=described("Whether seats 0 and 2 play against seats 1 and 3.")
    )
    hidden = ma.fields.Boolean(required=True, metadata=described("Whether seats know different things."))
    chance = ma.fields.Boolean(required=True, metadata=described("Whether there is a deck."))
    version = ma.fields.Integer(required=True, metadata=described("Grows when a rule's reading changes."))
    options = ma.fields.List(ma.fields.Nested(OptionSchema), required=True)


class GameListSchema(ma.Schema):
    """All games."""

    items = ma.fields.List(ma.fields.Nested(GameSchema), required=True)

"""Every limit and quota, readable."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from engines.clock import CONTROLS, PRESETS
from engines.protocol import MAX_REPLY_BYTES, MAX_REQUEST_BYTES
from service.api.blueprint import Blueprint
from service.api.context import settings
from service.api.parsing import MAX_BODY_BYTES, MAX_DEPTH
from service.api.roster import MAX_ROSTER
from service.api.schemas.fields import described
from service.api.schemas.lists import MAX_LIMIT
from service.api.schemas.matches import MAX_WAIT_S
from service.matches import MAX_ATTEMPTS, MAX_COUNT, MAX_OPENING_PLIES

limits = Blueprint("limits", __name__, url_prefix="/v1/limits", description="What is bounded, and how.")

_RATES = ("rate_reads", "rate_writes", "rate_turns", "rate_signups", "rate_bad_keys")
_QUOTAS = (
    "bots_per_owner",
    "keys_per_owner",
    "webhooks_per_owner",
    "open_matches_per_owner",
    "open_tournaments_per_player",
    "open_tournaments_per_organiser",
    "entrants_per_player",
    "entrants_per_organiser",
    "games_per_tournament",
    "rated_per_pair_day",
    "checks_per_owner_day",
    "checks_per_host_day",
)


class LimitsSchema(ma.Schema):
    """Limits and quotas by name."""

    rates = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.String(), required=True, metadata=described("Requests.")
    )
    quotas = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.Integer(), required=True, metadata=described("Things.")
    )
    requests = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.Integer(), required=True, metadata=described("One request.")
    )
    bots = ma.fields.Dict(required=True, metadata=described("Where bots may live and what they may send."))
    clock = ma.fields.Dict(required=True, metadata=described("Controls, presets, the allowance."))


@limits.route("")
@limits.response(200, LimitsSchema)
def read() -> Any:
    """Read every limit

    Rates count per key, or per address without one; their state is in the X-RateLimit-* headers.
    """
    chosen = settings()
    return {
        "rates": {name.removeprefix("rate_"): getattr(chosen, name) for name in _RATES},
        "quotas": {name: getattr(chosen, name) for name in _QUOTAS},
        "requests": {
            "body_bytes": MAX_BODY_BYTES,
            "json_depth": MAX_DEPTH,
            "page_items": MAX_LIMIT,
            "wait_s": MAX_WAIT_S,
            "matches": MAX_COUNT,
            "roster_names": MAX_ROSTER,
            "opening_plies": MAX_OPENING_PLIES,
            "attempts": MAX_ATTEMPTS,
            "streams": chosen.max_streams,
            "polls": chosen.max_polls,
        },
        "bots": {
            "ports": list(chosen.bot_ports),
            "request_bytes": MAX_REQUEST_BYTES,
            "reply_bytes": MAX_REPLY_BYTES,
        },
        "clock": {
            "controls": list(CONTROLS),
            "presets": {name: control.to_json() for name, control in PRESETS.items()},
            "allowance_ms": chosen.allowance_ms,
        },
    }

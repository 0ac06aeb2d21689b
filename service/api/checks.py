"""Checks: the doctor looks at a registered bot the way matches reach it, as a job."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from engines.clock import Clock, Control
from service.api.blueprint import Blueprint, marked
from service.api.bots import health_of, verification_of
from service.api.context import jobs, now_ms, settings, store
from service.api.errors import ApiError
from service.api.objects import own_bot
from service.api.once import once
from service.api.schemas.checks import CheckRequestSchema, CheckSchema
from service.api.schemas.games import control_from
from service.endpoint import Endpoint
from service.errors import Refused
from service.ids import new_id
from service.models import Bot, BotState, Examination, ExaminationState
from service.store.examinations import Bounds

checks = Blueprint("checks", __name__, url_prefix="/v1/bots", description="What is wrong with a bot.")

ONE_SECOND = Control("per_move", base_ms=1000)
MAX_TURN_MS = 10_000  # the doctor asks many turns, and a worker waits for each


@checks.route("/<bot_id>/checks", methods=["POST"])
@checks.arguments(CheckRequestSchema, required=False)
@checks.response(202, CheckSchema)
@marked("takes_once")
def create(wanted: dict[str, Any], bot_id: str) -> Any:
    """Check a bot

    The doctor puts it through what it will meet in matches: verification, a wrong signature, every kind of
    message and of position, turns that come again, a short clock, several matches at once. An unverified bot
    is verified first. Read the answer's Location until the state is done; while a check of the bot is under
    way, that one is the answer.
    """
    bot = own_bot(bot_id)
    if bot.state is BotState.RETIRED:
        raise ApiError("bot-retired", f"{bot.name} is retired for good.")
    draft = Examination(
        id=new_id("c"),
        bot=bot.id,
        owner=bot.owner,
        games=_games(bot, wanted.get("games", bot.games)),
        clock=_control(wanted.get("clock")).to_json(),
        asked_at=now_ms(),
    )
    host = None if bot.url is None else Endpoint.parse(bot.url).host
    bounds = Bounds(settings().checks_per_owner_day, settings().checks_per_host_day)
    made = store().examinations.ask(draft, host, bounds, once())
    if made.state is ExaminationState.WAITING:
        jobs().examine(made.id)
    where = f"/v1/bots/{bot.id}/checks/{made.id}"
    return _shown(bot, made), 202, {"Location": where, "Retry-After": "1"}


def _games(bot: Bot, wanted: tuple[str, ...]) -> tuple[str, ...]:
    for number, game in enumerate(wanted):
        if game not in bot.games:
            detail = f"{bot.name} does not play {game}; it plays {', '.join(bot.games)}"
            raise Refused("game-not-played", detail, f"games.{number}")
    return wanted


def _control(given: object) -> Control:
    """The clock of the doctor's matches, with the service's allowance; raises ApiError."""
    allowance = settings().allowance_ms
    if given is None:
        return replace(ONE_SECOND, allowance_ms=allowance)
    control = control_from(given, allowance)
    if Clock.start(control, 1).limit_us(0) > MAX_TURN_MS * 1000:
        detail = f"allows more than {MAX_TURN_MS} ms for a turn; add cap_ms, or take a shorter one"
        raise ApiError("bad-clock", f"clock {detail}", (("clock", detail),))
    return control


@checks.route("/<bot_id>/checks/<check_id>")
@checks.response(200, CheckSchema)
def read(bot_id: str, check_id: str) -> Any:
    """Read a check

    Findings appear as they are made. A check is kept for a week.
    """
    bot = own_bot(bot_id)
    return _shown(bot, store().examinations.get(bot_id, check_id))


def _shown(bot: Bot, made: Examination) -> dict[str, Any]:
    findings = store().examinations.findings(made.id)
    done = made.state is ExaminationState.DONE
    return {
        **asdict(made),
        "passed": not any(finding["level"] == "error" for finding in findings) if done else None,
        "progress": {"game": made.game, "requests": made.requests},
        "findings": findings,
        "service": {
            "health": health_of(bot),
            "verification": verification_of(bot),
            "last_poll_at": bot.last_poll_at,
        },
    }

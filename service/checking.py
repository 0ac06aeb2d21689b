"""When the service checks a bot of its own accord: every ten days in use, and while it is paused.

One piece of delayed work for each bot: whoever finds it due looks how things stand and says when to look
again. What a check found is noted by the worker that made it (store.checks).
"""

from __future__ import annotations

from service.jobs import Jobs
from service.models import Bot, BotState
from service.store import Store

KIND = "check"
_MINUTE = 60_000
_DAY = 24 * 60 * _MINUTE
EVERY_MS = 10 * _DAY
AGAIN_MS = 5 * _MINUTE  # after a check that failed, or whose outcome is not known yet
SECOND_MS = 3 * _MINUTE  # between the two good probes that let a bot play again
# How long before each probe; after the last one only its owner's check helps.
PROBES_MS = tuple(_MINUTE * minutes for minutes in (2, 5, 10, 30, 60, 120, 240, 480, 1440, 1440))


def keep_checking(store: Store, now_ms: int, *bot_ids: str) -> None:
    """Look at the bots in ten days, unless they are to be looked at anyway."""
    store.due.ensure(KIND, now_ms + EVERY_MS, *({"bot": bot_id} for bot_id in bot_ids))


def begin_probing(store: Store, bot_id: str, now_ms: int) -> None:
    """The service has paused the bot: see by and by whether it is well again. May come again."""
    if store.bots.get(bot_id).state is BotState.PAUSED and store.checks.begin(bot_id):
        store.due.add(KIND, {"bot": bot_id}, now_ms + PROBES_MS[0])


def look(store: Store, jobs: Jobs, bot_id: str, now_ms: int) -> int | None:
    """Ask for a check if it is time; when to look again (ms), None if that is not needed."""
    bot = store.bots.get(bot_id)
    if bot.state is BotState.PAUSED:
        return _probe(store, jobs, bot, now_ms)
    if bot.url is None or bot.state in (BotState.UNVERIFIED, BotState.RETIRED):
        return None
    next_at = (bot.verified_at or 0) + EVERY_MS
    if next_at > now_ms:
        return next_at
    if now_ms - (store.health.get(bot_id).last_seen_at or 0) > EVERY_MS:
        return now_ms + _DAY  # not in use
    return _ask(store, jobs, bot, now_ms + AGAIN_MS)


def _probe(store: Store, jobs: Jobs, bot: Bot, now_ms: int) -> int | None:
    store.checks.begin(bot.id)  # if whoever paused it has not come to that
    course = store.checks.get(bot.id)
    if course.gone or course.made >= len(PROBES_MS):
        return None
    next_at = course.asked_at + (SECOND_MS if course.good else PROBES_MS[course.made])
    return next_at if next_at > now_ms else _ask(store, jobs, bot, now_ms + SECOND_MS)


def _ask(store: Store, jobs: Jobs, bot: Bot, again_at: int) -> int:
    store.checks.ask(bot.id)
    jobs.check(bot.id)
    return again_at

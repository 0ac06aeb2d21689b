"""Examinations: the doctor looks at a registered bot, the way matches reach it.

One takes places of the bot's like matches (F3), is bounded in time, and tells the store of every finding as
it is made. An unverified bot has to prove itself first, within what an address may be sent before that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import structlog

from engines.clock import Control
from engines.registry import GAMES
from service.endpoint import Endpoint
from service.errors import NotFound, Unavailable
from service.matches import polls_now
from service.models import Bot, BotState
from service.store import Store
from service.store.examinations import Held
from service.store.mailbox import Place
from service.store.owners import now_ms
from workers.bot_client import Network, OurFault
from workers.doctor import Finding, Level, Patient, Route, by_http, examine
from workers.doctor.reports import fault_finding, unproven
from workers.mailbox import MailboxLine
from workers.verifying import Moved, Refusal, verify_now

_log = structlog.get_logger(__name__)
BUDGET_S = 240.0
WAIT_US = 5_000_000  # for whatever is not on the clock
PLACES = 4  # matches at once, of those that the bot declares
TELL_S = 1.0
BUSY_AGAIN_MS = 3_000
BUSY_MOST_MS = 15 * 60_000
AGAIN_MS = 5_000
BUSY = "the bot plays as many matches as it declared; the check begins when one is over"
GAVE_UP = "the bot played as many matches as it declared all the time; set it away, then ask again"


class _Ended(Exception):
    """The examination goes no further; `str()` says why."""


class _OutOfTime(Exception):
    """It has taken as long as one may."""


@dataclass(slots=True)
class _Course:
    """How far an examination is; `before_each` message the worker looks whether it may go on."""

    store: Store
    held: Held
    stopping: Callable[[], bool]
    game: str = ""
    findings: int = 0
    requests: int = 0
    ends_at: float = field(default_factory=lambda: time.monotonic() + BUDGET_S)
    told_at: float = 0.0

    def before_each(self) -> None:
        now = time.monotonic()
        if self.stopping():
            raise _Ended("the worker stops")
        if now > self.ends_at:
            raise _OutOfTime
        self.requests += 1
        if now > self.told_at + TELL_S:
            self.told_at = now
            self._still(self.store.examinations.renew(self.held, self.game, self.requests))

    def keep(self, finding: Finding) -> None:
        self.findings += 1
        told = {"game": self.game, **finding.to_json()}
        self._still(self.store.examinations.found(self.held, self.findings, told))

    def _still(self, ours: bool) -> None:
        if not ours:
            raise _Ended("another worker has it")


def make_examination(store: Store, network: Network, check_id: str, stopping: Callable[[], bool]) -> None:
    """Make one that waits, if its bot has a place free. A fault of ours lets it begin anew, some times."""
    try:
        _make(store, network, check_id, stopping)
    except Unavailable as error:
        _log.warning("examination left until somebody else may begin it", check=check_id, reason=error.detail)


def _make(store: Store, network: Network, check_id: str, stopping: Callable[[], bool]) -> None:
    held = store.examinations.begin(check_id)
    if held is None:
        return
    try:
        bot = store.bots.get(held.examination.bot)
    except NotFound as error:
        store.examinations.finish(held, 0, failed=error.detail)
        return
    if bot.state is BotState.RETIRED:
        store.examinations.finish(held, 0, failed="the bot was retired meanwhile")
        return
    places = store.schedule.visit(check_id, bot, min(bot.concurrency, PLACES))
    if not places:
        _wait(store, held)
        return
    course = _Course(store, held, stopping)
    tell = _look(course, bot, network, places)
    if store.examinations.renew(held, course.game, course.requests):  # else its places are another worker's
        store.schedule.leave(check_id)
        tell()


def _wait(store: Store, held: Held) -> None:
    if now_ms() - held.examination.asked_at > BUSY_MOST_MS:
        store.examinations.finish(held, 0, failed=GAVE_UP)
    else:
        store.examinations.put_off(held, BUSY, BUSY_AGAIN_MS, blame=False)


def _look(course: _Course, bot: Bot, network: Network, places: int) -> Callable[[], None]:
    """Keep what is found; returns what tells the store how it ended."""
    examinations, held = course.store.examinations, course.held
    try:
        for finding in _until_time_is_up(_findings(course, bot, network, places)):
            course.keep(finding)
    except _Ended as reason:
        _log.info("examination left", check=held.examination.id, reason=str(reason))
        return partial(examinations.put_off, held, str(reason), 0, blame=False)
    except OurFault as error:
        _log.warning("examination put off", check=held.examination.id, reason=str(error))
        why = f"a fault of the service's own: {error}"
        return partial(examinations.put_off, held, why, AGAIN_MS, blame=True)
    return partial(examinations.finish, held, course.requests)


def _until_time_is_up(findings: Iterator[Finding]) -> Iterator[Finding]:
    try:
        yield from findings
    except _OutOfTime:
        what = f"the check took more than {BUDGET_S / 60:.0f} minutes; the rest was not looked at"
        yield Finding("time", Level.NOTE, what)


def _findings(course: _Course, bot: Bot, network: Network, places: int) -> Iterator[Finding]:
    """Everything about the bot, game by game. Raises OurFault, _Ended."""
    if not polls_now(bot, now_ms()):
        yield _AWAY
        return
    if bot.state is BotState.UNVERIFIED:
        course.before_each()
        try:
            refused = verify_now(course.store, network, bot.id)
        except Moved as error:
            yield _moved(str(error))
            return
        if refused is not None:
            yield _refusal(refused)
            yield _FIRST
            return
        url, bot = bot.url, course.store.bots.get(bot.id)
        if bot.url != url or bot.state is BotState.UNVERIFIED:  # another address was asked, or has come since
            yield _moved("the bot's address was changed meanwhile")
            return
    for game in course.held.examination.games:
        course.game = game
        yield from examine(
            Patient(
                _route(course.store, bot, network),
                GAMES[game],
                bot.secrets(now_ms()),
                Control.from_json(course.held.examination.clock),
                places,
                WAIT_US,
                polls=bot.url is None,
                before_each=course.before_each,
            )
        )
    if places == 1 < bot.concurrency:
        yield _ALONE


def _route(store: Store, bot: Bot, network: Network) -> Route:
    if bot.url is not None:
        return by_http(Endpoint.parse(bot.url), network)
    return lambda match_id, seat: MailboxLine(store, Place(bot.id, match_id, seat))


_CHALLENGE = "a verify request with a challenge"
_AWAY = Finding(
    "reach",
    Level.ERROR,
    "the bot fetches its turns and has not polled lately",
    sent="nothing",
    came="no poll",
    expected="a poll that waits at all times: GET /v1/bots/{id}/turns?wait=30",
    mend="start the bot and let it run (SDK: bot.connect, or --server and --key), then check it again",
    reason="unreachable",
)
_ALONE = Finding(
    "concurrency",
    Level.NOTE,
    "matches at the same time were not looked at: the bot had one place free beside the matches it plays",
)
_FIRST = Finding(
    "later",
    Level.NOTE,
    "nothing else was looked at: an address gets few requests before it has proved that it is yours",
)


def _moved(why: str) -> Finding:
    return Finding("later", Level.NOTE, f"nothing else was looked at: {why}; check it again")


def _refusal(refused: Refusal) -> Finding:
    """Of an address that may be somebody else's no more is shown than its verification tells."""
    summary = "the bot cannot be verified"
    if refused.fault is not None:
        return replace(
            fault_finding("verification", summary, refused.fault, _CHALLENGE), came=refused.fault.detail
        )
    found = unproven(refused.detail, _CHALLENGE, "an answer that does not show the secret")
    if refused.sent:
        return found
    return replace(
        found,
        sent="nothing",
        came="nothing",
        expected="an address that may be called now",
        mend="give the bot an address that the service calls (GET /v1/limits), or wait as long as it says",
        reason=None,
    )

"""Turns without an address: a bot behind any router fetches its messages and posts its replies.

A message comes again until it is answered, so nothing is lost when a poll or a reply fails on the way.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, repeat
from typing import Any, TypeVar
from urllib.parse import quote

from bots.sdk.api import Api, ApiAway, ApiError
from bots.sdk.responder import Responder, log

WAIT_S = 30  # how long the service may hold a poll
AT_ONCE = 8  # messages worked on at the same time
REMEMBERED = 1000  # messages, so that none is answered twice
SLOWEST_S = 30.0
AGAIN_S = 0.2
RETRY_S = 1.0  # after a failure of the author's code
_TOO_LATE = (409, 410)  # answered already; the turn is over

Message = dict[str, Any]
T = TypeVar("T")


def register(bot: Responder, api: Api) -> str:
    """The id of the owner's bot of this name that fetches its turns; made if there is none.

    Raises ApiError, also if the name belongs to a bot with an address.
    """
    for known in _own_bots(api):
        if known["name"] == bot.name and known["state"] != "retired":
            if known["transport"] != "poll":
                raise ApiError(409, f"{bot.name} is registered with an address; give this bot another name")
            return str(known["id"])
    made = api.call("POST", "/v1/bots", {"name": bot.name, "games": bot.games, "transport": "poll"})
    log.info("registered %s as %s", bot.name, made["id"])
    return str(made["id"])


def _own_bots(api: Api) -> Iterator[dict[str, Any]]:
    """Every bot of the key's owner, page by page."""
    cursor: str | None = ""
    while cursor is not None:
        page = api.call("GET", "/v1/bots?owner=me&limit=200" + (f"&cursor={quote(cursor)}" if cursor else ""))
        yield from page["items"]
        cursor = page["next"]


class Poller:
    """Fetches one bot's messages and posts what it answers, in threads, until `stop`.

    `over` is called when the service refuses the bot; `stop` then raises what it said.
    """

    def __init__(self, bot: Responder, api: Api, over: Callable[[], None]) -> None:
        self._bot = bot
        self._api = api
        self._over = over
        self._local = threading.local()  # a connection per thread that replies
        self._taken: OrderedDict[str, None] = OrderedDict()  # messages being answered, and the last answered
        self._stopping = threading.Event()
        self._refusal: ApiError | None = None
        self._path = ""
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix=bot.name)
        threading.Thread(target=self._run, name=f"{bot.name} fetches", daemon=True).start()

    def stop(self) -> None:
        """Fetch no more; what is being answered is still finished. Raises ApiError if refused."""
        self._stopping.set()
        self._pool.shutdown()
        if self._refusal:
            raise self._refusal

    def _run(self) -> None:
        try:
            self._path = f"/v1/bots/{self._patiently(lambda: register(self._bot, self._api))}"
            log.info("%s fetches its turns from %s", self._bot.name, self._api.server)
            while not self._stopping.is_set():
                self._hand_out(self._patiently(self._fetch))
        except ApiError as error:
            self._refusal = error
        except ApiAway as away:
            log.warning("%s: stopped while %s", self._bot.name, away)
        finally:
            self._over()

    def _fetch(self) -> list[Message]:
        answered = self._api.call("GET", f"{self._path}/turns?wait={WAIT_S}&max={AT_ONCE}")
        messages: list[Message] = answered["messages"] if answered else []
        return messages

    def _hand_out(self, messages: list[Message]) -> None:
        fresh = [message for message in messages if message["message_id"] not in self._taken]
        for message in [] if self._stopping.is_set() else fresh:
            name = message["message_id"]
            self._taken[name] = None
            if len(self._taken) > REMEMBERED:
                self._taken.popitem(last=False)
            self._pool.submit(self._answer, message).add_done_callback(partial(self._settle, name))
        if messages and not fresh:
            self._stopping.wait(AGAIN_S)  # all of these are being answered

    def _answer(self, message: Message) -> None:
        answer = self._bot.answer(message, None)
        self._patiently(lambda: self._reply(message["message_id"], answer.reply))
        answer.log()

    def _reply(self, name: str, reply: Mapping[str, Any]) -> None:
        api = self._local.api = getattr(self._local, "api", None) or Api(self._api.server, self._api.key)
        try:
            api.call("POST", f"{self._path}/replies/{quote(name, safe='')}", reply)
        except ApiError as error:
            if error.status not in _TOO_LATE:
                raise
            log.warning("%s: %s came too late (%s)", self._bot.name, name, error)

    def _settle(self, name: str, answering: Future[None]) -> None:
        """What was answered may be on its way once more; where the code failed it is tried again."""
        if error := answering.exception():
            log.error("%s could not answer %s", self._bot.name, name, exc_info=error)
            self._stopping.wait(RETRY_S)
            self._taken.pop(name, None)

    def _patiently(self, call: Callable[[], T]) -> T:
        """The outcome of `call`, however long the service is away; raises ApiError."""
        for pause in chain((0.5, 1, 2, 4, 8), repeat(SLOWEST_S)):
            try:
                return call()
            except ApiAway as away:
                if self._stopping.is_set():
                    raise
                wait_s = pause if away.retry_s is None else max(away.retry_s, AGAIN_S)
                log.warning("%s: %s; trying again in %g s", self._bot.name, away, wait_s)
                self._stopping.wait(wait_s)
        raise AssertionError("unreachable: the pauses do not end")

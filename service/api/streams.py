"""Events as they happen: pages with a long poll, and server-sent events that resume.

An open stream or poll holds a thread of the server, so both are counted, and more than the settings allow
are refused with 503 and Retry-After. A stop of the server ends them at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, cast

from flask import Response, current_app, json, request, stream_with_context

from service.api.context import settings
from service.api.errors import ApiError
from service.api.hub import Hub, Id
from service.api.hub import Numbered as Numbered
from service.errors import Unavailable
from service.store import Store
from service.store.live import Live

HEARTBEAT_MS = 5000
READ_LIMIT = 1000  # events read at once
RETRY_MS = 2000
EVENT_STREAM = "text/event-stream"


class Slots:
    """A counted number of places; `taken` is how many are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.taken = 0

    def take(self, limit: int, what: str, again_s: int = 5) -> None:
        """Take a place; raises ApiError if there is none, which says to come again in `again_s`."""
        with self._lock:
            if self.taken >= limit:
                raise ApiError(
                    "too-many-streams",
                    f"{limit} {what} are open already, which is the most there may be.",
                    headers={"Retry-After": str(again_s)},
                )
            self.taken += 1

    def free(self) -> None:
        with self._lock:
            self.taken -= 1


streams, polls = Slots(), Slots()
stopping = threading.Event()  # set when the server is told to stop


@dataclass(frozen=True, slots=True)
class Hubs:
    """The feeds there are, by what they are about."""

    matches: Hub[int]
    tournaments: Hub[str]
    live: Live

    def stop(self) -> None:
        """End every stream and poll of this process."""
        stopping.set()
        self.matches.stop()
        self.tournaments.stop()
        self.live.stop()


@dataclass(frozen=True, slots=True)
class Feed(Generic[Id]):
    """Where events come from.

    `wait(after, wait_ms)` gives the events behind an id, none if none came in time; `over(after)` tells
    whether none will follow; `read_id` reads an id that a client sends back, and raises ValueError.
    `last(event)` may tell of an event that nothing follows it, which spares asking.
    """

    wait: Callable[[Id, int], Numbered[Id]]
    over: Callable[[Id], bool]
    read_id: Callable[[str], Id]
    last: Callable[[Mapping[str, Any]], bool] = lambda event: False


def wants_stream() -> bool:
    """Whether the client asks for server-sent events rather than JSON."""
    best = request.accept_mimetypes.best_match(("application/json", EVENT_STREAM))
    return best == EVENT_STREAM


def answer(feed: Feed[Id], query: dict[str, Any]) -> Any:
    """A page of events or a stream of them, as the client asks."""
    after = _last_event_id(feed, query["after"])
    if wants_stream():
        return _stream(feed, after)
    over = feed.over(after)  # asked first: what is over now has all its events
    events = _polled(feed, after, 0 if over else query["wait"] * 1000)
    part = events[: query["limit"]]
    ended = bool(part) and feed.last(part[-1][1])
    complete = len(part) == len(events) < READ_LIMIT
    return {
        "items": [{"id": number, **event} for number, event in part],
        "next": part[-1][0] if part else after,
        "over": ended or (over and complete),
    }


def _last_event_id(feed: Feed[Id], after: Id) -> Id:
    """`after`, or what a stream that resumes says it has seen."""
    try:
        return feed.read_id(request.headers["Last-Event-ID"])
    except (KeyError, ValueError):
        return after


def _polled(feed: Feed[Id], after: Id, wait_ms: int) -> Numbered[Id]:
    if not wait_ms:
        return feed.wait(after, 0)
    polls.take(settings().max_polls, "polls")
    try:
        return feed.wait(after, wait_ms)
    finally:
        polls.free()


def _stream(feed: Feed[Id], after: Id) -> Response:
    streams.take(settings().max_streams, "streams")
    response = Response(stream_with_context(_lines(feed, after)), mimetype=EVENT_STREAM)
    response.call_on_close(streams.free)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _lines(feed: Feed[Id], after: Id) -> Iterator[str]:
    """The stream's text. A comment now and then shows that both ends are alive.

    It ends without a word at a stop and when Redis is away: the client comes back by itself.
    """
    yield f"retry: {RETRY_MS}\n\n"
    try:
        over = feed.over(after)
        while not stopping.is_set():
            events = feed.wait(after, 0 if over else HEARTBEAT_MS)
            for number, event in events:
                yield _line(number, event)
                after = number
            if (events and feed.last(events[-1][1])) or (over and not events):
                yield "event: over\ndata: {}\n\n"
                return
            if not events:
                over = feed.over(after)
                yield ": still here\n\n"
    except Unavailable:
        return


def _line(number: int | str, event: dict[str, Any]) -> str:
    return f"id: {number}\nevent: {event['type']}\ndata: {json.dumps({'id': number, **event})}\n\n"


def create_hubs(store: Store) -> Hubs:
    """What this process follows feeds by."""

    def matches(feed: str, after: int, wait_ms: int) -> Numbered[int]:
        return store.matches.wait_events(feed, after, wait_ms, READ_LIMIT)

    def tournaments(feed: str, after: str, wait_ms: int) -> Numbered[str]:
        return store.tournaments.wait_events(feed, after, wait_ms, READ_LIMIT)

    return Hubs(Hub(matches), Hub(tournaments), store.live)


def hubs() -> Hubs:
    """The hubs of this application."""
    return cast(Hubs, current_app.extensions["arbiter-hubs"])

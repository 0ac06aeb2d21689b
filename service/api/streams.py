"""Events as they happen: pages with a long poll, and server-sent events that resume.

An open stream or poll holds a thread of the server, so both are counted, and more than the settings allow
are refused with 503 and Retry-After. A stop of the server ends them at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flask import Response, json, request, stream_with_context

from service.api.context import settings
from service.api.errors import ApiError

Id = TypeVar("Id", int, str)
Numbered = Sequence[tuple[Id, dict[str, Any]]]  # events with their ids

HEARTBEAT_MS = 15_000
RETRY_MS = 2000
_RETRY_AFTER_S = "5"
EVENT_STREAM = "text/event-stream"


class Slots:
    """A counted number of places; `taken` is how many are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.taken = 0

    def take(self, limit: int, what: str) -> None:
        """Take a place; raises ApiError if there is none."""
        with self._lock:
            if self.taken >= limit:
                raise ApiError(
                    "too-many-streams",
                    f"{limit} {what} are open already, which is the most there may be.",
                    headers={"Retry-After": _RETRY_AFTER_S},
                )
            self.taken += 1

    def free(self) -> None:
        with self._lock:
            self.taken -= 1


streams, polls = Slots(), Slots()
stopping = threading.Event()  # set when the server is told to stop
_wakers: list[Callable[[], None]] = []


def at_stop(wake: Callable[[], None]) -> None:
    """Have `wake` called at a stop, to end what waits for events."""
    _wakers.append(wake)


def stop() -> None:
    """End every stream and poll."""
    stopping.set()
    for wake in _wakers:
        wake()


@dataclass(frozen=True, slots=True)
class Feed(Generic[Id]):
    """Where events come from.

    `wait(after, wait_ms)` gives the events behind an id, none if none came in time; `over(after)` tells
    whether none will follow; `read_id` reads an id that a client sends back, and raises ValueError.
    """

    wait: Callable[[Id, int], Numbered[Id]]
    over: Callable[[Id], bool]
    read_id: Callable[[str], Id]


def wants_stream() -> bool:
    """Whether the client asks for server-sent events rather than JSON."""
    best = request.accept_mimetypes.best_match(("application/json", EVENT_STREAM))
    return best == EVENT_STREAM


def answer(feed: Feed[Id], query: dict[str, Any]) -> Any:
    """A page of events or a stream of them, as the client asks."""
    after = _last_event_id(feed, query["after"])
    if wants_stream():
        return _stream(feed, after)
    events = _polled(feed, after, query["wait"] * 1000) if query["wait"] else feed.wait(after, 0)
    part = events[: query["limit"]]
    last = part[-1][0] if part else after
    over = len(part) == len(events) and feed.over(last)
    return {"items": [{"id": number, **event} for number, event in part], "next": last, "over": over}


def _last_event_id(feed: Feed[Id], after: Id) -> Id:
    """`after`, or what a stream that resumes says it has seen."""
    try:
        return feed.read_id(request.headers["Last-Event-ID"])
    except (KeyError, ValueError):
        return after


def _polled(feed: Feed[Id], after: Id, wait_ms: int) -> Numbered[Id]:
    polls.take(settings().max_polls, "polls")
    try:
        return feed.wait(after, wait_ms) if not stopping.is_set() else ()
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
    """The stream's text. A comment now and then shows that both ends are alive."""
    yield f"retry: {RETRY_MS}\n\n"
    while not stopping.is_set():
        events = feed.wait(after, HEARTBEAT_MS)
        for number, event in events:
            yield f"id: {number}\nevent: {event['type']}\ndata: {json.dumps({'id': number, **event})}\n\n"
            after = number
        if not events:
            if feed.over(after):
                yield "event: over\ndata: {}\n\n"
                return
            yield ": still here\n\n"

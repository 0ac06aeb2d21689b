"""Events as they happen: pages with a long poll, and server-sent events that resume.

An open stream or poll holds a thread of the server, so both are counted, and more than the settings allow
are refused with 503 and Retry-After. A stop of the server ends them at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response, json, request, stream_with_context

from service.api.context import settings
from service.api.errors import ApiError

Numbered = Sequence[tuple[int, dict[str, Any]]]  # events with their ids
Wait = Callable[[int, int], Numbered]  # (after, wait_ms) -> events behind `after`, [] if none came in time

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
class Feed:
    """Where events come from: `wait` for them, and whether `over` nothing follows behind an id."""

    wait: Wait
    over: Callable[[int], bool]


def wants_stream() -> bool:
    """Whether the client asks for server-sent events rather than JSON."""
    best = request.accept_mimetypes.best_match(("application/json", EVENT_STREAM))
    return best == EVENT_STREAM


def answer(feed: Feed, query: dict[str, Any]) -> Any:
    """A page of events or a stream of them, as the client asks."""
    after = _last_event_id(query["after"])
    if wants_stream():
        return _stream(feed, after)
    events = _polled(feed, after, query["wait"] * 1000) if query["wait"] else feed.wait(after, 0)
    part = events[: query["limit"]]
    last = part[-1][0] if part else after
    over = len(part) == len(events) and feed.over(last)
    return {"items": [{"id": number, **event} for number, event in part], "next": last, "over": over}


def _last_event_id(after: int) -> int:
    """`after`, or what a stream that resumes says it has seen."""
    header = request.headers.get("Last-Event-ID", "")
    return int(header) if header.isascii() and header.isdecimal() and len(header) < 10 else after


def _polled(feed: Feed, after: int, wait_ms: int) -> Numbered:
    polls.take(settings().max_polls, "polls")
    try:
        return feed.wait(after, wait_ms) if not stopping.is_set() else ()
    finally:
        polls.free()


def _stream(feed: Feed, after: int) -> Response:
    streams.take(settings().max_streams, "streams")
    response = Response(stream_with_context(_lines(feed, after)), mimetype=EVENT_STREAM)
    response.call_on_close(streams.free)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _lines(feed: Feed, after: int) -> Iterator[str]:
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

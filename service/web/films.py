"""Replays that are kept while somebody looks at them: made once for all viewers of a match."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field

from flask import current_app

from service.api.hub import Hub
from service.models import Match, MatchState
from service.records import header_of
from service.store import Store
from service.web.show.replay import Frame, Replay

MOST = 48
OVER = frozenset((MatchState.FINISHED, MatchState.VOID, MatchState.CANCELLED))


@dataclass(slots=True)
class Film:
    """The replay of one match in the store, brought up to date by whoever looks."""

    match_id: str
    replay: Replay
    lock: threading.Lock = field(default_factory=threading.Lock)
    looked_at: float = 0.0
    turned_at: float = 0.0  # when the newest event was written, monotonic

    def look(self, store: Store, fresh_s: float = 0.0) -> Replay:
        """The replay with all that the store has, or had `fresh_s` ago."""
        with self.lock:
            if not self.replay.over and time.monotonic() - self.looked_at >= fresh_s:
                self._read(store)
        return self.replay

    def wait(self, hub: Hub[int], after: int, wait_ms: int) -> Replay:
        """The replay as soon as it has frames behind `after`, or after `wait_ms`."""
        if len(self.replay.frames) <= after and not self.replay.over:
            found = hub.wait(self.match_id, len(self.replay.frames), wait_ms)
            with self.lock:
                known = len(self.replay.frames)
                self.replay.extend(found)
                if len(self.replay.frames) > known:
                    self.turned_at = time.monotonic()
        return self.replay

    def frames(self, after: int, seats: Collection[int], reveal: bool) -> list[tuple[int, Frame]]:
        """The frames behind number `after`; the newest one says how long its turn has been going on."""
        found = self.replay.frames_for(after, seats, reveal)
        if found and not self.replay.over:
            number, frame = found[-1]
            found[-1] = number, {**frame, "age_ms": round((time.monotonic() - self.turned_at) * 1000)}
        return found

    def _read(self, store: Store) -> None:
        known = len(self.replay.frames)
        found = store.matches.events(self.match_id, max(known - 1, 0))
        if known and (not found or found[0][1] != self.replay.last_event):
            # The store lost its last seconds, and other moves may have been made since (D5).
            self.replay = Replay(self.replay.header, self.replay.secret)
            found = store.matches.events(self.match_id, 0)
        while found:
            self.replay.extend(found)
            found = store.matches.events(self.match_id, len(self.replay.frames))
        self.looked_at = time.monotonic()
        self.turned_at = self.looked_at - store.matches.turn_age_ms(self.match_id) / 1000


class Films:
    """The films looked at last. A match that is over has another one than while it went on: the final one."""

    def __init__(self) -> None:
        self._films: OrderedDict[tuple[str, bool], Film] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, match: Match) -> Film:
        """The film of a match."""
        name = (match.id, match.state in OVER)
        with self._lock:
            film = self._films.get(name)
            if film is None:
                film = Film(match.id, Replay(header_of(match), bytes.fromhex(match.secret)))
                self._films[name] = film
            self._films.move_to_end(name)
            while len(self._films) > MOST:
                self._films.popitem(last=False)
        return film


def film_of(match: Match) -> Film:
    """The film of a match, of this application."""
    films: Films = current_app.extensions["arbiter-films"]
    return films.of(match)

"""Reading the events of a match, whether they are still a stream or folded into a record already."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from service.store import keys
from service.store.archive import Archive
from service.store.connection import Connection
from service.store.documents import missing

Event = dict[str, Any]
EVERYTHING = 1_000_000


def events_after(
    db: Connection, archive: Archive, match_id: str, after: int, limit: int
) -> list[tuple[int, Event]]:
    """Up to `limit` stored events whose id is larger than `after`, each with its id; raises NotFound."""
    found = db.run("XRANGE", keys.events(match_id), f"({max(after, 0)}-0", "+", "COUNT", limit)
    if found:
        return [(number(entry), json.loads(members["e"])) for entry, members in found]
    exists, streams = db.many([("EXISTS", keys.match(match_id)), ("EXISTS", keys.events(match_id))])
    if not exists:
        raise missing(match_id)
    if streams:
        return []
    folded = archive.get(match_id) or ()
    return list(enumerate(folded, start=1))[max(after, 0) :][:limit]


def all_events(db: Connection, archive: Archive, match_id: str) -> Sequence[Event]:
    return [event for _, event in events_after(db, archive, match_id, 0, EVERYTHING)]


def number(entry_id: str) -> int:
    """The whole number of a stream id."""
    return int(entry_id.split("-")[0])

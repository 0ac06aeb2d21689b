"""Creating, reading and changing the documents of accounts and tournaments, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby, islice
from typing import Any, TypeVar

from service.errors import Conflict, NotFound, Refused
from service.ids import age_part
from service.models import Page
from service.store.codec import from_fields, pairs, to_fields, to_text
from service.store.connection import Connection
from service.store.once import KEPT_MS, Once, other_payload, pin

T = TypeVar("T")
_LAST = "~"  # behind every id
SCAN = 200  # ids looked at in one round trip of a filtered list
SCAN_MAX = 2000  # and at most in one page

_PARTS = ("unique", "bounds", "spends", "docs", "index")


@dataclass(frozen=True, slots=True)
class Spending:
    """One use of the invitation `key`, whose secret must have that digest; else it is `problem`."""

    key: str
    secret: str
    problem: Refused


@dataclass(slots=True)
class Creation:
    """Collects what one creating call writes; `run` does it in one atomic step."""

    id: str
    slot: str
    _keys: list[str] = field(default_factory=list)
    _plan: dict[str, Any] = field(default_factory=lambda: {part: [] for part in _PARTS})
    _problems: dict[str, Exception] = field(default_factory=dict)

    def unique(self, key: str, name: str, problem: Conflict) -> None:
        """`name` must not be in the hash `key` yet."""
        self._problems[problem.problem] = problem
        self._add("unique", key, name=fold(name), problem=problem.problem)

    def bound(self, key: str, limit: int, problem: Refused) -> None:
        """The index `key` must hold fewer than `limit`."""
        self._problems[problem.problem] = problem
        self._add("bounds", key, limit=limit, problem=problem.problem)

    def spend(self, use: Spending) -> None:
        """One use of an invitation goes."""
        self._problems[use.problem.problem] = use.problem
        self._add("spends", use.key, secret=use.secret, problem=use.problem.problem)

    def doc(self, key: str, value: Any) -> None:
        self._add("docs", key, fields=to_fields(value))

    def index(self, key: str, member: str) -> None:
        self._add("index", key, member=member)

    def run(self, db: Connection, once: Once | None, answer: str = "") -> str | None:
        """None if it was made now; the first call's `answer` if the request came again.

        Raises what was given for a name that is taken or a bound that is reached.
        """
        if once:
            pin(db, once)
            self._plan["once"] = {
                "key": self._key(once.place(self.slot)),
                "payload": once.payload,
                "ttl": KEPT_MS,
            }
        plan = {**self._plan, "id": self.id, "answer": answer}
        word, *rest = db.call("create", self._keys, [json.dumps(plan, ensure_ascii=False)])
        if word == "other":
            raise other_payload()
        if word == "taken":
            raise self._problems[rest[0]]
        return str(rest[0]) if word == "again" else None

    def _add(self, part: str, key: str, **entry: Any) -> None:
        self._plan[part].append({"key": self._key(key), **entry})

    def _key(self, key: str) -> int:
        self._keys.append(key)
        return len(self._keys)


@dataclass(frozen=True, slots=True)
class Change:
    """What `changed` does to a document; None in `set` takes the member away."""

    set: Mapping[str, Any]
    expect: Mapping[str, Sequence[str]] = field(default_factory=dict)
    revision: int | None = None
    name: tuple[str, str] | None = None  # old and new
    note: tuple[str, str, str] | None = None  # a stream, a channel, and what to tell there
    letter: tuple[str, str, str, str] | None = None  # an outbox, its items, the letter's id and item

    def plan(self, subject: str) -> str:
        written = {name: to_text(value) for name, value in self.set.items() if value is not None}
        gone = [name for name, value in self.set.items() if value is None]
        plan: dict[str, Any] = {"set": written, "delete": gone, "expect": self.expect}
        if self.revision is not None:
            plan["revision"] = self.revision
        if self.name:
            plan["name"] = {"old": fold(self.name[0]), "new": fold(self.name[1]), "id": subject}
        if self.note:
            plan["note"] = {"channel": self.note[1], "text": self.note[2]}
        if self.letter:
            plan["letter"] = {"id": self.letter[2], "item": self.letter[3]}
        return json.dumps(plan, ensure_ascii=False)


def changed(
    db: Connection, kind: type[T], subject: str, key: str, change: Change, names: str | None = None
) -> T:
    """The document after a change that is made only if it is as expected.

    Raises NotFound; Conflict `stale` (another revision), `wrong-state`, `name-taken`.
    """
    touched = [key, names or key, change.note[0] if change.note else key]
    if change.letter:
        touched += change.letter[:2]
    word, *found = db.call("update", touched, [change.plan(subject)])
    if word == "missing":
        raise missing(subject)
    if word == "taken":
        raise Conflict("name-taken", "that name is taken; choose another", "name")
    now = from_fields(kind, pairs(found))
    if word == "stale":
        raise Conflict("stale", f"{subject} was changed meanwhile; read it again and repeat the change")
    if word == "wrong-state":
        found_state = getattr(now, "state", "another state")
        wanted = " or ".join(change.expect.get("state", ()))
        raise Conflict("wrong-state", f"{subject} is {found_state}; this needs {wanted or 'another state'}")
    return now


def read(db: Connection, kind: type[T], subject: str, key: str) -> T:
    """A document; raises NotFound."""
    found = db.run("HGETALL", key)
    if not found:
        raise missing(subject)
    return from_fields(kind, found)


def read_many(db: Connection, kind: type[T], keys: Sequence[str]) -> list[T | None]:
    """Documents in one round trip, None for those that do not exist."""
    return [
        from_fields(kind, found) if found else None for found in db.many(("HGETALL", key) for key in keys)
    ]


def missing(subject: str) -> NotFound:
    kinds = {"o": "owner", "b": "bot", "m": "match", "t": "tournament"}
    return NotFound("not-found", f"there is no {kinds.get(subject.split('_')[0], 'such thing')} {subject!r}")


def merged(
    db: Connection, indexes: Iterable[tuple[str, str]], before: str | None, oldest: str = ""
) -> Iterator[str]:
    """The ids of several indexes, newest first; `before` and `oldest` bound the random part (`age_part`).

    Each index comes with the text that its ids begin with. An id that is in several comes once.
    """
    parts = [_downwards(db, index, prefix, before or _LAST, oldest) for index, prefix in indexes]
    return (found for found, _ in groupby(merge(*parts, key=age_part, reverse=True)))


def _downwards(db: Connection, index: str, prefix: str, before: str, oldest: str) -> Iterator[str]:
    while True:
        bounds = f"({prefix}{before}", f"[{prefix}{oldest}"
        ids = db.run("ZRANGE", index, *bounds, "BYLEX", "REV", "LIMIT", 0, SCAN)
        yield from ids
        if len(ids) < SCAN:
            return
        before = age_part(ids[-1])


def page_through(
    ids: Iterator[str],
    read: Callable[[Sequence[str]], Sequence[T | None]],
    fits: Callable[[T], bool],
    cursor_of: Callable[[str], str],
    limit: int,
) -> Page:
    """The first `limit` that fit, reading so many at a time; gives up after SCAN_MAX and says where."""
    found: list[T] = []
    looked, size = 0, limit
    while chunk := list(islice(ids, size)):
        size = SCAN
        for subject, item in zip(chunk, read(chunk), strict=True):
            looked += 1
            if item is not None and fits(item):
                found.append(item)
            if len(found) == limit or looked == SCAN_MAX:
                return Page(tuple(found), cursor_of(subject))
    return Page(tuple(found), None)


def chunks(items: Iterable[T], size: int = SCAN) -> Iterator[list[T]]:
    """The items, so many at a time."""
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk


def fold(name: str) -> str:
    """Names that differ only in case are one name."""
    return name.strip().casefold()

"""Who may start: every match waits until all its bots have room (F3), and shares take turns.

A share is a tournament, or all the single matches that an owner asks for. Owners are served alike, and so are
the shares of one owner: to cut a league into ten brings no more turns.

`ready` reserves; a claim that finds no reservation is given back. Everything here follows from the matches:
`store.sweep` mends what a crash between two slots has left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from service.models import Bot, Match
from service.store import keys
from service.store.connection import Call, Connection, Word
from service.store.owners import now_ms

EVERYTHING = "*"
WORKER_COUNTS_MS = 10_000  # after its last beat
HINT_COUNTS_MS = 8_000  # before a match that nobody claimed is told of again
_LOOK_AT = 1_000
_KEYS = (
    keys.waiting(),
    keys.startable(),
    keys.reserved(),
    keys.hinted(),
    keys.rooms(),
    keys.woken(),
    keys.shares(),
    keys.stopped(),
    keys.dispatch_turn(),
    keys.workers(),
    keys.places(),
    keys.contests(),
    keys.stirred(),
)


class Schedule:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, matches: Iterable[Match]) -> int:
        """Let queued matches wait for their turn; how many did not wait or run already."""
        words = [word for m in matches for word in (m.id, m.requested_by, booking(m))]
        return int(self._call("schedule_add", words))

    def ready(self, limit: int = 100) -> list[str]:
        """Matches to tell workers of now, no more than they have places for; their bots are reserved."""
        started: list[str] = []
        more = True
        while more and len(started) < limit:
            args = [limit - len(started), WORKER_COUNTS_MS, _LOOK_AT]
            again, *ids = self._call("schedule_ready", args)
            more = bool(again)
            started += ids
        return started

    def again(self, expired: Sequence[str], running: int, limit: int) -> list[str]:
        """Matches to tell workers of again: `expired` ones (no live lease) and those told of in vain.

        Each comes every few seconds; never more than there are places without a match (`running` are being
        played) or a fresh hint.
        """
        words: list[Word] = [limit, HINT_COUNTS_MS, WORKER_COUNTS_MS, running, *expired]
        return list(self._call("schedule_rehint", words))

    def has_places(self, match_id: str) -> bool:
        """Whether the match has reserved its bots."""
        return bool(self._db.run("HEXISTS", keys.reserved(), match_id))

    def claimed(self, match_id: str) -> bool:
        """Whether the match has its places; it is being played, so it is not told of any more."""
        reserved, _ = self._db.many(
            [("HEXISTS", keys.reserved(), match_id), ("ZREM", keys.hinted(), match_id)]
        )
        return bool(reserved)

    def release(self, match_ids: Iterable[str]) -> int:
        """Give the places of matches back, or let them wait no longer; may come any number of times."""
        call = self.release_call(match_ids)
        return int(self._db.call(*call))

    def release_call(self, match_ids: Iterable[str]) -> Call:
        """`release`, to be sent with other calls."""
        return self._as_call("schedule_release", [word for i in match_ids for word in (i, "")])

    def visit(self, name: str, bot: Bot, wanted: int) -> int:
        """Take places of a bot for something that is no match: how many of those `wanted` were free (F3).

        `name` gives them back by `leave`.
        """
        touched = [keys.visits(), keys.busy(bot.id)]
        return int(self._db.call("visit", touched, [name, bot.id, bot.concurrency, wanted]))

    def leave(self, name: str) -> None:
        """Give the places of a visit back; may come any number of times."""
        touched = [keys.visits(), keys.woken(), keys.contests(), keys.stirred()]
        self._db.call("leave", touched, [name, keys.busy("")])

    def visits(self) -> list[str]:
        """Whatever has taken places by `visit`."""
        return list(self._db.run("HKEYS", keys.visits()))

    def stop(self, share: str = EVERYTHING) -> None:
        """Start no more matches of an owner or a tournament, or none at all; what runs goes on."""
        self._db.run("SADD", keys.stopped(), share)

    def go_on(self, share: str = EVERYTHING) -> None:
        """Undo `stop`."""
        self._db.many([("SREM", keys.stopped(), share), ("SADD", keys.woken(), share)], atomic=True)

    def stopped(self) -> set[str]:
        """The shares that are stopped, and "*" if everything is."""
        return set(self._db.run("SMEMBERS", keys.stopped()))

    def open_matches(self, bot: str) -> int:
        """How many matches take one of the bot's places now."""
        return int(self._db.run("SCARD", keys.busy(bot)))

    def room(self, bots: Sequence[str]) -> tuple[list[int], list[int]]:
        """Of each bot, how many matches it may play at once, and how many of these places are free."""
        found = self._db.call("room", [keys.rooms()], [keys.busy(""), *bots]) if bots else []
        return found[::2], found[1::2]

    def waits(self, match_ids: Sequence[str]) -> list[bool]:
        """Whether each of these waits for its turn: it has neither begun nor been held."""
        return [bool(n) for n in self._db.run("HMGET", keys.waiting(), *match_ids)] if match_ids else []

    def counts(self) -> dict[str, int]:
        """How many matches wait, could start, hold places, and were told of but not claimed."""
        names = ("waiting", "startable", "reserved", "hinted")
        found = self._db.many(
            [
                ("HLEN", keys.waiting()),
                ("ZCARD", keys.startable()),
                ("HLEN", keys.reserved()),
                ("ZCARD", keys.hinted()),
            ]
        )
        return dict(zip(names, found, strict=True))

    def bookings(self) -> dict[str, str]:
        """What every match that holds places has booked."""
        return dict(self._db.run("HGETALL", keys.reserved()))

    def waiting(self) -> dict[str, str]:
        """What every match that waits will book."""
        return dict(self._db.run("HGETALL", keys.waiting()))

    def unbook(self, bookings: dict[str, str]) -> int:
        """Release those of these bookings that have not changed."""
        return int(self._call("schedule_release", [word for pair in bookings.items() for word in pair]))

    def book(self, matches: Iterable[Match]) -> int:
        """Give places to matches that are being played without any (only the sweep needs this)."""
        return int(self._call("schedule_force", [word for m in matches for word in (m.id, booking(m))]))

    def known(self, match_ids: Sequence[str]) -> list[bool]:
        """Whether each of these waits or has its places."""
        if not match_ids:
            return []
        waiting, reserved = self._db.many(
            [("HMGET", keys.waiting(), *match_ids), ("HMGET", keys.reserved(), *match_ids)]
        )
        return [bool(a or b) for a, b in zip(waiting, reserved, strict=True)]

    def _call(self, name: str, args: Sequence[Word]) -> Any:
        return self._db.call(*self._as_call(name, args))

    def _as_call(self, name: str, args: Sequence[Word]) -> Call:
        return Call(name, _KEYS, [keys.busy(""), keys.parked(""), *args])


def booking(match: Match) -> str:
    """Whose turn a match takes, and whose places: "<share>|<bot>|<bot>…"."""
    bots = dict.fromkeys(player.bot for player in match.players)
    return "|".join([match.tournament or match.requested_by, *bots])


class Matchmaking:
    """The operator's switch: whether any match begins at all."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def pause(self, reason: str, by: str) -> None:
        """Begin no more matches; what is being played goes on."""
        note: list[Word] = ["reason", reason, "by", by, "at", now_ms()]
        self._db.many(
            [("SADD", keys.stopped(), EVERYTHING), ("HSET", keys.matchmaking(), *note)], atomic=True
        )

    def resume(self) -> None:
        self._db.many([("SREM", keys.stopped(), EVERYTHING), ("DEL", keys.matchmaking())], atomic=True)

    def status(self) -> dict[str, Any]:
        """`paused`, and since when (`at`, ms), why and by whom, or None."""
        found = self._db.run("HGETALL", keys.matchmaking())
        at = int(found["at"]) if found else None
        return {"paused": bool(found), "reason": found.get("reason"), "by": found.get("by"), "at": at}

"""The doctor's examinations of registered bots: asked for by their owners, made by a worker, kept for a week.

Whoever makes one holds it for a while and renews that with what it notes; if it falls silent, somebody else
begins anew.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.errors import NotFound, Refused
from service.models import Examination, ExaminationState
from service.store import keys
from service.store.codec import from_fields, pairs, to_fields
from service.store.connection import Connection
from service.store.once import KEPT_MS as ONCE_KEPT_MS
from service.store.once import Once, other_payload, pin
from service.store.owners import now_ms

KEPT_MS = 7 * 24 * 3600 * 1000
HELD_MS = 30_000  # longer than any single question to a bot may take
PATIENCE_MS = 5_000  # until workers are told again of one that waits
TRIES = 3
AT_ONCE = 3  # of an owner
SPENT = "the service could not finish it; ask for another one"
_DAY_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many examinations a day (UTC) an owner and a host may have."""

    owner: int
    host: int


@dataclass(frozen=True, slots=True)
class Held:
    """The right to make an examination."""

    examination: Examination
    token: str


class Examinations:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def ask(self, draft: Examination, host: str | None, bounds: Bounds, once: Once | None) -> Examination:
        """Let one wait for a worker; the one that is under way if there is one of the bot.

        `host` is where the bot lives, if it has an address. Raises Refused `quota`, `checks-used-up`.
        """
        if once:
            pin(self._db, once)
        day = draft.asked_at // _DAY_MS
        counts = [(keys.examined_today("owner", draft.owner, day), bounds.owner)]
        if host is not None:
            counts.append((keys.examined_today("host", host, day), bounds.host))
        last = keys.last_examination(draft.bot)
        touched = [last, keys.examination(draft.id), keys.examinations()]
        touched += [keys.owner_examinations(draft.owner)]
        touched += [once.place(keys.ACCOUNTS) if once else last, *(key for key, _ in counts)]
        fields = json.dumps(to_fields(draft), ensure_ascii=False)
        args = [draft.id, fields, draft.asked_at, KEPT_MS, AT_ONCE, once.payload if once else ""]
        args += [ONCE_KEPT_MS, _DAY_MS, *(most for _, most in counts)]
        word, *rest = self._db.call("examine_ask", touched, args)
        if word == "other":
            raise other_payload()
        if word == "many":
            raise Refused("quota", f"{AT_ONCE} checks of yours are under way; wait until one is over")
        if word == "full":
            whose = ("you have", bounds.owner) if rest[0] == 0 else (f"bots on {host} have", bounds.host)
            advice = "ask again after 00:00 UTC, or run `arbiter bot check URL` yourself"
            raise Refused("checks-used-up", "{} had {} checks today; {}".format(*whose, advice))
        return self.get(draft.bot, rest[0])

    def get(self, bot_id: str, check_id: str) -> Examination:
        """Raises NotFound unless there is such an examination of that bot (any more)."""
        found = self._db.run("HGETALL", keys.examination(check_id))
        if found.get("bot") != bot_id:
            raise NotFound("not-found", f"there is no check {check_id!r} of {bot_id}; one is kept for a week")
        return _read(found)

    def latest(self, bot_id: str) -> Examination | None:
        """The bot's last examination, if it is still known."""
        check_id = self._db.run("GET", keys.last_examination(bot_id))
        found = self._db.run("HGETALL", keys.examination(check_id)) if check_id else None
        return _read(found) if found else None

    def findings(self, check_id: str) -> list[dict[str, Any]]:
        """What was found so far, in order."""
        texts = self._db.run("LRANGE", keys.examination_findings(check_id), 0, -1)
        return [json.loads(text) for text in texts]

    def overdue(self, limit: int = 20) -> list[str]:
        """Examinations that workers are to be told of (again); each comes once a while."""
        now = now_ms()
        found = list(self._db.run("ZRANGEBYSCORE", keys.examinations(), "-inf", now, "LIMIT", 0, limit))
        self._db.many(("ZADD", keys.examinations(), "XX", now + PATIENCE_MS, check_id) for check_id in found)
        return found

    def open(self, check_ids: Sequence[str]) -> list[bool]:
        """Whether each of these waits or is being made."""
        scores = self._db.run("ZMSCORE", keys.examinations(), *check_ids) if check_ids else []
        return [score is not None for score in scores]

    # Whoever makes one

    def begin(self, check_id: str) -> Held | None:
        """Take one on; None if it is over, somebody has it, or it was begun in vain too often."""
        token = secrets.token_hex(8)
        args = [check_id, now_ms(), HELD_MS, token, TRIES, SPENT]
        word, *found = self._db.call("examine_begin", self._touched(check_id), args)
        return Held(_read(pairs(found)), token) if word == "begun" else None

    def found(self, held: Held, number: int, finding: Mapping[str, Any]) -> bool:
        """Keep a finding, counted from 1; False if somebody else has the examination."""
        text = json.dumps(finding, ensure_ascii=False)
        return self._note(held, {"held_until": _held_until()}, _held_until(), (number, text))

    def renew(self, held: Held, game: str, requests: int) -> bool:
        """Say how far it is, and hold it longer; False if somebody else has it."""
        until = _held_until()
        return self._note(held, {"held_until": until, "game": game, "requests": requests}, until)

    def put_off(self, held: Held, detail: str, wait_ms: int, blame: bool) -> None:
        """Let it wait, for a reason; `blame` counts this as a try in vain."""
        fields: dict[str, Any] = {"state": ExaminationState.WAITING, "detail": detail}
        self._note(held, fields | ({} if blame else {"tries": 0}), now_ms() + wait_ms)

    def finish(self, held: Held, requests: int, failed: str | None = None) -> None:
        """It is over: done, or `failed` for a reason."""
        fields: dict[str, Any] = {"finished_at": now_ms(), "requests": requests}
        fields["state"] = ExaminationState.FAILED if failed else ExaminationState.DONE
        self._note(held, fields | ({"detail": failed} if failed else {}), None)

    def _note(
        self, held: Held, fields: Mapping[str, Any], next_at: int | None, finding: tuple[int, str] = (0, "")
    ) -> bool:
        """Whether the caller still has it; `next_at` None: it is over. `finding`: its number and text."""
        check_id, (number, text) = held.examination.id, finding
        written = json.dumps({name: str(value) for name, value in fields.items()}, ensure_ascii=False)
        args = [check_id, held.token, written, "" if next_at is None else next_at, KEPT_MS, number, text]
        return bool(self._db.call("examine_note", self._touched(check_id), args))

    def _touched(self, check_id: str) -> list[str]:
        return [keys.examination(check_id), keys.examinations(), keys.examination_findings(check_id)]


def _held_until() -> int:
    return now_ms() + HELD_MS


def _read(found: Mapping[str, str]) -> Examination:
    return from_fields(Examination, found)

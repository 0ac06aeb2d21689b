"""Lists of matches by whatever filter, newest first, over one ladder or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge

from service.ids import age_part, at_time
from service.models import LADDERS, Match, MatchState, Page
from service.store import keys
from service.store.connection import Connection
from service.store.documents import SCAN, SCAN_MAX

_END = "~"  # behind every id


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list: `game` is the ladder, `owner` has a bot in it, `made_…` bound its age."""

    game: str | None = None
    owner: str | None = None
    bot: str | None = None
    state: MatchState | None = None
    tournament: str | None = None
    made_from: int | None = None
    made_to: int | None = None

    def fits(self, match: Match) -> bool:
        return (
            (self.state is None or match.state == self.state)
            and (self.tournament is None or match.tournament == self.tournament)
            and (self.bot is None or any(p.bot == self.bot for p in match.players))
            and (self.owner is None or any(p.owner == self.owner for p in match.players))
        )


Reader = Callable[[Sequence[str]], Sequence[Match | None]]


def list_matches(db: Connection, read: Reader, wanted: MatchFilter, cursor: str | None, limit: int) -> Page:
    """A page; the cursor is the random part of the last id looked at, by which ids sort by age."""
    before = cursor or (at_time(wanted.made_to + 1) if wanted.made_to is not None else _END)
    found: list[Match] = []
    looked = 0
    for looked, (match_id, match) in enumerate(_walk(db, read, wanted, before), start=1):
        cursor = age_part(match_id)
        if match and wanted.fits(match):
            found.append(match)
        if len(found) == limit or looked == SCAN_MAX:
            return Page(tuple(found), cursor)
    return Page(tuple(found), None)


def _walk(
    db: Connection, read: Reader, wanted: MatchFilter, before: str
) -> Iterator[tuple[str, Match | None]]:
    ids = merge(
        *(_ids(db, index, prefix, wanted, before) for index, prefix in _indexes(db, wanted)),
        key=age_part,
        reverse=True,
    )
    chunk: list[str] = []
    last = None
    for match_id in ids:
        if match_id == last:  # two bots of one owner
            continue
        last = match_id
        chunk.append(match_id)
        if len(chunk) == SCAN:
            yield from zip(chunk, read(chunk), strict=True)
            chunk = []
    yield from zip(chunk, read(chunk), strict=True)


def _indexes(db: Connection, wanted: MatchFilter) -> Iterator[tuple[str, str]]:
    """The indexes that hold every match wanted, with the ladder of each."""
    ladders = [wanted.game] if wanted.game else LADDERS
    if wanted.tournament:
        ladders = [keys.home(wanted.tournament)]
    bots = [wanted.bot] if wanted.bot else None
    if wanted.owner and not bots:
        bots = db.run("ZRANGE", keys.owner_bots(wanted.owner), 0, -1)
    for ladder in ladders:
        if bots is not None:
            yield from ((keys.bot_matches(ladder, bot), ladder) for bot in bots)
        elif wanted.state in _SMALL:
            yield _SMALL[wanted.state](ladder), ladder
        elif wanted.tournament:
            yield keys.tournament_matches(wanted.tournament), ladder
        else:
            yield keys.matches(ladder), ladder


_SMALL = {MatchState.QUEUED: keys.queued, MatchState.HELD: keys.held}


def _ids(db: Connection, index: str, ladder: str, wanted: MatchFilter, before: str) -> Iterator[str]:
    oldest = f"[m_{ladder}_{at_time(wanted.made_from)}" if wanted.made_from is not None else "-"
    while True:
        newest = f"(m_{ladder}_{before}"
        ids = db.run("ZRANGE", index, newest, oldest, "BYLEX", "REV", "LIMIT", 0, SCAN)
        yield from ids
        if len(ids) < SCAN:
            return
        before = age_part(ids[-1])

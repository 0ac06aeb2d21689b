"""Lists of matches by whatever filter, newest first, over one ladder or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.ids import age_part, at_time
from service.models import LADDERS, Match, MatchState, Page
from service.store import keys
from service.store.connection import Connection
from service.store.documents import merged, page_through


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list: `game` is the ladder, `owner` has a bot in it, `since` and `until` (ms) bound
    its age.

    Private ones are listed for `viewer` if they concern him (None: for everybody).
    """

    game: str | None = None
    owner: str | None = None
    bot: str | None = None
    state: MatchState | None = None
    tournament: str | None = None
    since: int | None = None
    until: int | None = None
    viewer: str | None = None

    def fits(self, match: Match) -> bool:
        return (
            (self.state is None or match.state == self.state)
            and (self.tournament is None or match.tournament == self.tournament)
            and (self.bot is None or any(p.bot == self.bot for p in match.players))
            and (self.owner is None or any(p.owner == self.owner for p in match.players))
            and (not match.private or self.viewer is None or self.viewer in concerned(match))
            and (not match.aliases or self._tells_nobody(match))
        )

    def _tells_nobody(self, match: Match) -> bool:
        """Whether to list a match played under pseudonyms does not tell who plays in it."""
        if self.viewer is None or self.viewer == match.requested_by:
            return True
        if self.bot is not None:
            return any(p.bot == self.bot and p.owner == self.viewer for p in match.players)
        if self.owner is not None:
            return self.owner == self.viewer
        return self.tournament is not None or self.viewer in concerned(match)


def concerned(match: Match) -> set[str]:
    """The owners who play in a match or have asked for it."""
    return {match.requested_by, *(player.owner for player in match.players)}


Reader = Callable[[Sequence[str]], Sequence[Match | None]]


def list_matches(db: Connection, read: Reader, wanted: MatchFilter, cursor: str | None, limit: int) -> Page:
    """A page; the cursor is the random part of the last id looked at, by which ids sort by age."""
    before = cursor or (at_time(wanted.until + 1) if wanted.until is not None else None)
    oldest = at_time(wanted.since) if wanted.since is not None else ""
    indexes = [(index, f"m_{ladder}_") for index, ladder in _indexes(db, wanted)]
    return page_through(merged(db, indexes, before, oldest), read, wanted.fits, age_part, limit)


def _indexes(db: Connection, wanted: MatchFilter) -> Iterator[tuple[str, str]]:
    """The indexes that hold every match wanted, with the ladder of each."""
    if wanted.tournament:
        yield keys.tournament_matches(wanted.tournament), keys.home(wanted.tournament)
        return
    bots = [wanted.bot] if wanted.bot else None
    if wanted.owner and not bots:
        bots = db.run("ZRANGE", keys.owner_bots(wanted.owner), 0, -1)
    for ladder in [wanted.game] if wanted.game else LADDERS:
        if bots is not None:
            yield from ((keys.bot_matches(ladder, bot), ladder) for bot in bots)
        else:
            yield _SMALL.get(wanted.state, keys.matches)(ladder), ladder


_SMALL: Mapping[MatchState | None, Callable[[str], str]] = {
    MatchState.QUEUED: keys.queued,
    MatchState.HELD: keys.held,
}

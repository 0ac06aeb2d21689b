"""How much an owner has open, and what bots have played today: sets of ids, so that nothing counts twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations

from service.errors import Refused
from service.models import Match
from service.store import keys
from service.store.connection import Call, Connection, Word
from service.store.owners import now_ms

_DAY_MS = 24 * 3600 * 1000
_KEPT_S = 2 * 24 * 3600


class Quotas:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def take(self, kind: str, owner: str, ids: Sequence[str], limit: int) -> None:
        """Count these against the owner's quota; raises Refused `quota` if they are too many."""
        places = [keys.quota(kind, owner), keys.quotas()]
        taken = self._db.call("quota_take", places, [limit, f"{kind}:{owner}", *ids])
        if taken >= 0:
            raise Refused(
                "quota",
                f"an owner may have {limit} open {kind}, and {taken} are open;"
                " wait until some are over, or cancel some",
            )

    def give(self, kind: str, owner: str, ids: Iterable[str]) -> None:
        """These do not count any more; may come any number of times."""
        given = list(ids)
        if given:
            self._db.call(*self.give_call(kind, owner, given))

    def give_call(self, kind: str, owner: str, ids: Iterable[str]) -> Call:
        """`give`, to be sent with other calls."""
        return Call("quota_give", [keys.quota(kind, owner), keys.quotas()], [f"{kind}:{owner}", *ids])

    def open(self, kind: str, owner: str) -> set[str]:
        """What counts against the owner's quota."""
        return set(self._db.run("SMEMBERS", keys.quota(kind, owner)))

    def used(self, owner: str) -> dict[str, int]:
        """How much an owner has of everything that is bounded."""
        counts = {
            "bots": ("ZCARD", keys.owner_bots_in_use(owner)),
            "keys": ("ZCARD", keys.owner_keys(owner)),
            "webhooks": ("ZCARD", keys.owner_webhooks(owner)),
            "matches": ("SCARD", keys.quota("matches", owner)),
            "tournaments": ("SCARD", keys.quota("tournaments", owner)),
        }
        return dict(zip(counts, self._db.many(counts.values()), strict=True))

    def all(self) -> list[tuple[str, str]]:
        """Kind and owner of every quota that something counts against."""
        pairs = (name.split(":", 1) for name in self._db.run("SMEMBERS", keys.quotas()))
        return [(kind, owner) for kind, owner in pairs]

    def note_today(self, matches: Sequence[Match]) -> None:
        """Remember matches as rated games of their bots, and single ones as challenges to others' bots."""
        entries = [(key, m.id) for m in matches for key in _tallies(m)]
        commands: list[Sequence[Word]] = list(
            chain.from_iterable((("SADD", key, i), ("EXPIRE", key, _KEPT_S)) for key, i in entries)
        )
        if commands:
            self._db.many(commands)

    def rated_today(self, ladder: str, tables: Sequence[Iterable[str]]) -> list[int]:
        """For each table of bots: the most rated games that any two of them have been given today (UTC)."""
        pairs = [list(combinations(sorted(set(table)), 2)) for table in tables]
        counts = iter(self._db.many(("SCARD", _rated(ladder, *pair)) for own in pairs for pair in own))
        return [max((next(counts) for _ in own), default=0) for own in pairs]

    def challenged_today(self, bot: str) -> int:
        """Games that others have asked of the bot today (UTC)."""
        return int(self._db.run("SCARD", keys.today("challenged", bot, _day())))


def _tallies(match: Match) -> Iterable[str]:
    if match.rated:
        for one, other in combinations(match.players, 2):
            if one.team is None or one.team != other.team:
                yield _rated(match.game, *sorted((one.bot, other.bot)))
    for player in match.players:
        if match.tournament is None and player.owner != match.requested_by:
            yield keys.today("challenged", player.bot, _day())


def _rated(ladder: str, one: str, other: str) -> str:
    """The key of two bots, in the order of their ids."""
    return keys.today(f"rated-{ladder}", f"{one}+{other}", _day())


def _day() -> int:
    return now_ms() // _DAY_MS

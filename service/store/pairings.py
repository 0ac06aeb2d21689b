"""The books of a running tournament's pairings, kept by the scripts that make and finish their matches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.models import Progress, TournamentState
from service.store import keys
from service.store.connection import Connection


@dataclass(frozen=True, slots=True)
class Books:
    """How a tournament's pairings stand.

    `done`: how many have a result. `made`: a bitmap, the first pairing in the highest bit, of those that have
    their match. `open`: the matches of those without a result. `absent`: since when (ms) entrants have been
    unable to play. `replays`: pairings whose match was voided, to be made anew.
    """

    state: TournamentState
    revision: int
    done: int
    made: bytes
    open: Mapping[int, str]
    absent: Mapping[int, int]
    replays: frozenset[int]


class Pairings:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def books(self, tournament_id: str) -> Books | None:
        """None if there is no such tournament."""
        touched = [
            keys.tournament(tournament_id),
            keys.made(tournament_id),
            keys.open_games(tournament_id),
            keys.absent(tournament_id),
            keys.replays(tournament_id),
        ]
        found = self._db.call("books", touched, raw=True)
        if found is None:
            return None
        state, revision, done, made, open_games, absent, replays = found
        return Books(
            TournamentState(state.decode()),
            int(revision),
            int(done),
            made,
            {int(pairing): match.decode() for pairing, match in by_twos(open_games)},
            {int(entrant): int(at) for entrant, at in by_twos(absent)},
            frozenset(map(int, replays)),
        )

    def progress(self, tournament_id: str) -> Progress:
        """How far its games are made and played."""
        following, made, done, still_open = self._db.many(
            [
                ("BITPOS", keys.made(tournament_id), 0),
                ("BITCOUNT", keys.made(tournament_id)),
                ("HGET", keys.tournament(tournament_id), "games_done"),
                ("HLEN", keys.open_games(tournament_id)),
            ]
        )
        return Progress(max(0, following), made, int(done or 0), still_open)

    def lengths(self, tournament_id: str) -> dict[int, tuple[int, int]]:
        """By entrant: how many games it has played, and how long (ms) they took together."""
        found = self._db.run("HGETALL", keys.lengths(tournament_id))
        entrants = {int(name.split(":")[0]) for name in found}
        return {n: (int(found[f"{n}:games"]), int(found[f"{n}:ms"])) for n in entrants}

    def note_absent(self, tournament_id: str, entrants: Collection[int], at_ms: int) -> None:
        """These cannot play; who was absent before still is since then."""
        key = keys.absent(tournament_id)
        self._db.many([("HSETNX", key, entrant, at_ms) for entrant in entrants])

    def note_present(self, tournament_id: str, entrants: Collection[int]) -> None:
        """These can play, or need not any more."""
        if entrants:
            self._db.run("HDEL", keys.absent(tournament_id), *entrants)


def by_twos(flat: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(flat[::2], flat[1::2], strict=True)

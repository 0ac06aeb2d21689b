"""Voiding a match: a ledger entry, and everything that followed from the match folded anew without it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engines.protocol import canonical
from service.errors import Unavailable
from service.models import Match, MatchState
from service.store import keys
from service.store.connection import Connection
from service.store.finishing import counts_for_ratings, pairing_place
from service.store.generations import Generations, Refold
from service.store.ledger import digest
from service.store.owners import now_ms

_TRIES = 20
_HURRY_AFTER = 2  # tries without making finishes wait
_TOUCHED = (
    keys.queued,
    keys.leases,
    keys.held,
    keys.unfolded,
    keys.ledger,
    keys.generation,
    keys.generations,
    keys.folding,
)


class Voiding:
    def __init__(self, db: Connection, generations: Generations) -> None:
        self._db, self._generations = db, generations

    def void(self, match: Match, reason: str, by: str) -> str:
        """Try until it is done: "void", "already", or "changed" if the match's state has moved on.

        Raises Unavailable if the ledger outruns every try.
        """
        if match.state is not MatchState.FINISHED or not counts_for_ratings(match, match.result or {}):
            return self.attempt(match, reason, by, None)
        for refold in self._refolds(match):
            word = self.attempt(match, reason, by, refold)
            if word not in ("behind", "generation"):
                return word
        raise Unavailable("results come in faster than the ratings can be folded anew; try again", 5)

    def repair(self, ladder: str) -> None:
        """Fold the ratings of a ladder anew from its ledger and swap them in."""
        touched = [
            keys.ledger(ladder),
            keys.generation(ladder),
            keys.generations(ladder),
            keys.folding(ladder),
        ]
        for refold in self._tries(ladder, frozenset()):
            if self._db.call("swap_generation", touched, [json.dumps(_swap(refold))])[0] == "swapped":
                return
        raise Unavailable("results come in faster than the ratings can be folded anew; try again", 5)

    def _refolds(self, match: Match) -> Iterator[Refold]:
        return self._tries(match.game, frozenset({match.id}))

    def _tries(self, ladder: str, also_void: frozenset[str]) -> Iterator[Refold]:
        """A new generation, brought up to the ledger's end before every try."""
        refold = self._generations.begin(ladder, also_void)
        for count in range(_TRIES):
            if self._generations.superseded(refold):
                refold = self._generations.begin(ladder, also_void)
            yield refold
            if count < _HURRY_AFTER:
                self._generations.catch_up(refold)
            else:
                self._generations.hurry(refold)

    def attempt(self, match: Match, reason: str, by: str, refold: Refold | None) -> str:
        """One try: also "behind" or "generation" if `refold` cannot take over any more."""
        touched = [keys.match(match.id), *(name(match.game) for name in _TOUCHED)]
        plan = _plan(match, reason, by, now_ms())
        if refold:
            plan["swap"] = _swap(refold)
        if match.tournament:
            plan["tournament"] = _pairing(match, match.tournament, plan["at"], touched)
        return str(self._db.call("void", touched, [json.dumps(plan, ensure_ascii=False)])[0])


def _plan(match: Match, reason: str, by: str, at: int) -> dict[str, Any]:
    """The match, and the ledger's entry about it."""
    about = {"match": match.id, "voids": match.ledger_id}
    payload = canonical({"kind": "void", **about, "at": at, "reason": reason, "by": by})
    return {
        "id": match.id,
        "state": match.state,
        "reason": reason,
        "at": at,
        "payload": payload.decode(),
        "digest": digest(payload),
        "channel": keys.live(match.id),
    }


def _swap(refold: Refold) -> dict[str, Any]:
    return {"before": refold.before, "after": refold.number, "folded": refold.fold.last}


def _pairing(match: Match, tournament_id: str, at: int, touched: list[str]) -> dict[str, Any]:
    """What voiding takes back in the tournament; adds its keys to `touched`."""
    names = {
        "doc": keys.tournament,
        "games": keys.games,
        "made": keys.made,
        "open": keys.open_games,
        "replays": keys.replays,
        "results": keys.results,
        "feed": keys.feed,
    }
    numbered = {}
    for part, key in names.items():
        touched.append(key(tournament_id))
        numbered[part] = len(touched)
    note = {"type": "void", "at": at, "match": match.id, "pairing": match.pairing}
    resumed = {"type": "state", "at": at, "state": "running", "reason": f"{match.id} was voided"}
    told = {
        "note": canonical(note).decode(),
        "resumed": canonical(resumed).decode(),
        "channel": keys.live(tournament_id),
    }
    return {**numbered, **pairing_place(match), **told, "pairing": str(match.pairing)}

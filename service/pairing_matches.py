"""The matches of a tournament's pairings: what its settings say, what the games of a set have in common."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engines.clock import Control
from engines.game import SEED_BYTES
from service.competition import DEFAULT_OPENING_PLIES, game_of
from service.matches import PLAYED_ENOUGH, Common, Order, Place, make_match, unrated_reason
from service.models import Bot, Match, Tournament
from service.pseudonyms import WHY_UNRATED, Alias, aliases, as_alias, in_force
from service.tournaments.pairing import Pairing


@dataclass(frozen=True)
class Maker:
    """Makes the matches of a running tournament."""

    tournament: Tournament

    def match(
        self, pairing: Pairing, bots: Sequence[Bot], replay: bool, rated_left: bool, now_ms: int
    ) -> Match:
        """The match of a pairing; `bots` by seat, `rated_left`: whether these may play a rated game today."""
        order = self._order(pairing, bots)
        why_unrated = unrated_reason(order) or self._changed_version(pairing, bots)
        why_unrated = why_unrated or (None if rated_left else PLAYED_ENOUGH)
        common, place = self._common(pairing, replay), Place(self.tournament.id, pairing.game, pairing.round)
        if not self._aliases:
            return make_match(order, bots, common, why_unrated, now_ms, place)
        names = [self._aliases[number] for number in pairing.seats]
        hidden = [as_alias(bot, alias) for bot, alias in zip(bots, names, strict=True)]
        made = make_match(order, hidden, common, WHY_UNRATED, now_ms, place)
        return replace(made, aliases=tuple(alias.id for alias in names))

    @cached_property
    def _aliases(self) -> tuple[Alias, ...]:
        return aliases(self.tournament) if in_force(self.tournament) else ()

    def _order(self, pairing: Pairing, bots: Sequence[Bot]) -> Order:
        settings = self.tournament.settings
        plies = DEFAULT_OPENING_PLIES if settings["opening"] is None else settings["opening"]
        return Order(
            game=game_of(self.tournament),
            bots=tuple(bots),
            options=self.tournament.options,
            control=Control.from_json(self.tournament.clock),
            requested_by=self.tournament.owner,
            opening_plies=plies if pairing.opening is not None else 0,
            attempts=settings["attempts"],
            rated=settings["rated"],
            private=settings["private"],
        )

    def _common(self, pairing: Pairing, replay: bool) -> Common:
        """What a game has in common with its set. A replay has a deck of its own: the set's may be known."""
        opening, deal = pairing.opening, None if replay else pairing.deal
        return Common(
            bytes(SEED_BYTES) if opening is None else self._derived("opening", opening),
            b"" if deal is None else self._derived("deal", deal),
            None if opening is None and deal is None else f"{self.tournament.id}:{pairing.set}",
        )

    def _derived(self, what: str, number: int) -> bytes:
        """32 secret bytes that the games of a set share: HMAC-SHA-256 of the tournament's seed."""
        seed = bytes.fromhex(self.tournament.seed)
        return hmac.digest(seed, f"{what} {number}".encode(), hashlib.sha256)

    def _changed_version(self, pairing: Pairing, bots: Sequence[Bot]) -> str | None:
        """Whose version is not that of the start: the game counts here, but not for the ratings."""
        for number, bot in zip(pairing.seats, bots, strict=True):
            entrant = self.tournament.entrants[number]
            entered = entrant["version"] if bot.id == entrant["bot"] else entrant["partner_version"]
            if bot.version != entered:
                return f"{bot.name} entered as version {entered} and is {bot.version} now"
        return None

"""Carries running tournaments on: makes the pairings that can be played now, ends those that are complete.

Whoever calls this, however often and from however many processes, makes the same matches: the schedule is a
pure function, a pairing keeps the match it was given first, and completion is counted from results.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from engines.clock import Control
from engines.game import SEED_BYTES
from service.competition import DEFAULT_OPENING_PLIES, Competition, game_of
from service.errors import Conflict
from service.matches import Order, Place, make_match, unrated_reason
from service.models import Bot, Match, Tournament, TournamentState
from service.store import Store
from service.tournaments.pairing import Pairing, Schedule


def advance(store: Store, tournament_id: str) -> int:
    """Make a running tournament's next matches, or finish it; how many were made."""
    tournament = store.tournaments.get(tournament_id)
    if tournament.state is not TournamentState.RUNNING:
        return 0
    competition = Competition.of(tournament, store.tournaments.result_records(tournament_id))
    schedule = competition.schedule()
    settled = competition.settlement(schedule).settled | competition.done
    if schedule.complete and len(settled) == schedule.count:
        _finish(store, tournament_id)
        return 0
    made = frozenset(store.tournaments.games(tournament_id, range(schedule.count)))
    bots = _bots(store, tournament)
    room = [bots[entrant["bot"]].concurrency for entrant in tournament.entrants]
    chosen = list(playable(schedule, made | settled, made - settled, room))
    if chosen:
        _create(store, tournament, bots, chosen)
    return len(chosen)


def _finish(store: Store, tournament_id: str) -> None:
    try:
        store.tournaments.set_state(tournament_id, TournamentState.FINISHED, (TournamentState.RUNNING,))
    except Conflict:
        return  # somebody else has ended it


def playable(
    schedule: Schedule, taken: Set[int], being_played: Set[int], room: Sequence[int]
) -> Iterator[Pairing]:
    """The pairings, in order, that nobody has begun and whose entrants all have room for one more game.

    An entrant that is slow so keeps up its own opponents only. `room` by entrant, in games at once.
    """
    busy = Counter(entrant for game in being_played for entrant in set(schedule.game(game).seats))
    for index in range(schedule.count):
        if index in taken:
            continue
        pairing = schedule.game(index)
        entrants = set(pairing.seats)
        if all(busy[entrant] < room[entrant] for entrant in entrants):
            busy.update(entrants)
            yield pairing


def _bots(store: Store, tournament: Tournament) -> Mapping[str, Bot]:
    ids = [entrant["bot"] for entrant in tournament.entrants]
    return {bot.id: bot for bot in store.bots.get_many(ids) if bot is not None}


def _create(store: Store, tournament: Tournament, bots: Mapping[str, Bot], chosen: list[Pairing]) -> None:
    matches = [_match(tournament, bots, pairing) for pairing in chosen]
    try:
        store.matches.create(matches)
    except Conflict:
        return  # it was paused or cancelled meanwhile


def _match(tournament: Tournament, bots: Mapping[str, Bot], pairing: Pairing) -> Match:
    seats = [bots[tournament.entrants[entrant]["bot"]] for entrant in pairing.seats]
    wanted = tournament.settings["opening"]
    plies = DEFAULT_OPENING_PLIES if wanted is None else wanted
    order = Order(
        game=game_of(tournament),
        bots=tuple(seats),
        options=tournament.options,
        control=Control.from_json(tournament.clock),
        requested_by=tournament.owner,
        opening_plies=plies if pairing.opening is not None else 0,
        attempts=tournament.settings["attempts"],
        rated=tournament.settings["rated"],
    )
    return make_match(
        order,
        seats,
        derived(tournament, "opening", pairing.opening),
        unrated_reason(order),
        time.time_ns() // 1_000_000,
        Place(tournament.id, pairing.game, pairing.round),
        derived(tournament, "deal", pairing.deal) if pairing.deal is not None else b"",
    )


def derived(tournament: Tournament, what: str, number: int | None) -> bytes:
    """32 secret bytes that the games of a set share: HMAC-SHA-256 of the tournament's seed."""
    if number is None:
        return bytes(SEED_BYTES)
    return hmac.digest(bytes.fromhex(tournament.seed), f"{what} {number}".encode(), hashlib.sha256)

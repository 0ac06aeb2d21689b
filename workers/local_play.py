"""Matches on one machine without the service: the same referee, clocks, bot client and records."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engines.clock import Control
from engines.game import Game, OptionValue, State
from engines.messages import SeatMessages
from engines.protocol import encode, sign
from engines.record import chain_on, chain_start, public, setup_from
from engines.referee import Event, Turn, Verdict, referee
from service.matches import Common, Order, make_match
from service.models import Bot, Match, MatchState
from service.records import header_of, record_of
from workers.bot_client import BotFault, Endpoint, Exchange, Guard, Line, Message, Network
from workers.contact import Contact

UNRATED = "played locally"
END_US = 2_000_000

HERE_TRIES = 3  # deliveries of a message to a program of this machine: nothing gets lost on the way
PAUSE_S = 1.0  # at most, before a bot that did not come is asked once more: its author is waiting

Watch = Callable[[State], None]
Ended = Callable[[], str | None]  # why a program that was started here has ended, None while it runs


def open_network() -> Network:
    """May call any address: whoever plays locally calls from a machine of their own."""
    return Network(Guard.of(["0.0.0.0/0", "::/0"], ["1-65535"]))


@dataclass(frozen=True, slots=True)
class Series:
    """Several matches between the same bots. `bots` are the sides; teams' seats are dealt out to two.

    Seats rotate from game to game; each opening is played from every seat. All chance but the bots' own
    follows from `seed`. Raises BadSeats.
    """

    game: Game
    bots: Sequence[Bot]
    options: Mapping[str, OptionValue]
    control: Control
    games: int
    seed: int
    opening_plies: int = 0
    attempts: int = 1

    def __post_init__(self) -> None:
        self.game.check_seats(len(self.seated(0)))

    def matches(self) -> Iterator[Match]:
        """The matches in their order."""
        seats = self.seated(0)
        order = Order(
            self.game, tuple(seats), self.options, self.control, "local", self.opening_plies, self.attempts
        )
        for number in range(self.games):
            common = Common(self._bytes("opening", number // len(self.bots)), self._bytes("deal", number))
            yield make_match(order, self.seated(number), common, UNRATED, _now_ms())

    def seated(self, number: int) -> list[Bot]:
        """Who sits where in a game."""
        turned = [self.bots[(seat + number) % len(self.bots)] for seat in range(len(self.bots))]
        return turned * 2 if self.game.teams and len(turned) == 2 else turned

    def _bytes(self, use: str, number: int) -> bytes:
        return hashlib.sha256(f"{use} {self.seed} {number}".encode()).digest()


class _ProgramLine(Line):
    """The way to a program that was started here: where it has ended, its clock is not waited for."""

    def __init__(self, endpoint: Endpoint, network: Network, ended: Ended) -> None:
        super().__init__(endpoint, network)
        self._ended = ended

    def post(
        self,
        body: bytes,
        headers: Mapping[str, str],
        limit_us: int,
        *,
        again: Callable[[int], Message] | None = None,
        tries: int | None = None,
    ) -> Exchange:
        """Raises BotFault and OurFault, as Line's does."""
        try:
            return super().post(body, headers, limit_us, again=again, tries=tries or HERE_TRIES)
        except BotFault as fault:
            if why := self._ended():
                fault.detail = fault.public = why
            raise


def play(
    match: Match,
    bots: Mapping[str, Bot],
    network: Network,
    watch: Watch,
    programs: Mapping[str, Ended] = {},
) -> dict[str, Any]:
    """Play one match to its end and return its record; `watch` sees every position in which a bot is asked.

    `programs` are those of the bots that were started here. The bots' nonces are left out of the seed, so
    that a series can be repeated. Raises OurFault.
    """
    contacts = [_contact(match, seat, bots, network, programs) for seat in range(len(match.players))]
    try:
        return _play(match, contacts, watch)
    finally:
        for contact in contacts:
            contact.line.close()


def _contact(
    match: Match, seat: int, bots: Mapping[str, Bot], network: Network, programs: Mapping[str, Ended]
) -> Contact:
    player = match.players[seat]
    bot = bots[player.bot]
    messages = SeatMessages(match.id, match.game, match.options, seat, player.team)
    endpoint, ended = Endpoint.parse(bot.url or ""), programs.get(bot.id)
    line = Line(endpoint, network) if ended is None else _ProgramLine(endpoint, network, ended)
    return Contact(messages, line, (bot.secret,), _now_s)


def _play(match: Match, contacts: Sequence[Contact], watch: Watch) -> dict[str, Any]:
    header = header_of(match)
    came = [contact.start(header, _pause) is not None for contact in contacts]
    no_shows = [seat for seat, here in enumerate(came) if not here]
    events: list[Event] = [
        {
            "type": "started",
            "at": _now_ms(),
            "nonces": [""] * len(contacts),
            "no_shows": no_shows,
            "absences": [contacts[seat].absence for seat in no_shows],
        }
    ]
    verdict = _ask_all(header, match, contacts, events, watch)
    watch(verdict.state)
    events += [*verdict.events[:-1], {**verdict.events[-1], "at": _now_ms()}]
    over = replace(
        match,
        state=MatchState.FINISHED,
        started_at=events[0]["at"],
        finished_at=events[-1]["at"],
        result=verdict.result,
        chain_head=chain_on(chain_start(header), map(public, events)).hex(),
    )
    record = record_of(over, events, "local")
    for contact, here in zip(contacts, came, strict=True):
        if here:
            _tell_end(contact, record)
    return record


def _ask_all(
    header: Mapping[str, Any], match: Match, contacts: Sequence[Contact], events: list[Event], watch: Watch
) -> Verdict:
    running = referee(setup_from(header, bytes.fromhex(match.secret), events[0]))
    try:
        turn: Turn = next(running)
        while True:
            events += turn.events
            watch(turn.state)
            turn = running.send(contacts[turn.seat].ask(turn, 1))
    except StopIteration as stop:
        verdict: Verdict = stop.value
        return verdict


def _tell_end(contact: Contact, record: Mapping[str, Any]) -> None:
    """What the bot does with it is its own business."""
    result = {name: record["result"][name] for name in ("outcome", "reason", "placing", "points")}
    message = contact.messages.end(
        result,
        rated=False,
        unrated_reason=UNRATED,
        seed=record["seed"],
        chain_head=record["chain_head"],
        record_url="",
    )
    body = encode(message)
    headers = sign(contact.secrets, f"{contact.messages.match_id}:end:1", _now_s(), body)
    with contextlib.suppress(BotFault):
        contact.line.post(body, {**headers, "content-type": "application/json"}, END_US, tries=1)


def _pause(seconds: float) -> None:
    time.sleep(min(seconds, PAUSE_S))


def _now_s() -> int:
    return int(time.time())


def _now_ms() -> int:
    return time.time_ns() // 1_000_000

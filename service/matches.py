"""May this match be made, is it rated, and the match itself: policy as pure functions of values.

The API and the tournaments' coordinator make every match through here.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from engines.chance import commitment
from engines.clock import Control
from engines.errors import BadSeats
from engines.game import SEED_BYTES, Game, OptionValue
from service.errors import Conflict, Refused
from service.ids import new_id
from service.models import Bot, BotState, Match, MatchState, Owner, Player, Role

MAX_COUNT = 200
MAX_OPENING_PLIES = 20
MAX_ATTEMPTS = 10
PLAYED_ENOUGH = "these bots have played their rated games for today"
SILENT_MS = 300_000  # a bot that fetches its turns and has not polled for so long is not there


@dataclass(frozen=True, slots=True)
class Order:
    """A request for matches between the same bots; `bots[seat]` is who sits there in the first of them."""

    game: Game
    bots: tuple[Bot, ...]
    options: Mapping[str, OptionValue]  # complete
    control: Control
    requested_by: str
    opening_plies: int = 0
    attempts: int = 1
    rated: bool = True
    count: int = 1
    duplicate: bool = False  # each deck is played from every seat
    private: bool = False  # whether only those concerned may see it, whatever the bots are

    def side(self, seat: int) -> int:
        """The side that a seat plays for: its team, or itself."""
        team = self.game.team(seat)
        return seat if team is None else team

    def opponents(self) -> Iterator[tuple[int, int]]:
        """The pairs of seats that play against each other."""
        for a, b in combinations(range(len(self.bots)), 2):
            if self.side(a) != self.side(b):
                yield a, b


def check(order: Order, asker: Owner) -> None:
    """Raise Refused or Conflict, with the field at fault, if `asker` may not have this order."""
    check_seats(order.game, len(order.bots))
    if order.duplicate and not order.game.chance:
        raise Refused("invalid", f"{order.game.name} has no deals that could be played twice", "duplicate")
    for a, b in order.opponents():
        if order.bots[a].id == order.bots[b].id:
            raise Refused(
                "own-bot-both-sides",
                f"{order.bots[b].name} would play against itself in seats {a} and {b}; "
                "name different bots for different sides",
                f"bots.{b}",
            )
    for seat, bot in enumerate(order.bots):
        check_plays(bot, order.game, f"bots.{seat}")
        check_ready(bot, f"bots.{seat}")
        check_challenge(bot, asker, f"bots.{seat}")


def check_seats(game: Game, count: int) -> None:
    """Raise Refused unless the game is played by `count` seats."""
    try:
        game.check_seats(count)
    except BadSeats as error:
        raise Refused("wrong-seat-count", f"{error}; name one bot for each seat", "bots") from None


def check_plays(bot: Bot, game: Game, where: str) -> None:
    """Raise Refused unless the bot plays the game."""
    if game.name not in bot.games:
        raise Refused(
            "game-not-played", f"{bot.name} does not play {game.name}; it plays {', '.join(bot.games)}", where
        )


_NOT_READY = {
    BotState.UNVERIFIED: (
        "unverified-bot",
        "{name} has not been verified; its owner does that while it is running: `arbiter bot verify {id}`, or"
        " POST /v1/bots/{id}/verify",
    ),
    BotState.RETIRED: ("bot-retired", "{name} is retired; choose another bot"),
    BotState.AWAY: ("bot-away", "{name} has been set away by its owner; try later"),
    BotState.PAUSED: (
        "bot-paused",
        "{name} is paused ({reason}); its owner resumes it by `arbiter bot verify {id}`, or"
        " POST /v1/bots/{id}/verify",
    ),
}


def check_ready(bot: Bot, where: str) -> None:
    """Raise Conflict unless the bot may play now."""
    if bot.state is not BotState.ACTIVE:
        problem, text = _NOT_READY[bot.state]
        raise Conflict(problem, text.format(name=bot.name, id=bot.id, reason=bot.state_reason), where)


def polls_now(bot: Bot, now_ms: int) -> bool:
    """Whether a bot without an address has polled lately; one with an address need not."""
    return bot.url is not None or now_ms - (bot.last_poll_at or 0) < SILENT_MS


def check_polls(bot: Bot, now_ms: int, where: str) -> None:
    """Raise Conflict if the bot fetches its turns, but has not been there to do so."""
    if not polls_now(bot, now_ms):
        silent_min = SILENT_MS // 60_000
        raise Conflict(
            "bot-away",
            f"{bot.name} fetches its turns and has not polled for {silent_min} minutes; its owner starts it",
            where,
        )


def takes_challenge(bot: Bot, owner_id: str) -> bool:
    """Whether the bot's owner lets it play when that owner asks."""
    if bot.challenges == "owners" and owner_id in bot.challengers:
        return True
    return owner_id == bot.owner or bot.challenges == "anyone"


def check_challenge(bot: Bot, asker: Owner, where: str) -> None:
    """Raise Refused if the bot's owner does not take a challenge from `asker`."""
    if asker.role is Role.ADMIN or takes_challenge(bot, asker.id):
        return
    whom = "nobody's challenges" if bot.challenges == "nobody" else "challenges of certain owners only"
    raise Refused("challenge-refused", f"{bot.name} takes {whom}; meet it in a tournament", where)


def unrated_reason(order: Order) -> str | None:
    """Why the matches of this order do not count for the ratings; None if they do."""
    if not order.rated:
        return "asked for as unrated"
    for a, b in order.opponents():
        if order.bots[a].owner == order.bots[b].owner:
            return f"{order.bots[a].name} and {order.bots[b].name} have one owner"
    for bot in order.bots:
        if bot.private:
            return f"{bot.name} is private"
    if order.private:
        return "the match is private"
    changed = [n for n, option in order.game.options.items() if order.options[n] != option.default]
    if changed:
        return f"played with options of its own: {', '.join(changed)}"
    return None


def make_matches(order: Order, now_ms: int, rated_left: int) -> list[Match]:
    """The order's matches: the seats rotate, and each opening (deck, if asked for) is played from every seat.

    Games beyond `rated_left`, what the pair may still play rated today, are unrated and say so.
    """
    seats, reason = len(order.bots), unrated_reason(order)
    matches = []
    for first in range(0, order.count, seats):
        common = Common(secrets.token_bytes(SEED_BYTES), secrets.token_bytes(SEED_BYTES))
        games = []
        for number in range(first, min(first + seats, order.count)):
            beyond = None if number < rated_left else PLAYED_ENOUGH
            bots = [order.bots[(seat + number) % seats] for seat in range(seats)]
            own = common if order.duplicate else replace(common, secret=b"")
            games.append(make_match(order, bots, own, reason or beyond, now_ms))
        matches += _as_a_set(order, games)
    return matches


def _as_a_set(order: Order, games: Sequence[Match]) -> list[Match]:
    """The games of one set, which name one another where they have an opening or a deck in common."""
    ids = tuple(game.id for game in games)
    if len(ids) < 2 or not (order.opening_plies or order.duplicate):
        return list(games)
    return [replace(game, set=ids[0], set_games=ids, shared_deal=order.duplicate) for game in games]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a tournament a match belongs: `pairing` is the index in the schedule."""

    tournament: str
    pairing: int
    round: int


@dataclass(frozen=True, slots=True)
class Common:
    """What the games of a set have in common: the opening's seed and, with duplicate deals, the secret."""

    opening_seed: bytes = bytes(SEED_BYTES)
    secret: bytes = b""
    set: str | None = None


def make_match(
    order: Order,
    bots: Sequence[Bot],
    common: Common,
    why_unrated: str | None,
    now_ms: int,
    place: Place | None = None,
) -> Match:
    """One match of an order; `bots` by seat."""
    secret = common.secret or secrets.token_bytes(SEED_BYTES)
    game = order.game
    return Match(
        id=new_id("m", game.name),
        game=game.name,
        players=tuple(
            Player(seat, game.team(seat), bot.id, bot.name, bot.version, bot.owner)
            for seat, bot in enumerate(bots)
        ),
        options=order.options,
        clock=order.control.to_json(),
        opening_plies=order.opening_plies,
        opening_seed=common.opening_seed.hex(),
        attempts=order.attempts,
        rated=why_unrated is None,
        unrated_reason=why_unrated,
        engine_version=game.version,
        secret=secret.hex(),
        commitment=commitment(secret),
        state=MatchState.QUEUED,
        created_at=now_ms,
        requested_by=order.requested_by,
        private=order.private or any(bot.private for bot in bots),
        tournament=place.tournament if place else None,
        pairing=place.pairing if place else None,
        round=place.round if place else None,
        set=common.set,
        shared_deal=common.set is not None and bool(common.secret),
    )

"""What the service keeps, as frozen values. Times are milliseconds since the epoch (UTC).

The store reads and writes these; the API shows them; the workers act on them. Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA_VERSION = 1

MATCH_QUEUE = "matches"  # what workers that play matches work on
CONTROL_QUEUE = "control"  # everything else

LADDERS = ("quixo", "quixo-teams", "sorry", "sorry-teams", "sorry-points")
POINTS_LADDERS = frozenset({"sorry-points"})  # where results carry points of the game's own


class Role(StrEnum):
    PLAYER = "player"
    ORGANISER = "organiser"
    ADMIN = "admin"


class BotState(StrEnum):
    UNVERIFIED = "unverified"  # may not play yet
    ACTIVE = "active"
    AWAY = "away"  # by its owner
    PAUSED = "paused"  # by the service, after failures in a row
    RETIRED = "retired"  # for good


class MatchState(StrEnum):
    QUEUED = "queued"  # waits for its bots' capacity and for a worker
    RUNNING = "running"  # claimed; has a lease
    FINISHED = "finished"
    HELD = "held"  # keeps failing for the service's own reasons; waits for the operator
    VOID = "void"  # annulled, with a reason
    CANCELLED = "cancelled"  # never began


class TournamentState(StrEnum):
    DRAFT = "draft"
    OPEN = "open"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Owner:
    id: str
    name: str
    role: Role
    created_at: int
    banned: str | None = None  # the reason


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key `arb_<id>_<secret>`; only the SHA-256 of the secret is kept."""

    id: str
    owner: str
    name: str
    scopes: tuple[str, ...]
    created_at: int
    secret_sha256: str
    last_used_at: int | None = None
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Bot:
    id: str
    owner: str
    name: str
    games: tuple[str, ...]
    version: str
    url: str | None  # None: it polls
    transport: str  # "http" or "poll"
    concurrency: int
    state: BotState
    state_reason: str | None
    secret: str  # "whsec_..."; shown to the owner once
    created_at: int
    description: str = ""
    private: bool = False
    challenges: str = "anyone"  # or "nobody", or "owners" (then `challengers`)
    challengers: tuple[str, ...] = ()
    challenges_per_day: int | None = None
    verified_at: int | None = None
    failures: int = 0  # in a row
    previous_secret: str | None = None  # still signed with until `previous_secret_until`
    previous_secret_until: int | None = None
    last_poll_at: int | None = None  # of a bot that polls; no change in the sense of `revision`
    revision: int = 0  # grows with every change; the ETag

    @property
    def unproved(self) -> bool:
        """Whether it has an address that its owner has not shown to be theirs (any more)."""
        return self.url is not None and self.verified_at is None

    def secrets(self, now_ms: int) -> tuple[str, ...]:
        """What is signed with: the secret, and for a day after a rotation the one before beside it."""
        return secrets_in_use(self, now_ms)


def secrets_in_use(holder: Bot | Webhook, now_ms: int) -> tuple[str, ...]:
    """The holder's signing secret, and for a day after a rotation the one before beside it."""
    if holder.previous_secret is None or now_ms >= (holder.previous_secret_until or 0):
        return (holder.secret,)
    return (holder.secret, holder.previous_secret)


@dataclass(frozen=True, slots=True)
class BotHealth:
    """What a bot's last turns took (the oldest first) and how often it has failed, by reason."""

    charged_us: tuple[int, ...]
    connect_us: tuple[int, ...]
    faults: Mapping[str, int]
    last_seen_at: int | None


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits in a seat of a match, as it was when the match was made."""

    seat: int
    team: int | None
    bot: str
    name: str
    version: str
    owner: str


@dataclass(frozen=True, slots=True)
class Match:
    id: str  # "m_<ladder>_<random>"
    game: str  # also the ladder
    players: tuple[Player, ...]
    options: Mapping[str, Any]  # complete
    clock: Mapping[str, Any]  # engines.clock.Control.to_json()
    opening_plies: int
    opening_seed: str  # hex
    attempts: int  # answers that an illegal or malformed one may be followed by, from 1
    rated: bool
    unrated_reason: str | None
    engine_version: int
    secret: str  # hex of the server's 32 bytes; published only after the match
    commitment: str
    state: MatchState
    created_at: int
    requested_by: str  # owner id
    private: bool = False  # seen by those concerned only
    tournament: str | None = None
    pairing: int | None = None  # index in the tournament's schedule
    round: int | None = None
    entrants: tuple[int, ...] | None = None  # by seat, as the pairing has them
    set: str | None = None  # games with the same one share an opening or a deck: one statistical unit
    set_games: tuple[str, ...] = ()  # the ids of all of them, where they were asked for together
    aliases: tuple[str, ...] = ()  # by seat: what stands for the bots' ids until the tournament is over
    shared_deal: bool = False  # the deck is the same in all of them, and not told before all are over
    started_at: int | None = None
    finished_at: int | None = None
    result: Mapping[str, Any] | None = None
    state_reason: str | None = None  # why held, void or cancelled
    failures: int = 0  # of the service's own, in a row
    chain_head: str | None = None
    ledger_id: int | None = None
    plies: int = 0
    turn_began_at: int | None = field(default=None, compare=False)  # by Redis' time, ms
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a match: every write shows `epoch` and `fence`, and is refused once they are stale.

    The fence grows with every claim; `epoch` names the data set and this very claim.
    """

    match: Match
    fence: int
    epoch: str
    events: tuple[Mapping[str, Any], ...]  # what is recorded so far, receipts included


class Written(StrEnum):
    """What became of a write that shows a fence."""

    APPLIED = "applied"
    ALREADY = "already applied"  # the same call came again: its first answer was lost
    FENCED = "fenced"  # somebody else has the match, or it is over


@dataclass(frozen=True, slots=True)
class Rating:
    ladder: str
    bot: str
    rating: int  # milli-points
    games: int
    wins: int
    draws: int
    losses: int
    rank: int | None = None
    provisional: bool = True
    version: str = ""  # of the bot: each has a line of its own


@dataclass(frozen=True, slots=True)
class RatingChange:
    """One line of a bot's rating history."""

    match: str
    at: int
    before: int
    after: int
    place: int
    opponents: tuple[str, ...]
    version: str = ""


@dataclass(frozen=True, slots=True)
class Tournament:
    id: str  # "t_<ladder>_<random>"
    name: str
    game: str
    format: str
    owner: str
    options: Mapping[str, Any]  # game options
    clock: Mapping[str, Any]
    settings: Mapping[str, Any]  # cycles, opening, rated, tie_breaks, max_entrants, private, ...
    seed: str  # hex, 32 bytes
    state: TournamentState
    created_at: int
    entrants: tuple[Mapping[str, Any], ...] = ()  # {"bot", "name", "version", "owner", "withdrawn_at"}
    started_at: int | None = None
    finished_at: int | None = None
    state_reason: str | None = None
    games_total: int | None = None
    games_done: int = 0
    revision: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list; `next` is the cursor of the part behind it, None at the end."""

    items: tuple[Any, ...]
    next: str | None = None
    total: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process, as it last spoke of itself `silent_ms` ago."""

    name: str
    queue: str
    places: int  # matches it plays at once; none on the control queue
    running: int
    progress: Mapping[str, Any]
    silent_ms: int
    drained: bool = False  # the operator wants it to take no more matches


@dataclass(frozen=True, slots=True)
class Task:
    """Delayed work: what kind, on what; comes again until it is done."""

    kind: str
    payload: Mapping[str, Any]
    key: str  # names it in the store


@dataclass(frozen=True, slots=True)
class Letter:
    """Something to be told to the outside, at least once: an end message or a webhook."""

    id: str
    item: Mapping[str, Any]
    attempt: int  # from 1


@dataclass(frozen=True, slots=True)
class Verification:
    """How the last check of a bot's address went."""

    state: str = "none"  # or "pending", "passed", "failed"
    asked_at: int | None = None
    finished_at: int | None = None
    detail: str | None = None


class ExaminationState(StrEnum):
    WAITING = "waiting"  # for a worker, or for a place among the bot's matches
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # for the service's own reasons; `detail` says which


@dataclass(frozen=True, slots=True)
class Examination:
    """The doctor's look at a bot, as its owner asked for it; the findings are kept beside it."""

    id: str
    bot: str
    owner: str
    games: tuple[str, ...]
    clock: Mapping[str, Any]  # engines.clock.Control.to_json()
    asked_at: int
    state: ExaminationState = ExaminationState.WAITING
    begun_at: int | None = None
    finished_at: int | None = None
    detail: str | None = None  # why it waits, or could not be finished
    game: str | None = None  # what is looked at now
    requests: int = 0  # sent to the bot so far


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament's games are made and played; pairings count from 0."""

    next: int  # the first pairing that has no match
    made: int  # pairings that have their match
    done: int  # of these, with a result
    open: int  # of these, without one


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A line of a ladder's ledger; `chain` is SHA-256(chain before ‖ SHA-256(canonical payload)), hex."""

    id: int
    payload: Mapping[str, Any]
    chain: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What `audit` found: something stored that is not what follows from the ledger and the records."""

    what: str
    subject: str
    stored: Any
    computed: Any


@dataclass(frozen=True, slots=True)
class Invitation:
    """Lets people sign up where that needs one, `uses` times more."""

    id: str
    by: str  # the owner who made it
    uses: int
    created_at: int
    expires_at: int
    secret_sha256: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where an owner wants to be told of what happens."""

    id: str
    owner: str
    url: str
    events: tuple[str, ...]
    secret: str  # "whsec_..."; shown once
    created_at: int
    failures: int = 0  # letters in a row that never arrived
    paused: str | None = None  # why nothing is sent any more
    previous_secret: str | None = None
    previous_secret_until: int | None = None
    revision: int = 0

    def secrets(self, now_ms: int) -> tuple[str, ...]:
        """What is signed with, as by a bot's."""
        return secrets_in_use(self, now_ms)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One try to tell a webhook something."""

    letter: str
    event: str
    at: int
    attempt: int
    status: int | None  # what it answered
    detail: str
    delivered: bool
    next_at: int | None = None  # when it is tried again

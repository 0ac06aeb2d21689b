"""A whole service to do harm to: a Redis to kill, workers that come back, bots that take their time."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from bots.sdk import Bot as Player
from engines.clock import Control
from engines.record import verify
from engines.registry import GAMES
from service.errors import Unavailable
from service.ids import new_id
from service.matches import Common, Order, make_match
from service.models import Bot, BotState, Match, MatchState
from service.records import record_of
from service.store import Store
from tests.chaos.background import Background
from tests.servers import RedisServer, redis_server_binary
from workers.stack import Stack

CONTROL = Control.from_json("rapid")
SECRET = "whsec_" + "c2VjcmV0" * 4
OVER = (MatchState.FINISHED, MatchState.VOID, MatchState.HELD)


def slow_player(pause_s: float) -> Player:
    """Plays the first move, after a pause."""
    player = Player("slow")

    @player.move(*GAMES)
    def move(turn):
        time.sleep(pause_s)
        return turn.legal_moves[0]

    return player


@dataclass
class Arena:
    """Workers and `sweeps` sweeps over one Redis; `bots` answer in this process."""

    folder: Path
    redis: RedisServer
    lease_ms: int = 2000
    concurrency: int = 50
    sweeps: int = 2
    workers: list[str] = field(default_factory=list)
    bots: list[Bot] = field(default_factory=list)
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        self.redis.start()
        self.stack = self._open.enter_context(Stack(self.folder))
        self.stack.environ |= {
            "ARBITER_REDIS_URL": f"{self.redis.url}/0",
            "ARBITER_BROKER_URL": f"{self.redis.url}/1",
            "ARBITER_BOT_NETWORKS": "127.0.0.0/8",
            "ARBITER_LEASE_MS": str(self.lease_ms),
            "ARBITER_LOG_LEVEL": "warning",
        }
        self.store = Store.connect(f"{self.redis.url}/0")
        for number in range(self.sweeps):
            self.stack.start_part(f"sweep-{number}" if number else "sweep", "sweep")
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()
        self.redis.stop()

    def start_worker(self) -> str:
        name = f"worker-{len(self.workers)}"
        self.stack.start_part(name, "worker", "--queue", "matches", "-c", str(self.concurrency))
        self.workers.append(name)
        return name

    def living(self) -> list[str]:
        return [name for name in self.workers if self.stack.parts[name].poll() is None]

    def add_bots(self, game: str, number: int, pause_s: float = 0.02, concurrency: int = 1000) -> list[Bot]:
        """Verified bots of different owners, behind one port."""
        server = self._open.enter_context(slow_player(pause_s).listen(secret=None))
        for _ in range(number):
            bot = Bot(
                id=new_id("b"),
                owner=new_id("o"),
                name=f"bot {len(self.bots)}",
                games=(game,),
                version="1",
                url=server.url,
                transport="http",
                concurrency=concurrency,
                state=BotState.ACTIVE,
                state_reason=None,
                secret=SECRET,
                created_at=0,
                verified_at=0,
            )
            self.bots.append(self.store.bots.create(bot))
        return self.bots

    def ask(self, count: int, game: str = "quixo", opening_plies: int = 4) -> list[Match]:
        """`count` rated matches between the bots, two by two."""
        kind, chance = GAMES[game], random.Random(count)
        made = []
        for _ in range(count):
            pair = chance.sample(self.bots, kind.seats[0])
            order = Order(kind, tuple(pair), kind.full_options({}), CONTROL, pair[0].owner, opening_plies)
            opening = Common(chance.randbytes(32))
            made.append(make_match(order, pair, opening, None, time.time_ns() // 1_000_000))
        self.store.matches.create(made)
        return made

    def now(self, matches: Sequence[Match]) -> list[Match]:
        """The matches as they stand."""
        return [m for m in self.store.matches.get_many([m.id for m in matches]) if m]

    def wait_over(self, matches: Sequence[Match], seconds: float) -> list[Match]:
        """Wait until all are over; as they stand then, or after `seconds`."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                found = self.now(matches)
            except Unavailable:
                found = []
            if found and all(m.state in OVER for m in found):
                return found
            time.sleep(0.1)
        return self.now(matches)

    def wait_plies(self, matches: Sequence[Match], plies: int, seconds: float = 30) -> None:
        """Wait until every match has begun to be played."""
        deadline = time.monotonic() + seconds
        while any(m.plies < plies and m.state not in OVER for m in self.now(matches)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"matches did not reach ply {plies} within {seconds} s")
            time.sleep(0.05)

    def faults(self, matches: Sequence[Match]) -> int:
        """Faults in the records: none of the bots commits any."""
        return sum(e["type"] == "fault" for m in matches for e in self.store.matches.record(m.id))

    def bad_records(self, matches: Sequence[Match]) -> int:
        """Records that do not hold."""
        kept = ((match, self.store.matches.record(match.id)) for match in self.now(matches))
        return sum(not events or bool(verify(record_of(match, events))) for match, events in kept)

    def differences(self, game: str = "quixo") -> int:
        """What the audit finds wrong."""
        return len(list(self.store.audit.differences(game)))

    def ledger_rows(self, game: str = "quixo") -> int:
        return len(self.store.ledger.entries(game, 0, 100_000))


class Watch(Background):
    """Looks at matches ten times a second; `pauses` are the seconds that each stood still, longest first.

    A pause is only counted once it is longer than the bots need (`over_s`).
    """

    def __init__(self, arena: Arena, matches: Sequence[Match], over_s: float) -> None:
        super().__init__()
        self._arena, self._ids, self._over_s = arena, [m.id for m in matches], over_s
        self._since: dict[str, tuple[int, float]] = {}
        self.pauses: list[float] = []

    def run(self) -> None:
        while not self.stopped.wait(0.1):
            try:
                found = self._arena.store.matches.get_many(self._ids)
            except Unavailable:
                continue
            now = time.monotonic()
            for match in found:
                if match and match.state is MatchState.RUNNING:
                    self._look(match, now)

    def _look(self, match: Match, now: float) -> None:
        plies, since = self._since.setdefault(match.id, (match.plies, now))
        if plies != match.plies:
            if now - since > self._over_s:
                self.pauses.append(now - since)
            self._since[match.id] = (match.plies, now)


def redis_for(folder: Path, kind: str) -> RedisServer:
    """An embedded Valkey, or Debian's redis-server."""
    if kind == "embedded":
        return RedisServer(folder)
    binary = redis_server_binary()
    if binary is None:
        raise SystemExit("no redis-server on this machine: apt install redis-server")
    return RedisServer(folder, binary)


@contextmanager
def arena(kind: str = "embedded", **options: int) -> Iterator[Arena]:
    """An arena in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Arena(folder, redis_for(folder / "redis", kind), **options) as opened:
            yield opened

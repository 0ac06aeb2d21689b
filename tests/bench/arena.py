"""What the benches of the referee play on: one worker, its own server, and bots that need no verifying."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engines.clock import Control
from engines.registry import game_named
from service.dispatch import dispatch
from service.ids import new_id
from service.jobs import Jobs
from service.matches import Common, Order, make_match
from service.models import Bot, BotState, Match, MatchState
from service.store import Store
from service.store.owners import now_ms
from tests.clockwork import TLS
from workers.stack import Stack

OPENING_PLIES = 4
SECRET = "whsec_" + "c2VjcmV0" * 4
CONTROL = Control.from_json("rapid")


@dataclass(frozen=True)
class Arena:
    """One worker that plays `at_once` matches, and the store it works on."""

    stack: Stack
    store: Store
    jobs: Jobs
    at_once: int

    @property
    def worker(self) -> int:
        """The worker's process id."""
        return self.stack.parts["worker"].pid

    def bots(self, game: str, url: str) -> list[Bot]:
        """Bots at an address that may play at once, one for each seat."""
        return [self._bot(game, url) for _ in range(game_named(game).seats[0])]

    def _bot(self, game: str, url: str) -> Bot:
        bot = Bot(
            id=new_id("b"),
            owner=new_id("o"),
            name=f"bench {secrets.token_hex(4)}",
            games=(game,),
            version="1",
            url=url,
            transport="http",
            concurrency=self.at_once,
            state=BotState.ACTIVE,
            state_reason=None,
            secret=SECRET,
            created_at=0,
            verified_at=0,
        )
        return self.store.bots.create(bot, limit=1000)

    def create(self, bots: Sequence[Bot], count: int) -> list[Match]:
        """Ask for rated matches, each with an opening of its own, so that no two go alike."""
        kind = game_named(bots[0].games[0])
        order = Order(kind, tuple(bots), kind.full_options({}), CONTROL, bots[0].owner, OPENING_PLIES)
        common = [Common(secrets.token_bytes(32)) for _ in range(count)]
        matches = [make_match(order, bots, one, None, now_ms()) for one in common]
        self.store.matches.create(matches)
        dispatch(self.store, self.jobs)
        return matches

    def wait(self, matches: Sequence[Match]) -> None:
        """Until all are finished; asks for one of them at a time, as asking costs time too."""
        for match in matches:
            while self.store.matches.get(match.id).state is not MatchState.FINISHED:
                time.sleep(0.02)

    def moves(self, matches: Sequence[Match]) -> list[dict[str, object]]:
        """The events of the moves that bots were asked for, receipts included."""
        events = (event for match in matches for event in self.store.matches.record(match.id))
        return [dict(event) for event in events if event["type"] == "move"]


@contextmanager
def arena(at_once: int) -> Iterator[Arena]:
    """A worker that may call loopback and trusts the test bots' certificate."""
    with tempfile.TemporaryDirectory() as folder, Stack(Path(folder)) as stack:
        server = stack.start_server(0)
        stack.environ |= {"ARBITER_BOT_NETWORKS": "127.0.0.0/8", "SSL_CERT_FILE": str(TLS / "bot.pem")}
        stack.start_part("worker", "worker", "--queue", "matches", "-c", str(at_once))
        stack.start_part("sweep", "sweep")
        store = Store.connect(f"{server.url}/0")
        stack.wait_until(lambda: bool(store.workers.alive()), "the worker")
        yield Arena(stack, store, Jobs.at(stack.environ["ARBITER_BROKER_URL"]), at_once)

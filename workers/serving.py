"""A worker process: Celery's threads, what its matches share, and an orderly stop."""

from __future__ import annotations

import gc
import logging
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import structlog
from celery import Celery
from celery.signals import setup_logging, worker_ready, worker_shutting_down
from celery.worker import state

from engines.messages import SeatMessages
from service.config import Settings
from service.errors import Unavailable
from service.jobs import Jobs
from service.log import configure
from service.models import MATCH_QUEUE, Bot, Claim
from service.store import Store
from service.store.mailbox import Place
from service.store.owners import now_ms
from workers.bot_client import Canary, Endpoint, Guard, Line, Network, Proxy
from workers.celery import make_app
from workers.contact import Contact, Courier, Unproved
from workers.core import Core
from workers.leases import Leases
from workers.mailbox import MailboxLine
from workers.pulse import Pulse
from workers.runner import Room

_log = structlog.get_logger(__name__)
BEAT_S = 2.0
ABANDON_AFTER_S = 5.0
TELL_EVERY_S = 0.5
EXAMINING = 3  # examinations at once in a worker: each may keep a thread for minutes
MOST_STARTING = 256  # bots told at once that a match begins; each may take minutes not to answer


@dataclass(slots=True)
class Hall:
    """What the tasks of one worker process share. `queue` is what it works on, `places` its threads."""

    settings: Settings
    store: Store
    jobs: Jobs
    queue: str
    places: int
    network: Network
    leases: Leases
    canary: Canary
    core: Core = field(default_factory=Core)
    name: str = field(default_factory=lambda: worker_name(str(os.getpid())))
    starters: Executor = field(default_factory=lambda: ThreadPoolExecutor(MOST_STARTING, "start"))
    stopping: threading.Event = field(default_factory=threading.Event)
    delivering: threading.Lock = field(default_factory=threading.Lock)
    examining: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(EXAMINING))
    draining: threading.Event = field(default_factory=threading.Event)  # takes no more matches
    consumer: Any = None  # Celery's, once it is ready
    pulse: Pulse | None = None  # its loop's
    told_at: float = 0.0  # when letters were last hinted at, monotonic
    done: Counter[str] = field(default_factory=Counter)  # since the start: matches finished, turns in them
    counting: threading.Lock = field(default_factory=threading.Lock)

    @property
    def closing(self) -> bool:
        """Whether this worker takes no more matches."""
        return self.stopping.is_set() or self.draining.is_set()

    def tell_of_letters(self) -> None:
        """Hint at letters to deliver, now and then: the sweep sees to those in between."""
        if time.monotonic() > self.told_at + TELL_EVERY_S:
            self.told_at = time.monotonic()
            self.jobs.deliver()

    def count(self, events: Sequence[Mapping[str, Any]]) -> None:
        """A match with these events was finished here."""
        with self.counting:
            self.done["matches"] += 1
            self.done["turns"] += sum(event["type"] in ("move", "fault") for event in events)

    def progress(self) -> dict[str, int]:
        """What was done since the start, for operators."""
        return {**self.done, "tasks": sum(state.total_count.values())}

    @property
    def room(self) -> Room:
        """What the match runners need."""
        return Room(
            self.store, self.leases, self.stopping, self.contacts, self.starters, self.canary.ok, now_ms
        )

    def contacts(self, claim: Claim) -> Sequence[Contact]:
        """A contact for each seat of a claimed match, with the bots as they are registered now."""
        match = claim.match
        found = self.store.bots.get_many(sorted({player.bot for player in match.players}))
        bots = {bot.id: bot for bot in found if bot}
        return [
            Contact(
                SeatMessages(match.id, match.game, match.options, player.seat, player.team),
                self._courier(claim, player.seat, bots[player.bot]),
                bots[player.bot].secrets(now_ms()),
                lambda: int(time.time()),
                on_gone=partial(self.store.checks.gone, player.bot),
            )
            for player in match.players
        ]

    def _courier(self, claim: Claim, seat: int, bot: Bot) -> Courier:
        if bot.url is None:
            return MailboxLine(self.store, Place(bot.id, claim.match.id, seat), claim)
        return Unproved() if bot.unproved else Line(Endpoint.parse(bot.url), self.network)

    def start(self) -> None:
        if self.queue == MATCH_QUEUE:
            self.core.settle()
        self.leases.start()
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def stop(self, **_: Any) -> None:
        """Give the matches back at their next turn; after five seconds cut the turns in flight short."""
        if not self.stopping.is_set():
            self.stopping.set()
            timer = threading.Timer(ABANDON_AFTER_S, self.leases.abort_all)
            timer.daemon = True
            timer.start()

    def _beat(self) -> None:
        while not self.stopping.is_set():
            if self.pulse is None or self.pulse.felt():
                self._say_alive()
            else:
                _log.error("the queue is not read any more", worker=self.name, queue=self.queue)
            if self.queue == MATCH_QUEUE:
                self.core.look()
            self.stopping.wait(BEAT_S)

    def _say_alive(self) -> None:
        try:
            running, progress = self.leases.count, self.progress()
            self._drain(self.store.workers.beat(self.name, self.queue, self.places, running, progress))
        except Unavailable as error:
            _log.warning("no heartbeat", reason=error.detail)

    def ready(self, sender: Any, **_: Any) -> None:
        """Celery's consumer is there."""
        self.consumer, self.pulse = sender, Pulse(sender)

    def _drain(self, wanted: bool) -> None:
        """Take no more from the queue, or take from it again: hints that are taken in vain are lost."""
        if wanted == self.draining.is_set() or self.consumer is None:
            return
        if wanted:
            self.draining.set()
            self.consumer.call_soon(self.consumer.cancel_task_queue, self.queue)
        else:
            self.draining.clear()
            self.consumer.call_soon(self.consumer.add_task_queue, self.queue)
        _log.warning("drained" if wanted else "takes work again", worker=self.name, running=self.leases.count)


def worker_name(process: str) -> str:
    """How a worker process of this machine is called."""
    return f"{socket.gethostname()}:{process}"


class _Canary(BaseHTTPRequestHandler):
    """Answers every POST, as a bot would: this process can still be reached and served."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: Any) -> None:
        """Nothing: it is asked often."""


def make_canary(settings: Settings) -> Canary:
    """The operator's canary, or an endpoint of this process."""
    url = settings.canary_url
    if not url:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Canary)
        threading.Thread(target=server.serve_forever, name="canary", daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
    endpoint = Endpoint.parse(url)
    everywhere = Guard.of(("0.0.0.0/0", "::/0"), (str(endpoint.port),))
    return Canary(endpoint, Network(everywhere))


def make_hall(settings: Settings, app: Celery, queue: str, places: int) -> Hall:
    """The hall of a worker process; nothing of it runs yet."""
    store = Store.connect(settings.redis_url, connections=places + 8)
    jobs = Jobs(app)
    proxy = Proxy.parse(settings.bot_proxy) if settings.bot_proxy else None
    network = Network(Guard.of(settings.bot_networks, settings.bot_ports), proxy=proxy)
    leases = Leases(store, settings.lease_ms)
    return Hall(settings, store, jobs, queue, places, network, leases, make_canary(settings))


def run_worker(settings: Settings, queue: str, concurrency: int) -> int:
    """Work on a queue until SIGTERM, and until every match is given back; returns the exit code.

    It is not 0 if Celery gave up, so that whoever watches over the process starts it anew.
    """
    configure(settings.log_level, settings.log_format)
    app = make_app(settings)
    app.hall = make_hall(settings, app, queue, concurrency)
    setup_logging.connect(lambda **_: None, weak=False)  # ours stays
    for name in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(name).setLevel(logging.WARNING)  # two lines a hint, which say nothing
    worker_ready.connect(app.hall.ready, weak=False)
    worker_shutting_down.connect(app.hall.stop, weak=False)
    app.hall.start()
    gc.collect()
    gc.freeze()  # what was imported stays: looking through it again costs 0.1 s a time
    worker = app.Worker(
        pool="threads",
        concurrency=concurrency,
        queues=[queue],
        hostname=f"{queue}@{app.hall.name}",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    app.hall.leases.stop()
    with suppress(Unavailable):  # the others notice its silence soon enough
        app.hall.store.workers.gone(app.hall.name)
    return int(worker.exitcode or 0)

"""The store as a whole."""

from __future__ import annotations

from service.store.api_keys import ApiKeys
from service.store.archive import RedisArchive
from service.store.audit import Audit
from service.store.bots import Bots
from service.store.checks import Checks
from service.store.connection import Connection
from service.store.contests import Contests
from service.store.desk import Desk
from service.store.due import Due
from service.store.examinations import Examinations
from service.store.fits import Fits
from service.store.generations import Generations
from service.store.health import Health
from service.store.invitations import Invitations
from service.store.ledger import Ledger
from service.store.live import Live
from service.store.mailbox import Mailbox
from service.store.matches import Matches
from service.store.operator import Operator
from service.store.outbox import Outbox
from service.store.owners import Owners
from service.store.pairings import Pairings
from service.store.quotas import Quotas
from service.store.ratings import Ratings
from service.store.retention import Retention
from service.store.running import Parts
from service.store.schedule import Matchmaking, Schedule
from service.store.sweep import Sweep
from service.store.tournaments import Tournaments
from service.store.verifications import Verifications
from service.store.voiding import Voiding
from service.store.webhooks import Webhooks
from service.store.workers import Workers


class Store:
    """One Redis data set; safe to share between threads, to be opened anew after a fork."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.owners = Owners(db)
        self.keys = ApiKeys(db)
        self.bots = Bots(db)
        self.health = Health(db)
        self.checks = Checks(db, self.bots)
        self.verifications = Verifications(db, self.bots, self.checks)
        self.examinations = Examinations(db)
        self.invitations = Invitations(db)
        self.schedule = Schedule(db)
        self.matchmaking = Matchmaking(db)
        self.quotas = Quotas(db)
        self.live = live = Live(db)
        self.mailbox = Mailbox(db, live)
        self.desk = Desk(db)
        self.contests = Contests(db)
        self.tournaments = Tournaments(db, self.schedule, self.contests, self.quotas, live)
        self.pairings = Pairings(db)
        self.ledger = Ledger(db)
        generations = Generations(db, self.ledger)
        voiding = Voiding(db, generations)
        archive = RedisArchive(db)
        self.matches = Matches(
            Parts(db, archive, self.tournaments, self.schedule, self.quotas, voiding, live)
        )
        self.audit = Audit(db, self.ledger, self.matches, self.tournaments, self.pairings, voiding)
        self.retention = Retention(db, self.matches, archive)
        self.operator = Operator(db)
        self.sweep = Sweep(
            db, self.bots, self.matches, self.tournaments, self.schedule, self.quotas, generations
        )
        self.ratings = Ratings(db)
        self.fits = Fits(db)
        self.due = Due(db)
        self.outbox = Outbox(db)
        self.webhooks = Webhooks(db)
        self.workers = Workers(db)

    @classmethod
    def connect(cls, url: str, timeout_s: float = 2.0, retries: int = 2, connections: int = 64) -> Store:
        """A store on the server at `url`; nothing is sent yet.

        A call raises Unavailable after at most about `timeout_s` · (`retries` + 1); at most `connections`
        calls are under way at once.
        """
        return cls(Connection.open(url, timeout_s, retries, connections))

    def ping(self) -> None:
        """Raises Unavailable unless Redis answers."""
        self.db.run("PING")

    def info(self) -> dict[str, int]:
        """Counts for operators, by name."""
        return self.operator.info()

    def close(self) -> None:
        self.db.close()

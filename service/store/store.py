"""The store as a whole."""

from __future__ import annotations

from service.store.api_keys import ApiKeys
from service.store.archive import RedisArchive
from service.store.bots import Bots
from service.store.connection import Connection
from service.store.due import Due
from service.store.invitations import Invitations
from service.store.live import Live
from service.store.matches import Matches
from service.store.outbox import Outbox
from service.store.owners import Owners
from service.store.quotas import Quotas
from service.store.ratings import Ratings
from service.store.schedule import Matchmaking, Schedule
from service.store.tournaments import Tournaments
from service.store.verifications import Verifications
from service.store.workers import Workers


class Store:
    """One Redis data set; safe to share between threads, to be opened anew after a fork."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.owners = Owners(db)
        self.keys = ApiKeys(db)
        self.bots = Bots(db)
        self.verifications = Verifications(db, self.bots)
        self.invitations = Invitations(db)
        self.schedule = Schedule(db)
        self.matchmaking = Matchmaking(db)
        self.quotas = Quotas(db)
        live = Live(db)
        self.tournaments = Tournaments(db, self.schedule, self.quotas, live)
        self.matches = Matches(db, RedisArchive(db), self.tournaments, self.schedule, self.quotas, live)
        self.ratings = Ratings(db)
        self.due = Due(db)
        self.outbox = Outbox(db)
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

    def close(self) -> None:
        self.db.close()

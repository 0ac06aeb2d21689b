"""Tasks by their names, so that the service can ask for work without knowing the workers.

A message is a hint (D1): to lose one, or to send one twice, changes nothing. So failing to send one is logged
and never fails the caller; the sweep finds what was not told.
"""

from __future__ import annotations

import time
from typing import Any

import structlog
from celery import Celery
from kombu.exceptions import OperationalError

from service.errors import Unavailable
from service.models import CONTROL_QUEUE, MATCH_QUEUE

PLAY = "arbiter.play"
VERIFY = "arbiter.verify"
CHECK = "arbiter.check"
EXAMINE = "arbiter.examine"
DELIVER = "arbiter.deliver"
COORDINATE = "arbiter.coordinate"
FIT = "arbiter.fit"
QUIET_S = 2.0  # after a failure nothing is sent, so that a broker that hangs is waited for once, not per hint

_log = structlog.get_logger(__name__)


class Jobs:
    """Sends hints to the workers, over a Celery app, or over a broker's URL (`at`)."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._quiet_until = 0.0

    @classmethod
    def at(cls, broker_url: str, timeout_s: float = 1.0) -> Jobs:
        """Over an app of its own; nothing is sent yet."""
        app = Celery("arbiter", broker=broker_url, set_as_current=False)
        app.conf.update(
            task_ignore_result=True,
            broker_transport_options={
                "visibility_timeout": 86_400,
                "socket_timeout": timeout_s,
                "socket_connect_timeout": timeout_s,
                "socket_keepalive": True,
                "max_retries": 1,  # of connecting
                "interval_start": 0,
            },
        )
        return cls(app)

    def play(self, match_id: str) -> bool:
        """A match may be claimed; whether the hint was sent."""
        return self._send(PLAY, MATCH_QUEUE, match_id)

    def verify(self, bot_id: str) -> bool:
        """A bot is to prove that it knows its secret."""
        return self._send(VERIFY, CONTROL_QUEUE, bot_id)

    def check(self, bot_id: str) -> bool:
        """A bot is to be looked at by the service's own wish."""
        return self._send(CHECK, CONTROL_QUEUE, bot_id)

    def examine(self, check_id: str) -> bool:
        """The doctor is to look at a bot."""
        return self._send(EXAMINE, CONTROL_QUEUE, check_id)

    def coordinate(self, tournament_id: str) -> bool:
        """A tournament may have pairings to make, or be over."""
        return self._send(COORDINATE, CONTROL_QUEUE, tournament_id)

    def fit(self, ladder: str) -> bool:
        """A ladder's ledger has grown since its ratings were fitted."""
        return self._send(FIT, CONTROL_QUEUE, ladder)

    def deliver(self) -> bool:
        """The outbox has letters."""
        return self._send(DELIVER, CONTROL_QUEUE)

    def waiting(self) -> dict[str, int]:
        """Messages that no worker has taken yet, by queue; raises Unavailable."""
        with self._app.connection_for_read() as broker:
            try:
                return {queue: _length(broker, queue) for queue in (MATCH_QUEUE, CONTROL_QUEUE)}
            except (OperationalError, *broker.connection_errors) as error:
                raise Unavailable(f"the broker does not answer: {error}", 2) from error

    def _send(self, task: str, queue: str, *args: Any) -> bool:
        if time.monotonic() < self._quiet_until:
            return False
        try:
            self._app.send_task(task, args=args, queue=queue, ignore_result=True, retry=False)
        except OperationalError as error:
            _log.warning("hint not sent", task=task, args=args, reason=str(error))
            self._quiet_until = time.monotonic() + QUIET_S
            return False
        return True


def _length(broker: Any, queue: str) -> int:
    """An empty queue does not exist."""
    try:
        return int(broker.default_channel.queue_declare(queue=queue, passive=True).message_count)
    except broker.channel_errors:
        return 0

"""gunicorn as the settings size it: one process, a thread for each open stream or poll and some for the rest.

gunicorn -c python:service.gunicorn_conf "service.app:create_app()"
"""

from __future__ import annotations

import os
import signal
from typing import Any

from service.api.desk import keep_desk
from service.api.streams import Hubs
from service.config import Settings

_settings = Settings.load(os.environ)

_host = f"[{_settings.host}]" if ":" in _settings.host else _settings.host

bind = f"{_host}:{_settings.port}"
worker_class = "gthread"
workers = 1
threads = _settings.server_threads
worker_connections = threads * 2
backlog = 512
timeout = 60
graceful_timeout = 10
keepalive = 30
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 8190
accesslog = None
errorlog = "-"
loglevel = "warning"
forwarded_allow_ips = ""  # forwarded headers are service.proxies' business
proc_name = "arbiter-api"


def post_worker_init(worker: Any) -> None:
    """Open the desk. At a stop end streams and polls first: a thread that waits would hold it up."""
    extensions = worker.app.callable.extensions
    keep_desk(extensions["arbiter-store"].desk)
    for which in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT):  # at Ctrl-C the server sends SIGQUIT
        _stop_first(which, extensions["arbiter-hubs"])


def _stop_first(which: signal.Signals, hubs: Hubs) -> None:
    handle = signal.getsignal(which)

    def stop(signum: int, frame: Any) -> None:
        hubs.stop()
        if callable(handle):
            handle(signum, frame)

    signal.signal(which, stop)

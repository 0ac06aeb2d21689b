"""What a request handler reaches for: the store, the settings, the way to the workers, the time."""

from __future__ import annotations

import time
from typing import cast

from flask import current_app

from service.config import Settings
from service.jobs import Jobs
from service.store import Store


def store() -> Store:
    """The store of this application."""
    return cast(Store, current_app.extensions["arbiter-store"])


def settings() -> Settings:
    """The settings of this application."""
    return cast(Settings, current_app.extensions["arbiter-settings"])


def jobs() -> Jobs:
    """The way to the workers."""
    return cast(Jobs, current_app.extensions["arbiter-jobs"])


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000

"""What a request handler reaches for: the store, the settings, the time."""

from __future__ import annotations

import time
from typing import cast

from flask import current_app

from service.config import Settings
from service.store import Store


def store() -> Store:
    """The store of this application."""
    return cast(Store, current_app.extensions["arbiter-store"])


def settings() -> Settings:
    """The settings of this application."""
    return cast(Settings, current_app.extensions["arbiter-settings"])


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000

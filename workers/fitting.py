"""Fits a ladder in a process of its own, so that neither its seconds nor its memory burden a worker.

python -m workers.fitting LADDER
"""

from __future__ import annotations

import os
import subprocess
import sys

import structlog

from service.config import Settings
from service.fitting import fit_ladder
from service.log import configure
from service.store import Store
from service.store.owners import now_ms

_log = structlog.get_logger(__name__)
LASTS_S = 600
NICENESS = 10


def fit(store: Store, ladder: str) -> None:
    """Have a ladder fitted, unless somebody does that already."""
    if not store.fits.begin(ladder, LASTS_S * 1000):
        return
    try:
        subprocess.run([sys.executable, "-m", "workers.fitting", ladder], check=True, timeout=LASTS_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        _log.error("ladder not fitted", ladder=ladder, reason=str(error))
    finally:
        store.fits.end(ladder)


def main(ladder: str) -> None:
    settings = Settings.load(os.environ)
    configure(settings.log_level, settings.log_format)
    os.nice(NICENESS)  # matches go first
    store = Store.connect(settings.redis_url, connections=2)
    report = fit_ladder(store, ladder, now_ms())
    _log.info("ladder fitted", ladder=ladder, games=report.games, lines=report.lines, ms=report.took_ms)


if __name__ == "__main__":
    main(sys.argv[1])

"""The API under requests made from its own description, beside a model, and under races (rows 12 to 14).

python -m tests.chaos api [--requests N] [--runs N] [--keys N]        0 leaves that part out
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from service.app import create_app
from service.config import Settings
from tests.chaos.table import Row, show
from tests.conftest import new_server
from tests.servers import kinds
from tests.service.api.conftest import SETTINGS, Person, Service
from tests.service.api.fuzz import Fuzz, Report
from tests.service.api.model import ApiModel

RACERS = 8
STEPS = 50
PER_ROUND = 12  # requests of each operation before the world is built anew


@contextmanager
def service(kind: str = "embedded") -> Iterator[Service]:
    """The application on a server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        server = new_server(kind, Path(folder)).start()
        try:
            room = {"bots_per_owner": 100_000, "checks_per_host_day": 1_000_000}
            settings = Settings(redis_url=server.url, **{**SETTINGS, **room})
            app = create_app(settings)
            yield Service(app, app.extensions["arbiter-store"], settings)
        finally:
            server.stop()


def fuzzed(wanted: int) -> list[Row]:
    """Row 12: so many requests from the description by people of every role."""
    total = Report()
    number = 0
    with service() as found:
        while total.requests < wanted:
            fuzz = Fuzz(found, number)
            fuzz.run(PER_ROUND)
            total.statuses += fuzz.report.statuses
            total.failures |= fuzz.report.failures
            number += 1
            print(f"  {total.requests} requests, {len(total.failures)} failures", file=sys.stderr, flush=True)
    for name, failure in total.failures.items():
        print(f"{name}: {failure}", file=sys.stderr)
    broken = sum(count for status, count in total.statuses.items() if status >= 500 and status != 503)
    shape = len(total.failures)
    return [
        Row("requests from the description", str(total.requests), f"≥ {wanted}", total.requests >= wanted),
        Row("5xx (503 with Retry-After aside)", str(broken), "0", broken == 0),
        Row("answers not as described", str(shape), "0", shape == 0),
    ]


def modelled(runs: int) -> list[Row]:
    """Row 13: so many runs of 50 steps beside the model."""
    chosen = hypothesis_settings(
        max_examples=runs,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    divergence = "0"
    with service() as found:
        ApiModel.redis_url, ApiModel.service = found.settings.redis_url, None
        try:
            run_state_machine_as_test(ApiModel, settings=chosen)
        except AssertionError as error:
            traceback.print_exc()
            divergence = str(error)[:60].partition("\n")[0] or "found (above)"
        finally:
            ApiModel.service = None
    return [
        Row(f"{runs} runs of {STEPS} steps beside the model: divergences", divergence, "0", divergence == "0")
    ]


def raced(keys: int, kind: str) -> list[Row]:
    """Row 14: every Idempotency-Key sent by eight at once; then once more with another body."""
    with service(kind) as found:
        ada = found.somebody()
        answers: Counter[int] = Counter()
        bodies: set[str] = set()
        for number in range(keys):
            answers.update(_race(found, ada, number, bodies))
        made = found.store.bots.list(limit=1_000_000)
        reused = Counter(_post(found, ada, number, f"other {number}")[0] for number in range(keys))
    wanted = {
        "racing requests answered 201": (answers[201], keys * RACERS),
        "resources made": (len(made.items), keys),
        "different answers": (len(bodies), keys),
        "key with another body: 422": (reused[422], keys),
    }
    return [
        Row(f"{kind}: {test}", str(reached), str(required), reached == required)
        for test, (reached, required) in wanted.items()
    ]


def _race(found: Service, ada: Person, number: int, bodies: set[str]) -> list[int]:
    got: list[tuple[int, str]] = []
    threads = [
        threading.Thread(target=lambda: got.append(_post(found, ada, number, f"bot {number}")))
        for _ in range(RACERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bodies.update(body for _, body in got)
    return [status for status, _ in got]


def _post(found: Service, ada: Person, number: int, name: str) -> tuple[int, str]:
    headers = {"Idempotency-Key": f"row-14-{number:06d}", "Authorization": f"Bearer {ada.key}"}
    about = {"name": name, "games": ["quixo"], "url": "http://127.0.0.1:9000/"}
    answer = found.app.test_client().post("/v1/bots", json=about, headers=headers)
    return answer.status_code, answer.get_data(as_text=True)


def main(argv: list[str]) -> int:
    """Run both and print the table."""
    parser = argparse.ArgumentParser(prog="chaos api", description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--keys", type=int, default=1000)
    chosen = parser.parse_args(argv)
    rows = fuzzed(chosen.requests) if chosen.requests else []
    rows += modelled(chosen.runs) if chosen.runs else []
    rows += [row for kind in kinds() for row in raced(chosen.keys, kind)] if chosen.keys else []
    return show(rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`./run bench api`: reading a match, a page of 50 ratings, asking for a match; over a constant view.

gunicorn serves on a Valkey of its own, workers idle. Clients on kept connections ask for each in turn, round
by round; the constant view (`/v1/owners/me`) is behind the same authentication and limiter. Medians count.
"""

from __future__ import annotations

import http.client
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.service.api.playing import play
from tests.service.api.served import Served

ROUNDS = 7
CLIENTS = 8
SECONDS = 1.5
REQUIRED = {"match read": 0.5, "page of 50 ratings": 0.2, "match request": 0.25}
RATED_BOTS = 60


@dataclass(frozen=True)
class Request:
    """What one client sends again and again."""

    method: str
    path: str
    body: bytes | None = None


def prepare(served: Served) -> tuple[dict[str, Request], dict[str, str]]:
    """A ladder of rated bots and a match to read; the requests, and the headers they carry."""
    headers = [served.owner("Ada"), served.owner("Bob")]
    bots = []
    for number in range(RATED_BOTS):
        about = {
            "name": f"bot {number}",
            "games": ["quixo"],
            "url": "http://127.0.0.1:9000/",
            "concurrency": 64,
        }
        bots.append(served.post("/v1/bots", json=about, headers=headers[number % 2]).json()["id"])
        served.store.verifications.passed(served.store.bots.get(bots[-1]))
    match = ""
    for first, second in zip(bots[::2], bots[1::2], strict=True):
        body = {"game": "quixo", "bots": [first, second]}
        match = served.post("/v1/matches", json=body, headers=headers[0]).json()["items"][0]["id"]
        play(served.store, match)
    requests = {
        "constant": Request("GET", "/v1/owners/me"),
        "match read": Request("GET", f"/v1/matches/{match}"),
        "page of 50 ratings": Request("GET", "/v1/ratings/quixo?limit=50"),
        "match request": Request(
            "POST", "/v1/matches", json.dumps({"game": "quixo", "bots": bots[:2]}).encode()
        ),
    }
    served.store.workers.gone("test-worker")  # nobody plays what is asked for
    return requests, headers[0]


def rate(served: Served, asked: Request, headers: dict[str, str]) -> float:
    """Requests a second that the clients get answered."""
    counts = [0] * CLIENTS
    until = time.monotonic() + SECONDS

    def client(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
        sent = headers | {"Content-Type": "application/json"}
        while time.monotonic() < until:
            connection.request(asked.method, asked.path, asked.body, sent)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status in (200, 201), body
            counts[number] += 1
        connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - began)


def measure(served: Served, report: Callable[[str], Any]) -> dict[str, float]:
    """The median over all rounds of each rate's ratio to the constant view's in the same round."""
    requests, headers = prepare(served)
    ratios: dict[str, list[float]] = {name: [] for name in REQUIRED}
    for number in range(ROUNDS):
        rates = {name: rate(served, asked, headers) for name, asked in requests.items()}
        report(f"round {number + 1}: " + ", ".join(f"{name} {found:.0f}/s" for name, found in rates.items()))
        for name, found in ratios.items():
            found.append(rates[name] / rates["constant"])
    return {name: statistics.median(found) for name, found in ratios.items()}


def main(argv: list[str]) -> int:
    """Measure and print; the exit code tells whether all ratios are as required."""
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder), open_matches_per_owner=10**8, rated_per_pair_day=10**8)
        try:
            found = measure(served, print)
        finally:
            served.close()
    for name, least in REQUIRED.items():
        print(f"{name:20} {found[name]:.2f}  (required ≥ {least})")
    return 0 if all(found[name] >= least for name, least in REQUIRED.items()) else 1

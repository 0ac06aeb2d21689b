"""1 000 Idempotency-Keys, eight requests racing for each: one resource a key (row 14, the store's part).

python -m tests.chaos store_idempotency [KEYS]
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from service.errors import Refused
from service.models import Bot
from service.store import Once, Store
from tests.chaos.store_players import crowd_of, server_of
from tests.chaos.table import Row, show
from tests.servers import kinds
from tests.service.store.make import a_match

RACING = 8


@dataclass(frozen=True)
class Outcome:
    """Matches there are, keys that answered with more than one, and other payloads that got through."""

    made: int
    split: int
    wrong_payloads: int


def race(store: Store, bots: Sequence[Bot], key: str, pool: ThreadPoolExecutor) -> tuple[bool, bool]:
    """Whether all got one answer, and whether another payload was refused in the race."""

    def ask(payload: str) -> str:
        try:
            return store.matches.create(a_match(*bots), once=Once("o_1", key, payload))[0].id
        except Refused as refused:
            return refused.problem

    payloads = ["right"] * (RACING - 1) + ["other"]
    answers = list(pool.map(ask, payloads))
    first = "right" if answers[-1] == "idempotency-key-reused" else "other"
    winners = {a for a, payload in zip(answers, payloads, strict=True) if payload == first}
    losers = {a for a, payload in zip(answers, payloads, strict=True) if payload != first}
    return len(winners) == 1, losers == {"idempotency-key-reused"}


def run(url: str, keys: int) -> Outcome:
    store = Store.connect(url)
    bots = crowd_of(store, 2)
    with ThreadPoolExecutor(RACING) as pool:
        found = [race(store, bots, f"key {number}", pool) for number in range(keys)]
    return Outcome(
        made=store.info()["matches"],
        split=sum(not one for one, _ in found),
        wrong_payloads=sum(not refused for _, refused in found),
    )


def main(argv: Sequence[str]) -> int:
    keys = int(argv[0]) if argv else 1_000
    rows = []
    for kind in kinds():
        with tempfile.TemporaryDirectory() as folder, server_of(kind, Path(folder)) as server:
            outcome = run(server.url, keys)
        name = f"{kind}: {keys} keys × {RACING} racing"
        rows += [
            Row(f"{name}: resources", str(outcome.made), str(keys), outcome.made == keys),
            Row(f"{name}: keys with two answers", str(outcome.split), "0", not outcome.split),
            Row(
                f"{name}: other payloads let through",
                str(outcome.wrong_payloads),
                "0",
                not outcome.wrong_payloads,
            ),
        ]
    return show(rows)

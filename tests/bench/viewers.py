"""`./run bench viewers`: 200 viewers of one match by server-sent events, REST asked meanwhile, a page opened.

gunicorn serves on a Valkey of its own; a match of Sorry! gets a move every 0.3 s. A process of viewers notes
when each of them has seen each move; delays count from before the move was written. Required: every viewer
sees every move, p99 of the delays ≤ 250 ms, p99 of REST ≤ 100 ms.
"""

from __future__ import annotations

import json
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from service.records import header_of
from tests.service.api.served import Served
from tests.service.web.playing import claimed, played

VIEWERS = 200
MOVES = 40
PAUSE_S = 0.3
MOST_SEEN_MS, MOST_REST_MS = 250.0, 100.0
SETTLE_S = 3.0


def p99(values: list[float]) -> float:
    return sorted(values)[int(0.99 * (len(values) - 1))]


def _figures(values: list[float]) -> str:
    return f"median {statistics.median(values):.0f} ms, p99 {p99(values):.0f} ms"


def watch(port: int, match: str, viewers: int, last: int) -> None:
    """Be the viewers: print [frame, time it came (monotonic)] for all of them as JSON."""
    chosen = selectors.DefaultSelector()
    ask = f"GET /matches/{match}/frames?after=1 HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
    seen: list[tuple[int, float]] = []
    for _ in range(viewers):
        line = socket.create_connection(("127.0.0.1", port))
        line.sendall(ask.encode())
        chosen.register(line, selectors.EVENT_READ, bytearray())
    print("ready", flush=True)
    done = 0
    while done < viewers:
        for key, _ in chosen.select():
            data = key.fileobj.recv(65536)  # type: ignore[union-attr]
            now = time.monotonic()
            rest: bytearray = key.data
            rest += data
            while (end := rest.find(b"\n\n")) >= 0:
                block, rest[: end + 2] = bytes(rest[:end]), b""
                if b"id: " in block:
                    number = int(block.split(b"id: ")[1].split(b"\n")[0])
                    seen.append((number, now))
                    done += number == last
            if not data:
                raise SystemExit("the server closed a stream")
    print(json.dumps(seen))


def rest_times(served: Served, match: str, stop: threading.Event) -> list[float]:
    """How long reading the match took, again and again, in ms."""
    times = []
    while not stop.is_set():
        began = time.monotonic()
        assert served.get(f"/v1/matches/{match}").ok
        times.append(1000 * (time.monotonic() - began))
        stop.wait(0.02)
    return times


def page_times(served: Served, match: str, rounds: int = 7) -> list[float]:
    """From asking for the page to a live board in Chromium, in ms; none without Playwright."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    from tests.browser.conftest import CHROMIUM, FLAGS

    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for _ in range(rounds):
            page = browser.new_context().new_page()
            page.goto(f"{served.base}/matches/{match}", wait_until="commit")
            page.locator("[data-match][data-ready]").wait_for()
            times.append(page.evaluate("performance.now()"))
            page.context.close()
        browser.close()
    return times


def measure(served: Served) -> dict[str, Any]:
    made = served.match()
    claim = claimed(served.store, served.store.matches.get(made))
    events = played(header_of(claim.match), bytes.fromhex(claim.match.secret), stop_after=MOVES)
    served.store.matches.append(claim, 1, events[:1])
    command = [sys.executable, "-m", "tests.bench.viewers", str(served.port), made, str(VIEWERS)]
    crowd = subprocess.Popen([*command, str(len(events))], stdout=subprocess.PIPE, text=True)
    assert crowd.stdout is not None
    assert crowd.stdout.readline() == "ready\n"
    time.sleep(SETTLE_S)
    stop, times = threading.Event(), []
    asking = threading.Thread(target=lambda: times.extend(rest_times(served, made, stop)))
    asking.start()
    written = {}
    for number, event in enumerate(events[1:], start=2):
        written[number] = time.monotonic()
        served.store.matches.append(claim, number, [event])
        time.sleep(PAUSE_S)
    seen = json.loads(crowd.stdout.readline())
    stop.set()
    asking.join()
    opened = page_times(served, made)
    delays = [1000 * (at - written[number]) for number, at in seen]
    return {"delays": delays, "rest": times, "page": opened, "wanted": VIEWERS * len(written)}


def main(argv: list[str]) -> int:
    if argv:  # one of ours: the viewers' process
        watch(int(argv[0]), argv[1], int(argv[2]), int(argv[3]))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder), max_streams=VIEWERS + 50, rate_reads="1000000 per minute")
        try:
            found = measure(served)
        finally:
            served.close()
    delays, rest = found["delays"], found["rest"]
    print(f"moves seen        {len(delays)} of {found['wanted']} ({VIEWERS} viewers)")
    print(f"seen after        {_figures(delays)} (≤ {MOST_SEEN_MS:.0f})")
    print(f"REST meanwhile    {_figures(rest)} (≤ {MOST_REST_MS:.0f})")
    if found["page"]:
        print(f"a live board      median {statistics.median(found['page']):.0f} ms after asking for the page")
    good = len(delays) == found["wanted"] and p99(delays) <= MOST_SEEN_MS and p99(rest) <= MOST_REST_MS
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

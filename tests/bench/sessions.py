"""The yardstick of `bench referee`: threads that post given requests by `requests.Session`, one each.

python -m tests.bench.sessions URL GAME MATCHES THREADS      prints: requests, CPU seconds, wall seconds
"""

from __future__ import annotations

import sys
import threading
import time

import requests

from tests.bench.referee import same_requests

Request = tuple[bytes, dict[str, str]]


def post_all(url: str, share: list[Request]) -> None:
    session = requests.Session()
    for body, headers in share:
        session.post(url, data=body, headers=headers, timeout=10).json()


def main() -> None:
    url, game, matches, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    every = list(same_requests(game, matches))
    pool = [
        threading.Thread(target=post_all, args=(url, every[number::threads])) for number in range(threads)
    ]
    begun, spent = time.perf_counter(), time.process_time()
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    print(len(every), time.process_time() - spent, time.perf_counter() - begun)


if __name__ == "__main__":
    main()

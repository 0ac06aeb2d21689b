"""A thread that watches or asks for as long as a `with` block lasts."""

from __future__ import annotations

import threading
from typing import Self


class Background(threading.Thread):
    """`run` goes on until `stopped` is set, which the end of the block does; the block ends after it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stopped = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.join()

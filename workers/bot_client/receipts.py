"""What an exchange took and, after a fault, what the bot had answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

MAX_EVIDENCE = 2048  # bytes of a body that are kept

Stamp = Literal["kernel", "monotonic", "api"]  # api: of a bot that polls


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, headers in their order, and the first 2 KiB of the body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def to_json(self) -> dict[str, Any]:
        """`body` is text: UTF-8, and `\\xNN` for every byte that is none."""
        return {
            "status": self.status,
            "headers": [list(pair) for pair in self.headers],
            "body": self.body[:MAX_EVIDENCE].decode("utf-8", "backslashreplace"),
        }


class Receipt(NamedTuple):  # one is made every turn: a dataclass takes four times as long
    """Microseconds of one exchange.

    `connect_us` (look-up and connecting), `tls_us`, `send_us`, `wait_us` (to the reply's first byte) and
    `receive_us` (from there to its last) are the last attempt's, 0 where it did not get so far or the
    connection was kept. `stall_us` is how long the reply lay in the kernel before this process took it,
    which is never charged. `charged_us` covers all attempts; `stamp` says which clock it comes from (C2).
    """

    connect_us: int = 0
    tls_us: int = 0
    send_us: int = 0
    wait_us: int = 0
    receive_us: int = 0
    stall_us: int = 0
    charged_us: int = 0
    attempts: int = 0
    stamp: Stamp = "monotonic"
    answer: Answer | None = None

    def to_json(self) -> dict[str, Any]:
        """The receipt's members; `status`, `headers` and `body` only if the answer is part of it."""
        out: dict[str, Any] = {
            "connect_us": self.connect_us,
            "tls_us": self.tls_us,
            "send_us": self.send_us,
            "wait_us": self.wait_us,
            "receive_us": self.receive_us,
            "stall_us": self.stall_us,
            "charged_us": self.charged_us,
            "attempts": self.attempts,
            "stamp": self.stamp,
        }
        return out if self.answer is None else out | self.answer.to_json()

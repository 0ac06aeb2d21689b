"""Chance that anyone can check: a committed seed, a counter stream and an unbiased shuffle.

To write it again in another language:

* **Commitment.** Before a match the server draws 32 bytes `secret` and publishes SHA-256(secret) as 64
  lower-case hex digits.
* **Seed.** Each seat may answer `start` with a nonce of up to 64 hex digits. The seed is SHA-256(secret ‖
  nonce of seat 0 ‖ nonce of seat 1 ‖ …), each nonce as the ASCII text that was sent, a missing one empty.
* **Stream.** Word number `i` (from 0) is the first 8 bytes, big-endian, of
  HMAC-SHA-256(key=seed, message = ASCII label ‖ i as 8 bytes big-endian).
* **Integer below n.** Take the next word w; refuse it while w ≥ 2⁶⁴ − (2⁶⁴ mod n); the result is w mod n.
* **Shuffle.** Fisher–Yates from the end: for i = len−1 down to 1, j = integer below i+1, swap items i and j.

Every use has a label and so a stream of its own; a later use of one label goes on where the last one
stopped (a reshuffle continues the stream, S5).

To check it: with the secret 00 01 02 … 1f and the nonces "" and "0a" the commitment is 630dcd29…bd710dd, the
seed 4c5ab9dff302c1d99a2b189d1ad1798e505866dc8d077f81b7ba128c52a5d282; the first words under the label
"deck" are b0635f2ec9892adf and 83e91bdf6e3b1bac, and the first shuffle of a b c d e f g h is c d e b f a g h.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
_WORDS = 1 << 64


def commitment(secret: bytes) -> str:
    """The hex digest that is published before the match."""
    return hashlib.sha256(secret).hexdigest()


def match_seed(secret: bytes, nonces: Iterable[str]) -> bytes:
    """The 32-byte seed from the server's secret and the seats' nonces, in the order of the seats."""
    return hashlib.sha256(secret + "".join(nonces).encode("ascii")).digest()


@dataclass(frozen=True, slots=True)
class Stream:
    """A place in a counter stream: a frozen value, so that a state can hold one."""

    seed: bytes
    label: bytes = b"deck"
    counter: int = 0

    def below(self, n: int) -> tuple[int, Stream]:
        """A uniform integer from 0 to n−1 and the stream behind it."""
        value, counter = self._below(n, self.counter)
        return value, Stream(self.seed, self.label, counter)

    def shuffled(self, items: Sequence[T]) -> tuple[tuple[T, ...], Stream]:
        """The items in a uniformly random order and the stream behind it."""
        out = list(items)
        counter = self.counter
        for i in range(len(out) - 1, 0, -1):
            j, counter = self._below(i + 1, counter)
            out[i], out[j] = out[j], out[i]
        return tuple(out), Stream(self.seed, self.label, counter)

    def _below(self, n: int, counter: int) -> tuple[int, int]:
        limit = _WORDS - _WORDS % n
        while True:
            message = self.label + counter.to_bytes(8, "big")
            word = int.from_bytes(hmac.digest(self.seed, message, "sha256")[:8], "big")
            counter += 1
            if word < limit:
                return word % n, counter

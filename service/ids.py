"""Ids that tell what they name and sort by age: `b_<rand>`, `m_<ladder>_<rand>`.

<rand> is 16 characters of Crockford's base32 in lower case: 9 of the time in ms, 7 (35 bits) random.
Within one millisecond a process's ids grow, so that what is made together keeps its order. A match's and a
tournament's id hold their ladder, so that every key of theirs follows from the id.
"""

from __future__ import annotations

import re
import secrets
import threading
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RAND = f"[{_ALPHABET}]{{16}}"
_PLAIN = re.compile(rf"[a-z]+_{_RAND}\Z")
_LADDERED = re.compile(rf"[mt]_([a-z]+(?:-[a-z]+)*)_{_RAND}\Z")


def _base32(number: int, digits: int) -> str:
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(digits)))


class _Numbers:
    """80-bit numbers, each larger than the one before: milliseconds, then 35 bits of chance."""

    def __init__(self) -> None:
        self._last = 0
        self._guard = threading.Lock()

    def next(self) -> int:
        fresh = time.time_ns() // 1_000_000 << 35 | secrets.randbits(34)
        with self._guard:
            self._last = max(fresh, self._last + 1 + secrets.randbits(16))
            return self._last


_numbers = _Numbers()


def new_id(prefix: str, ladder: str = "") -> str:
    """A new id; `ladder` for matches ("m") and tournaments ("t")."""
    rand = _base32(_numbers.next(), 16)
    return f"{prefix}_{ladder}_{rand}" if ladder else f"{prefix}_{rand}"


def id_from(prefix: str, digest: bytes) -> str:
    """An id that follows from at least 10 bytes instead of time and chance."""
    return f"{prefix}_{_base32(int.from_bytes(digest[:10], 'big'), 16)}"


def is_id(prefix: str, text: str) -> bool:
    """Whether `text` has the form of an id with that prefix."""
    form = _LADDERED if prefix in ("m", "t") else _PLAIN
    return text.startswith(f"{prefix}_") and form.match(text) is not None


def ladder_of(text: str) -> str | None:
    """The ladder in a match's or tournament's id; None if it is no such id."""
    match = _LADDERED.match(text)
    return match[1] if match else None


def at_time(ms: int) -> str:
    """The start of every <rand> made at `ms`: a bound for ids made before or after it."""
    return _base32(max(0, ms), 9)


def made_at(text: str) -> int:
    """When an id was made, in milliseconds since the epoch."""
    number = 0
    for digit in age_part(text)[:9]:
        number = number << 5 | _ALPHABET.index(digit)
    return number


def age_part(text: str) -> str:
    """The <rand> of an id, by which ids of different ladders sort by age."""
    return text.rsplit("_", 1)[-1]

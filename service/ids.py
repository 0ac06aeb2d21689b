"""Ids that tell what they name and sort by age: `b_<rand>`, `m_<ladder>_<rand>`.

<rand> is 16 characters of Crockford's base32 in lower case: 9 of the time in milliseconds, 7 (35 bits) random.
A match's and a tournament's id hold their ladder, so that every key of theirs follows from the id.
"""

from __future__ import annotations

import re
import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RAND = f"[{_ALPHABET}]{{16}}"
_PLAIN = re.compile(rf"[a-z]+_{_RAND}\Z")
_LADDERED = re.compile(rf"[mt]_([a-z]+(?:-[a-z]+)*)_{_RAND}\Z")


def _base32(number: int, digits: int) -> str:
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(digits)))


def new_id(prefix: str, ladder: str = "") -> str:
    """A new id; `ladder` for matches ("m") and tournaments ("t")."""
    rand = _base32(time.time_ns() // 1_000_000, 9) + _base32(secrets.randbits(35), 7)
    return f"{prefix}_{ladder}_{rand}" if ladder else f"{prefix}_{rand}"


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


def age_part(text: str) -> str:
    """The <rand> of an id, by which ids of different ladders sort by age."""
    return text.rsplit("_", 1)[-1]

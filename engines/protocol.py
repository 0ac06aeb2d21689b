"""The wire protocol between the service and a bot, version 1, without any I/O.

The same functions serve the referee's side and a bot's: requests are built and read, replies are built and
read, signatures are made and checked (Standard Webhooks), ownership is proven.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, NoReturn

PROTOCOL = 1
MAX_REQUEST_BYTES = 256 * 1024
MAX_REPLY_BYTES = 64 * 1024
MAX_COMMENT = 200  # code points
SECRET_PREFIX = "whsec_"
SIGNATURE_TOLERANCE_S = 300
_NONCE = re.compile(r"[0-9a-f]{0,64}\Z")
_VERIFY_CONTEXT = b"arbiter-verify-v1\n"


_write = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode
_write_canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


class MalformedReply(ValueError):
    """A reply that is not what the protocol asks for; `str()` says what came and what was expected."""


def canonical(value: object) -> bytes:
    """JSON in one agreed spelling (sorted keys, no blanks, UTF-8), for hashing."""
    return _write_canonical(value).encode()


def encode(message: Mapping[str, Any]) -> bytes:
    """A request body as it goes over the wire."""
    return _write(message).encode()


class FaultReason(StrEnum):
    """What can go wrong with a bot, as messages and records name it."""

    ILLEGAL_MOVE = "illegal-move"
    MALFORMED_REPLY = "malformed-reply"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    HTTP_ERROR = "http-error"
    TOO_LARGE = "too-large"
    RESIGNED = "resigned"
    NO_SHOW = "no-show"


# Replies


def parse_object(body: bytes) -> dict[str, Any]:
    """A JSON object, read strictly; raises MalformedReply."""
    if body.startswith(b"\xef\xbb\xbf"):
        raise MalformedReply("the reply begins with a byte-order mark; send plain UTF-8 JSON")
    try:
        text = body.decode("utf-8")
        value = _read(text)
    except UnicodeDecodeError as error:
        raise MalformedReply(f"the reply is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise MalformedReply("the reply nests too deep") from None
    except json.JSONDecodeError as error:
        raise MalformedReply(
            f"the reply is not JSON ({error.msg} at character {error.pos}); it begins {_excerpt(text)}"
        ) from None
    if not isinstance(value, dict):
        raise MalformedReply(f"the reply is {_kind(value)}; a JSON object is expected")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedReply(f"the reply has the member {_excerpt(twice)} twice")
    return out


def _no_constant(name: str) -> NoReturn:
    raise MalformedReply(f"the reply holds {name}, which is not JSON")


def _small_int(digits: str) -> int:
    if len(digits) > 19:
        raise MalformedReply(f"the reply holds a number of {len(digits)} digits")
    return int(digits)


_read = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_small_int).decode


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", int: "a number", float: "a number", bool: "a boolean"}
    return names.get(type(value), "null")


def _excerpt(text: str, length: int = 60) -> str:
    return repr(text if len(text) <= length else text[:length] + "…")


@dataclass(frozen=True, slots=True)
class MoveReply:
    """What a bot answered to `move`: a move's text or index, or None for a resignation."""

    move: str | int | None
    comment: str | None = None


def parse_move(body: bytes) -> MoveReply:
    """The answer to a `move` request; raises MalformedReply."""
    reply = parse_object(body)
    comment = reply.get("comment")
    if comment is not None and not isinstance(comment, str):
        raise MalformedReply(f"`comment` is {_kind(comment)}; a string is expected")
    if comment is not None:
        comment = scalar_text(comment[:MAX_COMMENT])
    if "resign" in reply and reply["resign"] is not False:
        if reply["resign"] is not True:
            raise MalformedReply(f"`resign` is {_kind(reply['resign'])}; true is expected")
        return MoveReply(None, comment)
    if "move" not in reply:
        raise MalformedReply('the reply has no `move`; {"move": "<text>"} or {"move": <index>} is expected')
    move = reply["move"]
    if type(move) not in (str, int):
        raise MalformedReply(f"`move` is {_kind(move)}; a move's text or its index is expected")
    return MoveReply(scalar_text(move) if isinstance(move, str) else move, comment)


def scalar_text(text: str) -> str:
    """`text` with "?" for lone surrogates, which JSON escapes may spell and UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()


def parse_nonce(body: bytes) -> str:
    """The nonce in an answer to `start`, empty if there is none; raises MalformedReply."""
    nonce = parse_object(body).get("nonce", "")
    if not isinstance(nonce, str) or not _NONCE.match(nonce):
        raise MalformedReply("`nonce` must be a string of up to 64 hex digits in lower case")
    return nonce


# Ownership and signatures


def verify_request(challenge: str) -> dict[str, Any]:
    """Asks for proof that the bot knows its secret; `challenge` is 64 hex digits."""
    return {"protocol": PROTOCOL, "type": "verify", "challenge": challenge}


@lru_cache(maxsize=1024)
def secret_bytes(secret: str) -> bytes:
    """The bytes behind `whsec_…`; raises ValueError."""
    if not secret.startswith(SECRET_PREFIX):
        raise ValueError(f"a signing secret begins with {SECRET_PREFIX}")
    try:
        return base64.b64decode(secret[len(SECRET_PREFIX) :], validate=True)
    except binascii.Error:
        raise ValueError(f"what follows {SECRET_PREFIX} is not base64") from None


def verify_answer(secret: str, challenge: str) -> str:
    """What a bot that knows `secret` answers to the challenge, in hex."""
    return hmac.digest(secret_bytes(secret), _VERIFY_CONTEXT + challenge.encode(), hashlib.sha256).hex()


def check_verify_answer(secret: str, challenge: str, body: bytes) -> None:
    """Raise MalformedReply unless `body` answers the challenge."""
    answer = parse_object(body).get("answer")
    if not isinstance(answer, str):
        raise MalformedReply('the reply has no `answer`; {"answer": "<hex>"} is expected')
    if not hmac.compare_digest(answer.encode("utf-8", "replace"), verify_answer(secret, challenge).encode()):
        raise MalformedReply("`answer` is not the HMAC of the challenge: the bot holds another secret")


def sign(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The Standard Webhooks headers over the raw body; several secrets while one is being rotated."""
    values = " ".join(f"v1,{_signature(s, message_id, timestamp, body)}" for s in secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": values,
    }


def _signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    signed = f"{message_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.digest(secret_bytes(secret), signed, hashlib.sha256)).decode()


def check_signature(secret: str, headers: Mapping[str, str], body: bytes, now: int) -> bool:
    """Whether the headers sign the body with `secret`, not more than five minutes from `now` (seconds)."""
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdecimal() or len(stamp) > 12 or abs(int(stamp) - now) > SIGNATURE_TOLERANCE_S:
        return False
    expected = _signature(secret, headers.get("webhook-id", ""), int(stamp), body)
    given = [v[3:] for v in headers.get("webhook-signature", "").split(" ") if v.startswith("v1,")]
    return any(hmac.compare_digest(value.encode(), expected.encode()) for value in given)

"""Idempotency-Key: a creating request that comes again makes nothing new."""

from __future__ import annotations

import hashlib
import re

from flask import request

from service.api.auth import address
from service.api.errors import ApiError
from service.api.objects import asker_id
from service.store.once import Once

_FORM = re.compile(r"[\x21-\x7e]{8,128}\Z")
HEADER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "8 to 128 printable characters, best a UUID. For 24 hours the same key with the same "
    "request makes nothing new and answers with what was made; with another request it answers 422.",
    "schema": {"type": "string", "minLength": 8, "maxLength": 128, "pattern": "^[!-~]{8,128}$"},
}


def once() -> Once | None:
    """Whose key came with which request; None if there is none. Raises ApiError."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not _FORM.match(key):
        raise ApiError(
            "bad-request",
            "Idempotency-Key must be 8 to 128 printable ASCII characters; a UUID does.",
            (("Idempotency-Key", "must be 8 to 128 printable ASCII characters"),),
        )
    seen = hashlib.sha256(f"{request.method} {request.path}\n".encode() + request.get_data())
    return Once(asker_id() or address(), key, seen.hexdigest())

"""Whether a reply to a challenge shows a secret that the bot may hold."""

from __future__ import annotations

from collections.abc import Sequence

from engines.protocol import MalformedReply, check_verify_answer


def prove(secrets: Sequence[str], challenge: str, reply: bytes) -> None:
    """Raise MalformedReply, about the newest secret, unless the reply shows one of them."""
    first: MalformedReply | None = None
    for secret in secrets:
        try:
            check_verify_answer(secret, challenge, reply)
        except MalformedReply as error:
            first = first or error
        else:
            return
    if first:
        raise first

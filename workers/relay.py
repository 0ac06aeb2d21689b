"""A program of this machine as a bot that fetches its turns: messages go to it, its replies go back.

So a program in any language that only answers HTTP plays from behind any router.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from bots.sdk.responder import Answer, Responder, log
from engines.protocol import MalformedReply, encode, parse_object, sign
from workers.bot_client import BotFault, Endpoint, Line, Network

WAIT_US = 30_000_000  # for what is not on the clock
TRIES = 3


class Relay(Responder):
    """Answers as the program at `url` does. It is signed to with `secret`, which both hold."""

    def __init__(self, name: str, games: Sequence[str], url: str, secret: str, network: Network) -> None:
        super().__init__(name)
        self._games, self._endpoint = list(games), Endpoint.parse(url)
        self._secret, self._network = secret, network

    @property
    def games(self) -> list[str]:
        """What it is registered for."""
        return self._games

    def answer(self, message: Mapping[str, Any], secret: str | None) -> Answer:
        """The program's reply; what is none is told here, and passed on as a malformed one."""
        body = encode({name: value for name, value in message.items() if name != "message_id"})
        headers = sign([self._secret], message["message_id"], int(time.time()), body)
        headers["content-type"] = "application/json"
        try:
            with closing(Line(self._endpoint, self._network)) as line:
                return Answer(parse_object(line.post(body, headers, _limit_us(message), tries=TRIES).body))
        except (MalformedReply, BotFault) as error:
            log.warning("%s %s: %s", self.name, message["message_id"], error)
            return Answer({"no_reply": str(error)})


def _limit_us(message: Mapping[str, Any]) -> int:
    if message["type"] != "move":
        return WAIT_US
    clock = message["clock"]
    return int(clock["limit_ms"] + clock["allowance_ms"]) * 1000

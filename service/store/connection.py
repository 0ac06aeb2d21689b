"""The way to Redis: bounded in time and connections, and its failures named as the service names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import redis
from redis.backoff import ExponentialWithJitterBackoff
from redis.client import NEVER_DECODE
from redis.exceptions import (
    BusyLoadingError,
    ConnectionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TimeoutError,
)
from redis.retry import Retry

from service.errors import Unavailable
from service.store.scripts import Script, script

Word = str | bytes | int | float
_REFUSING = ("OOM", "MISCONF", "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "NOREPLICAS", "BUSY ")


class Call(NamedTuple):
    """A script with its keys and arguments."""

    name: str
    keys: Sequence[str]
    args: Sequence[object] = ()


class Connection:
    """Commands and scripts. Every call answers or raises Unavailable within the time limits.

    A call that failed may have been carried out: redis-py repeats it, and so may the caller. Every write of
    the store is therefore one that may come twice.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.client: Any = client  # its commands carry no useful types
        self._kept: Any = None

    @classmethod
    def open(cls, url: str, timeout_s: float, retries: int, connections: int) -> Connection:
        """A pool on the server at `url`; nothing is sent yet."""
        pool = redis.BlockingConnectionPool.from_url(
            url,
            decode_responses=True,
            max_connections=connections,
            timeout=timeout_s,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            socket_keepalive=True,
            health_check_interval=15,
            retry=Retry(ExponentialWithJitterBackoff(base=0.02, cap=0.2), retries),
        )
        return cls(redis.Redis(connection_pool=pool))

    def run(self, *command: Word) -> Any:
        """One command, its answer as text."""
        with named_failures():
            return self.client.execute_command(*command)

    def run_raw(self, *command: Word) -> Any:
        """One command, its answer as bytes."""
        with named_failures():
            return self.client.execute_command(*command, **{NEVER_DECODE: True})

    def many(self, commands: Iterable[Sequence[Word]], atomic: bool = False) -> list[Any]:
        """Several commands in one round trip; `atomic`: in one transaction."""
        pipe = self.client.pipeline(transaction=atomic)
        for command in commands:
            pipe.execute_command(*command)
        with named_failures():
            answers: list[Any] = pipe.execute()
        return answers

    def calls(self, calls: Sequence[Call]) -> list[Any]:
        """Several scripts in one round trip; each is atomic, all of them together are not."""
        pipe = self.client.pipeline(transaction=False)
        for call in calls:
            pipe.execute_command(*_command(call))
        with named_failures():
            answers: list[Any] = pipe.execute(raise_on_error=False)
        return [self._answer(call, answer) for call, answer in zip(calls, answers, strict=True)]

    def outcomes(self, calls: Sequence[Call]) -> list[Any]:
        """As `calls`, for one thread at a time, over a connection kept for it: each call's answer or failure.

        A third of what it costs to go through a pool and a pipeline.
        """
        commands = list(map(_command, calls))
        try:
            with named_failures():
                answers = self._kept_answers(commands)
        except Unavailable as error:
            return [Unavailable(error.detail, error.retry_after_s) for _ in calls]
        return [self._outcome(call, answer) for call, answer in zip(calls, answers, strict=True)]

    def _kept_answers(self, commands: Sequence[Sequence[object]]) -> list[Any]:
        if self._kept is None:
            self._kept = self.client.connection_pool.get_connection()
        kept = self._kept

        def exchange() -> list[Any]:
            kept.send_packed_command(kept.pack_commands(commands))
            return [_reply(kept) for _ in commands]

        answers: list[Any] = kept.retry.call_with_retry(exchange, lambda _: kept.disconnect())
        return answers

    def _outcome(self, call: Call, answer: Any) -> Any:
        try:
            return self._answer(call, answer)
        except (Unavailable, ResponseError) as error:
            return error

    def _answer(self, call: Call, answer: Any) -> Any:
        if isinstance(answer, NoScriptError):
            return self.call(*call)
        with named_failures():
            if isinstance(answer, Exception):
                raise answer
        return answer

    def call(self, name: str, keys: Sequence[str], args: Iterable[object] = (), raw: bool = False) -> Any:
        """Run lua/<name>.lua; `raw`: its answer as bytes."""
        with named_failures():
            return self._call(script(name), [*keys, *args], len(keys), {NEVER_DECODE: True} if raw else {})

    def _call(self, wanted: Script, words: Sequence[object], keys: int, how: dict[str, bool]) -> Any:
        try:
            return self.client.execute_command("EVALSHA", wanted.sha, keys, *words, **how)
        except NoScriptError:
            return self.client.execute_command("EVAL", wanted.text, keys, *words, **how)

    def close(self) -> None:
        """Give every descriptor back; a later call connects again."""
        self.client.connection_pool.disconnect()


def _command(call: Call) -> list[object]:
    return ["EVALSHA", script(call.name).sha, len(call.keys), *call.keys, *call.args]


def _reply(connection: Any) -> Any:
    """The next answer, or the error that it is."""
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


@contextmanager
def named_failures() -> Iterator[None]:
    """Turn what Redis cannot do just now into Unavailable, with the cause in words."""
    try:
        yield
    except OutOfMemoryError as error:
        raise Unavailable("Redis is full (maxmemory is reached); nothing was written", 10) from error
    except BusyLoadingError as error:
        raise Unavailable("Redis is loading its data", 2) from error
    except ReadOnlyError as error:
        raise Unavailable("Redis is a read-only replica just now", 2) from error
    except TimeoutError as error:
        raise Unavailable(f"Redis did not answer in time: {error}", 2) from error
    except ConnectionError as error:
        raise Unavailable(f"Redis cannot be reached: {error}", 2) from error
    except ResponseError as error:
        if not str(error).startswith(_REFUSING):
            raise
        raise Unavailable(f"Redis refuses to work just now: {error}", 5) from error

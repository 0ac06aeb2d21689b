"""Calls of many threads in one round trip: each gets its own answer, or its own failure (D2)."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis.exceptions import DataError, ResponseError

from service.errors import Unavailable
from service.store import scripts
from service.store.connection import Call, Connection
from service.store.together import Together

THREADS = 20


@pytest.fixture
def script(monkeypatch):
    """Have a script under a name of its own."""

    def have(name: str, text: str) -> None:
        whole = scripts.script
        mine = scripts.Script.of(text)
        monkeypatch.setattr("service.store.connection.script", lambda n: mine if n == name else whole(n))

    return have


def many(function, count=400):
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(function, range(count)))


def test_each_call_gets_its_own_answer_once_it_is_carried_out(store, script):
    script("echo", "redis.call('INCR', KEYS[1]); return ARGV[1]")
    together = Together(store.db)
    assert many(lambda n: int(together.call(Call("echo", ["{x}:count"], [n])))) == list(range(400))
    assert store.db.run("GET", "{x}:count") == "400"


def test_calls_that_wait_go_in_one_round_trip(store, script, monkeypatch):
    script("slow", "for i = 1, 100000 do end; return ARGV[1]")
    sizes = []
    outcomes = Connection.outcomes
    monkeypatch.setattr(
        Connection, "outcomes", lambda db, calls: sizes.append(len(calls)) or outcomes(db, calls)
    )
    together = Together(store.db)
    many(lambda n: together.call(Call("slow", ["{x}"], [n])))
    assert sum(sizes) == 400
    assert max(sizes) > 1


def test_a_call_that_fails_fails_alone(store, script):
    script("odd", "if ARGV[1] % 2 == 1 then return redis.error_reply('odd ' .. ARGV[1]) end; return ARGV[1]")
    together = Together(store.db)

    def outcome(number):
        try:
            return together.call(Call("odd", ["{x}"], [number]))
        except ResponseError as error:
            return str(error)

    assert many(outcome) == [f"odd {n}" if n % 2 else str(n) for n in range(400)]


def test_a_server_that_is_away_fails_all_and_they_go_on_when_it_is_back(redis_server, script):
    script("echo", "return ARGV[1]")
    db = Connection.open(redis_server.url, timeout_s=0.2, retries=0, connections=THREADS)
    together = Together(db)

    def failure(number):
        with pytest.raises(Unavailable) as failed:
            together.call(Call("echo", ["{x}"], [number]))
        return failed.value

    redis_server.pause()
    try:
        failures = many(failure, THREADS)
    finally:
        redis_server.go_on()
    assert len(set(map(id, failures))) == THREADS  # each thread raises an error of its own
    assert many(lambda n: int(together.call(Call("echo", ["{x}"], [n])))) == list(range(400))
    db.close()


def test_closing_gives_every_connection_back(redis_server, script):
    script("echo", "return ARGV[1]")
    db = Connection.open(redis_server.url, timeout_s=1, retries=0, connections=4)
    together = Together(db)
    with redis_server.client() as client:
        before = len(client.client_list())
        for number in "12":
            assert together.call(Call("echo", ["{x}"], [number])) == number  # also after it was closed
            assert (db.run("ECHO", "there"), len(client.client_list())) == ("there", before + 2)
            db.close()
            deadline = time.monotonic() + 5
            while len(client.client_list()) > before and time.monotonic() < deadline:
                time.sleep(0.01)
            assert len(client.client_list()) == before


def test_a_call_that_cannot_be_written_strands_nobody(store, script):
    script("echo", "return ARGV[1]")
    together = Together(store.db)

    def outcome(number):
        try:
            return together.call(Call("echo", ["{x}"], [None if number % 9 == 7 else number]))
        except (DataError, RuntimeError) as error:
            return error

    found = many(outcome)
    assert any(isinstance(error, DataError) for error in found)
    assert all(str(n) == answer for n, answer in enumerate(found) if isinstance(answer, str))
    assert together.call(Call("echo", ["{x}"], [1])) == "1"

"""No bot, however broken, holds up or hurts anything."""

import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engines.protocol import MalformedReply, parse_move
from tests.hostile import BEHAVIOURS, hostile
from workers.bot_client import BotFault, Endpoint, Line

LIMIT_S = 0.3
SLACK_S = 0.25
MOVE = b'{"legal_moves":["a1E","c1N"],"seat":0,"history":[{"seat":1,"move":"e1W"}]}'


def open_descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


def ask(line, body=MOVE):
    """(the exchange or the fault, how long it took in seconds)"""
    begun = time.monotonic()
    try:
        result = line.post(body, {}, int(LIMIT_S * 1e6))
    except BotFault as fault:
        result = fault
    return result, time.monotonic() - begun


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_hostile_bot_ends_in_time_as_its_own_fault(name, network):
    behaviour = BEHAVIOURS[name]
    with hostile(name) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        result, took_s = ask(line)
        line.close()
    assert took_s <= LIMIT_S + SLACK_S
    if behaviour.noticed_by == "client" and behaviour.reason:
        assert isinstance(result, BotFault), result
        assert result.reason is behaviour.reason, result.detail
        assert result.detail
        assert result.receipt.attempts >= 1
    else:
        assert not isinstance(result, BotFault), result.detail
    if behaviour.noticed_by == "reader":
        with pytest.raises(MalformedReply):
            parse_move(result.body)
    if "redirect" in name:
        assert bot.connections == 1


def test_all_at_once_leave_no_descriptor_thread_or_memory_behind(network):
    def visit(name):
        with hostile(name) as bot:
            line = Line(Endpoint.parse(bot.url), network)
            for _ in range(3):
                ask(line)
            line.close()

    visit("404")  # what is made once is made now
    descriptors, threads = open_descriptors(), threading.active_count()
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(visit, BEHAVIOURS))
    assert open_descriptors() == descriptors
    assert threading.active_count() == threads
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_kib <= 20 * 1024


@pytest.mark.parametrize(
    "name",
    [
        "two replies",
        "a second reply a little later",
        "keep-alive that dies between turns",
        "keep-alive that dies as the next request comes",
    ],
)
def test_turns_go_on_and_no_stale_reply_is_taken(name, network):
    with hostile(name) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        for _ in range(4):
            exchange, _ = ask(line)
            assert exchange.body == b'{"move":"c1N"}'
            time.sleep(0.02)
        line.close()

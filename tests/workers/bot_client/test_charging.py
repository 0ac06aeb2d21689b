"""A bot is charged its own time and nothing else (C1, C2, C3)."""

import dataclasses
import itertools
import signal
import threading
import time

import pytest

from tests.clockwork import ask, loopback_network, refereed, timed_bot
from tests.hostile import GOOD, head, reply, serving
from workers.bot_client import BotFault, Clocks, Endpoint, Guard, Line, Network
from workers.bot_client.clocks import Arrival, Deadline, Instant, span

MS = 1_000_000  # ns
WALL = 1_700_000_000_000 * MS
START = Instant(5_000 * MS, WALL)
HOUR, DAY = 3_600_000, 86_400_000


def arrival(seen_ms, kernel_ms, moved_ms=0.0):
    """Seen and stamped so many ms after START, the wall clock having been set by `moved_ms` in between."""
    seen = Instant(START.mono_ns + int(seen_ms * MS), START.wall_ns + int((seen_ms + moved_ms) * MS))
    return Arrival(seen, None if kernel_ms is None else START.wall_ns + int((kernel_ms + moved_ms) * MS))


@pytest.mark.parametrize(
    ("came", "us", "stamp", "stall_us"),
    [
        (arrival(100, 100), 100_000, "kernel", 0),
        (arrival(400, 100), 100_000, "kernel", 300_000),
        (arrival(100.0009, 100.0004), 100_000, "kernel", 0),  # whole microseconds, rounded down
        (arrival(100, None), 100_000, "monotonic", 0),
        (arrival(100, 100, moved_ms=2), 100_000, "kernel", 0),  # at most 2 ms: the smaller of the two
        (arrival(100, 90, moved_ms=-2), 88_000, "kernel", 12_000),
        (arrival(100, 90, moved_ms=2.001), 100_000, "monotonic", 0),
        (arrival(100, 90, moved_ms=-2.001), 100_000, "monotonic", 0),
        (arrival(100, 90, moved_ms=HOUR), 100_000, "monotonic", 0),
        (arrival(100, 90, moved_ms=-HOUR), 100_000, "monotonic", 0),
        (arrival(100, 90, moved_ms=DAY), 100_000, "monotonic", 0),
        (arrival(100, 90, moved_ms=-DAY), 100_000, "monotonic", 0),
        (arrival(1, -0.5), 0, "kernel", 1_000),  # it answered before the request's last byte had left
        (arrival(100, -HOUR), 100_000, "monotonic", 0),  # no such stamp can be true
        (arrival(100, HOUR), 100_000, "monotonic", 0),
    ],
)
def test_the_charge_is_the_smaller_of_two_clocks_unless_the_wall_clock_was_set(came, us, stamp, stall_us):
    assert span(START, came) == (us, stamp, stall_us)


@pytest.mark.parametrize(
    ("seen_ms", "kernel_ms", "missed"), [(50, 50, 0), (50.001, 50.001, 1), (900, 50, 0), (900, 51, 1)]
)
def test_a_deadline_is_missed_by_arriving_late_not_by_being_seen_late(seen_ms, kernel_ms, missed):
    deadline = Deadline(START, 50_000, Clocks())
    assert deadline.missed(arrival(seen_ms, kernel_ms)) == bool(missed)


def test_both_clocks_are_read_at_one_moment():
    readings = iter([0, 30 * MS, 30 * MS, 30 * MS + 500])  # torn at first, by 30 ms
    walls = iter([WALL, WALL + 30 * MS])
    clocks = Clocks(lambda: next(readings), lambda: next(walls))
    assert clocks.now() == (30 * MS, WALL + 30 * MS)


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_a_bots_own_time_is_charged(tls):
    with timed_bot(tls) as url:
        line = Line(Endpoint.parse(url), loopback_network())
        turns = [ask(line, 20_000) for _ in range(20)]
        line.close()
    over_us = sorted(turn["charged_us"] - turn["took_us"] for turn in turns)
    assert over_us[0] >= 0
    assert over_us[10] <= 5_000
    assert {turn["stamp"] for turn in turns[1:]} == {"kernel"}
    assert (turns[0]["tls_us"] > 0) == tls
    assert turns[0]["connect_us"] > 0
    assert turns[1]["connect_us"] == turns[1]["tls_us"] == 0
    for turn in turns:
        assert turn["wait_us"] + turn["receive_us"] == turn["charged_us"]
        assert turn["attempts"] == 1


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_a_referee_that_was_stopped_charges_the_bots_time(tls):
    with timed_bot(tls) as url:
        ask_twice = refereed(url, 2, 250)
        next(ask_twice), next(ask_twice)  # the first turn connects
        process, _ = next(ask_twice)
        time.sleep(0.1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.8)
        process.send_signal(signal.SIGCONT)
        _, turn = next(ask_twice)
        ask_twice.close()
    assert abs(turn["charged_us"] - turn["took_us"]) <= 10_000
    assert turn["stall_us"] >= 400_000
    assert turn["stamp"] == "kernel"


def test_a_busy_referee_charges_the_bots_time():
    idle = threading.Event()

    def burn():
        while not idle.is_set():
            pass

    burners = [threading.Thread(target=burn) for _ in range(4)]
    with timed_bot() as url:
        line = Line(Endpoint.parse(url), loopback_network())
        ask(line, 0)
        for burner in burners:
            burner.start()
        turns = [ask(line, 30_000) for _ in range(15)]
        idle.set()
        line.close()
    over_us = sorted(turn["charged_us"] - turn["took_us"] for turn in turns)
    stalls_us = sorted(turn["stall_us"] for turn in turns)
    assert over_us[0] >= -2_000
    assert over_us[7] <= 5_000
    assert stalls_us[7] > 5_000  # what Python's own clock would have charged


def test_the_reply_is_charged_up_to_its_last_byte(network):
    def in_pieces(visit):
        while visit.read() is not None:
            visit.send(head("200 OK", f"Content-Length: {len(GOOD)}"))
            visit.wait(0.05)
            visit.send(GOOD[:5])
            visit.wait(0.05)
            visit.send(GOOD[5:])

    with serving(in_pieces) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        for _ in range(3):
            receipt = line.post(b"{}", {}, 1_000_000).receipt
            assert receipt.charged_us >= 100_000
            assert receipt.receive_us >= 95_000
        line.close()


def test_a_drip_counts_against_one_total_deadline(network):
    """Every byte comes well within the limit; all of them do not (C3)."""

    def drip(visit):
        visit.read()
        visit.drip(reply(), 0.05)

    with serving(drip) as bot:
        begun = time.monotonic()
        with pytest.raises(BotFault) as fault:
            Line(Endpoint.parse(bot.url), network).post(b"{}", {}, 200_000)
        assert time.monotonic() - begun <= 0.45
    assert fault.value.reason == "timeout"
    assert 200_000 < fault.value.receipt.charged_us <= 450_000


def test_a_signal_puts_no_deadline_off(network):
    """A stop and whatever else interrupts a call that waits has it begin anew, with the whole time."""
    ended = []

    def silent(visit):
        visit.read()
        visit.until_hung_up()

    def ask_in_vain(url):
        with pytest.raises(BotFault):
            Line(Endpoint.parse(url), network).post(b"{}", {}, 1_000_000)
        ended.append(time.monotonic())

    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with serving(silent) as bot:
            begun = time.monotonic()
            waiting = threading.Thread(target=ask_in_vain, args=(bot.url,))
            waiting.start()
            time.sleep(0.9)
            signal.pthread_kill(waiting.ident, signal.SIGUSR1)
            waiting.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert 1.0 <= ended[0] - begun < 1.5


def test_a_wall_clock_may_be_set_at_any_reading(network):
    """Also between the kernel's stamp of a request and the reading that it is compared with."""

    def answer(visit):
        while visit.read() is not None:
            visit.wait(0.02)
            visit.send(reply())

    def set_at(reading):
        counted = itertools.count()
        return Clocks(time_ns=lambda: time.time_ns() + HOUR * MS * (next(counted) >= reading))

    with serving(answer) as bot:
        for reading in range(12):
            line = Line(Endpoint.parse(bot.url), dataclasses.replace(network, clocks=set_at(reading)))
            for _ in range(2):
                assert line.post(b"{}", {}, 1_000_000).receipt.charged_us < 500_000, reading
            line.close()


@pytest.mark.parametrize("jump_ms", [HOUR, -HOUR, DAY, -DAY, 1000, -1000, 5, -5])
def test_a_wall_clock_that_is_set_flags_nobody(jump_ms):
    offset_ns = 0
    network = Network(Guard.of(["127.0.0.0/8"]), clocks=Clocks(time_ns=lambda: time.time_ns() + offset_ns))

    def answer(visit):
        nonlocal offset_ns
        while visit.read() is not None:
            visit.wait(0.02)
            if len(visit.requests) == 2:
                offset_ns += jump_ms * MS
            visit.wait(0.02)
            visit.send(reply())

    with serving(answer) as bot:
        line = Line(Endpoint.parse(bot.url), network)
        for turn in range(3):
            receipt = line.post(b"{}", {}, 400_000).receipt
            assert 30_000 <= receipt.charged_us <= 200_000
            assert turn != 1 or receipt.stamp == "monotonic"
        line.close()
    assert len(bot.requests) == 3

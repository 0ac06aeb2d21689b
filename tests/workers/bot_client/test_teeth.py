"""Each guard of the client, taken out, makes its own test fail."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CLIENT = "workers/bot_client/"
TESTS = "tests/workers/bot_client/"

# what is taken out, where, what stands there, what stands there instead, the test that must fail
GUARDS = [
    (
        "the pinned address",
        "dial.py",
        "_connect_to(address, share_us",
        "_connect_to(network.resolver.resolve(host, port, deadline, cut)[0], share_us",
        "test_address.py::test_no_rebinding_name_leads_past_the_guard",
    ),
    (
        "the judging of addresses",
        "dial.py",
        "network.guard.check(address.sockaddr[0])",
        "pass",
        "test_address.py::test_no_form_of_url_reaches_this_machine",
    ),
    (
        "the size bound",
        "http1.py",
        "from engines.protocol import MAX_REPLY_BYTES",
        "MAX_REPLY_BYTES = 10**15",
        "test_hostile.py::test_a_hostile_bot_ends_in_time_as_its_own_fault[endless body]",
    ),
    (
        "the bound on headers",
        "http1.py",
        "MAX_HEAD = 16 * 1024",
        "MAX_HEAD = 10**15",
        "test_hostile.py::test_a_hostile_bot_ends_in_time_as_its_own_fault[endless headers]",
    ),
    (
        "the total deadline",
        "exchange.py",
        "piece = channel.receive(deadline)",
        "piece = channel.receive(Deadline(self._network.clocks.now(), deadline.limit_us, deadline.clocks))",
        "test_charging.py::test_a_drip_counts_against_one_total_deadline",
    ),
    (
        "the refusal of encodings",
        "http1.py",
        'if encodings := reply.values("content-encoding"):',
        "if encodings := []:",
        "test_hostile.py::test_a_hostile_bot_ends_in_time_as_its_own_fault[gzip bomb]",
    ),
    (
        "the kernel's receive stamp",
        "connection.py",
        "stamps.stamp_ns(ancillary))",
        "None)",
        "test_charging.py::test_a_referee_that_was_stopped_charges_the_bots_time",
    ),
    (
        "the kernel's transmit stamp",
        "connection.py",
        "stamp_ns = stamps.sent_ns(self._sock, before.wall_ns)",
        "stamp_ns = stamps.sent_ns(self._sock, before.wall_ns) and None",
        "test_charging.py::test_a_busy_referee_charges_the_bots_time",
    ),
    (
        "the distrust of a wall clock that was set",
        "clocks.py",
        "MAX_MOVED_NS = 2_000_000",
        "MAX_MOVED_NS = 10**18",
        "test_charging.py::test_a_wall_clock_that_is_set_flags_nobody",
    ),
    (
        "the look at a kept connection",
        "exchange.py",
        "not self._channel.is_quiet()",
        "False",
        "test_hostile.py::test_turns_go_on_and_no_stale_reply_is_taken[a second reply a little later]",
    ),
    (
        "the clock that runs over attempts",
        "exchange.py",
        "progress.running_since = progress.running_since or progress.sent",
        "progress.running_since = progress.sent",
        "test_exchange.py::test_hanging_up_gains_no_time_to_think",
    ),
]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The source tree, to be spoiled."""
    folder = tmp_path_factory.mktemp("teeth")
    for name in ("engines", "service", "workers", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def passes(folder, test):
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", TESTS + test]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr  # anything else is no test result
    return done.returncode == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "guard", "instead", "test"), [g[1:] for g in GUARDS], ids=[g[0] for g in GUARDS]
)
def test_a_guard_that_is_taken_out_is_missed(copied, file, guard, instead, test):
    path = copied / CLIENT / file
    source = path.read_text()
    assert source.count(guard) == 1
    assert passes(copied, test)
    path.write_text(source.replace(guard, instead))
    try:
        assert not passes(copied, test)
    finally:
        path.write_text(source)

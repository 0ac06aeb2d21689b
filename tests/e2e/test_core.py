"""Where the threads of worker processes run."""

import os
from pathlib import Path

import pytest


def cores_of(process):
    """The cores that the threads of a process may use."""
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    return {frozenset(os.sched_getaffinity(int(thread.name))) for thread in threads}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_the_threads_of_a_referee_share_a_core_and_those_of_others_do_not(service):
    referee, control = service.stack.parts["worker"], service.stack.parts["control"]
    (cores,) = cores_of(referee)
    assert len(cores) == 1
    assert cores_of(control) == {frozenset(os.sched_getaffinity(0))}

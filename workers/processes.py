"""Child processes that never outlive their parent, however it ends.

On Linux the kernel sends a child SIGTERM when its parent dies (PR_SET_PDEATHSIG). It looks at the parent's
*thread*, so children are started from threads that last. Elsewhere a child ends when it is stopped.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1
# Loaded before any fork: a child between fork and exec must not load libraries.
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def start(
    command: Sequence[str], log: Path, environ: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own, so that Ctrl-C reaches it through us only.

    Its output is appended to `log`; `environ` is added to ours.
    """
    parent = os.getpid()
    with log.open("ab") as out:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environ or {})},
            preexec_fn=lambda: _tie_to(parent),
        )


def _tie_to(parent: int) -> None:
    os.setpgid(0, 0)
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died in between
            os._exit(1)


def stop(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """SIGTERM, `grace_s` seconds to end, then SIGKILL."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()

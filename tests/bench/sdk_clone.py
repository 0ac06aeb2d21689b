"""The part of `./run bench sdk` about beginners: the README's own commands, from a clone to a rated match."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import requests

from workers.embedded import free_port

ROOT = Path(__file__).resolve().parents[2]
HEADING = "## From a clone to a rated match"
RIVAL = "Berna-quixo"
PATIENCE_S = 300.0
MOST = 4


def commands() -> list[str]:
    """The first block behind the README's heading, a command a line, without comments."""
    text = (ROOT / "README.md").read_text().partition(f"{HEADING}\n")[2]
    block = re.search(r"(?:^    .*\n)+", text, re.MULTILINE)
    assert block, f"README.md has no commands behind {HEADING!r}"
    return [line.partition("  #")[0].strip() for line in block[0].splitlines()]


def first_match() -> None:
    """Clone this repository into an empty folder and follow the README; prints what each command takes."""
    clone, demo, *own = commands()
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="arbiter-") as folder:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("ARBITER_")}
        environ |= {"HOME": folder, "ARBITER_SERVER": f"http://127.0.0.1:{port}"}
        took = {clone: _timed(clone.replace("REPOSITORY", str(ROOT)), Path(folder), environ)}
        root = Path(folder) / "arbiter"
        begun = time.perf_counter()
        running = subprocess.Popen(
            ["bash", "-c", f"exec {demo} --port {port}"], cwd=root, env=environ, stdout=subprocess.DEVNULL
        )
        try:
            _wait_for_rival(running, port)
            took[demo] = time.perf_counter() - begun
            for command in own:
                once = " --once" if command is own[-1] else ""
                took[command] = _timed(command + once, root, environ)
        finally:
            running.terminate()
            running.wait(30)
    for command, seconds in took.items():
        print(f"  {seconds:6.1f} s  {command}")
    against_running = sum(took.values()) - took[demo]
    print(
        f"from a clone to a rated match: {len(took)} commands (required: ≤ {MOST}), {against_running:.0f} s"
        f" against the running demo, {sum(took.values()):.0f} s with its start (packages installed)"
    )


def _timed(command: str, folder: Path, environ: Mapping[str, str]) -> float:
    begun = time.perf_counter()
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environ, capture_output=True, text=True)
    if done.returncode or ("--against" in command and "rated " not in done.stdout):
        raise SystemExit(f"{command} failed:\n{done.stdout}{done.stderr}")
    return time.perf_counter() - begun


def _wait_for_rival(demo: subprocess.Popen[bytes], port: int) -> None:
    """Until the demo's bots are registered and verified."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if demo.poll() is not None:
            raise SystemExit("the demo has ended")
        if RIVAL in _active(port):
            return
        time.sleep(0.2)
    raise SystemExit(f"the demo had no {RIVAL} within {PATIENCE_S:.0f} s")


def _active(port: int) -> set[str]:
    try:
        found = requests.get(f"http://127.0.0.1:{port}/v1/bots?state=active", timeout=5).json()["items"]
    except requests.RequestException:
        return set()  # it is still starting
    return {bot["name"] for bot in found}

"""The command line that every bot has: where to listen, or which server to fetch its turns from."""

from __future__ import annotations

import argparse
import logging
import os


def command_line(name: str) -> argparse.ArgumentParser:
    """The options that every bot takes; a bot may add its own before parsing."""
    env = os.environ.get
    parser = argparse.ArgumentParser(prog=name, description=f"{name}, a bot for Arbiter")
    parser.add_argument("--host", default=env("ARBITER_BOT_HOST", "127.0.0.1"), help="listen on this address")
    parser.add_argument(
        "--port", type=int, default=int(env("ARBITER_BOT_PORT", "9000")), help="0 takes any free port"
    )
    parser.add_argument(
        "--secret", default=env("ARBITER_BOT_SECRET") or None, help="its signing secret, whsec_…"
    )
    parser.add_argument("--server", help="fetch turns from this service instead of listening")
    parser.add_argument("--key", default=env("ARBITER_KEY"), help="the API key for --server, arb_…")
    parser.add_argument("--quiet", action="store_true", help="no line per turn")
    return parser


def log_to_stderr(*, quiet: bool = False) -> None:
    """One line per turn, or only what goes wrong."""
    level = logging.WARNING if quiet else logging.INFO
    logging.basicConfig(level=level, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")

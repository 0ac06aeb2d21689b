"""A bot with its transports: it listens, or it fetches its turns."""

from __future__ import annotations

import argparse
import sys

from bots.sdk.api import Api, ApiError
from bots.sdk.command import command_line, log_to_stderr
from bots.sdk.ending import Ending
from bots.sdk.poll import Poller
from bots.sdk.responder import Responder, log
from bots.sdk.server import Server


class Bot(Responder):
    """A bot: decorate functions with `move`, `start` and `end`, then `run` it."""

    def run(self, options: argparse.Namespace | None = None) -> None:
        """Play as the command line says, until SIGINT or SIGTERM.

        `options` come from `command_line(...).parse_args()` where the bot has options of its own.
        """
        options = options or command_line(self.name).parse_args()
        log_to_stderr(quiet=options.quiet)
        try:
            self._run(options)
        except (ApiError, ValueError, OSError) as error:
            sys.exit(f"{self.name}: {error}")

    def _run(self, options: argparse.Namespace) -> None:
        if not options.server:
            self.serve(options.host, options.port, options.secret)
        elif options.key:
            self.connect(options.server, options.key)
        else:
            raise ValueError("--server needs --key (or ARBITER_KEY), an API key of the bot's owner")

    def serve(self, host: str = "127.0.0.1", port: int = 9000, secret: str | None = None) -> None:
        """Answer at host and port until SIGINT or SIGTERM; prints the address first."""
        if secret is None:
            log.warning("%s has no signing secret: it answers anybody and cannot be verified", self.name)
        ending = Ending()
        with self.listen(host, port, secret) as server:
            print(f"{self.name} listening at {server.url}", flush=True)
            ending.wait()

    def listen(self, host: str = "127.0.0.1", port: int = 0, secret: str | None = None) -> Server:
        """Answer in threads of this process, beside whatever it does; `stop` the server in the end.

        Raises ValueError for a secret that is none, OSError where the port cannot be had.
        """
        try:
            return Server(self, host, port, secret)
        except OSError as error:
            raise OSError(error.errno, f"cannot listen at {host}, port {port}: {error.strerror}") from error

    def connect(self, server: str, key: str) -> None:
        """Fetch turns from the service at `server` until SIGINT or SIGTERM: no address of one's own needed.

        The bot of this name is registered if the key's owner has none. Raises ApiError when refused.
        """
        ending = Ending()
        poller = Poller(self, Api(server, key), ending.now)
        ending.wait()
        poller.stop()

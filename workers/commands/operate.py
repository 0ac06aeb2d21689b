"""serve, worker, sweep and demo: the commands that run the service."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from service.log import mask
from workers.commands.common import settings


@click.command()
@click.option("--host", help="Address to listen on; default: the setting ARBITER_HOST.")
@click.option("--port", type=int, help="Port to listen on; default: the setting ARBITER_PORT.")
def serve(host: str | None, port: int | None) -> None:
    """Serve the REST API and the pages (gunicorn, sized by the settings)."""
    if host:
        os.environ["ARBITER_HOST"] = host
    if port is not None:
        os.environ["ARBITER_PORT"] = str(port)
    found = settings()  # a wrong setting is named here, not in a worker's log
    click.echo(f"listening at http://{found.host}:{found.port} (Ctrl-C ends it)", err=True)
    program = [sys.executable, "-m", "gunicorn", "-c", "python:service.gunicorn_conf"]
    os.execv(sys.executable, [*program, "service.app:create_app()"])


@click.command()
@click.option(
    "--queue",
    type=click.Choice(["matches", "control"]),
    default="matches",
    show_default=True,
    help="matches: referees games. control: verifies bots, makes pairings, delivers messages.",
)
@click.option(
    "-c", "--concurrency", type=click.IntRange(1, 1000), default=50, show_default=True, help="Threads."
)
def worker(queue: str, concurrency: int) -> None:
    """Run a worker; one process per core, and at least one for each queue.

    On SIGTERM it gives its matches back to the others within seconds; nobody loses time or a game.
    """
    from workers.serving import run_worker

    sys.exit(run_worker(settings(), queue, concurrency))


@click.command()
@click.option("--once", is_flag=True, help="Look once and end.")
def sweep(once: bool) -> None:
    """Find what was lost: matches without a worker, due work, undelivered messages.

    Several may run; none is needed for a result to be right, one is needed for lost work to go on.
    """
    from workers.sweep import run_sweep

    found = settings()
    click.echo(f"sweeping {mask(found.redis_url)} {'once' if once else 'every second'}", err=True)
    run_sweep(found, once)


@click.command()
@click.option("--once", is_flag=True, help="End when the tables are printed.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("data/demo"),
    show_default=True,
    help="Where the demo keeps its data; a second start goes on where the first was.",
)
@click.option("--port", type=int, default=8000, show_default=True, help="The API's port (or the next free).")
@click.option(
    "--cycles", type=click.IntRange(1, 20), default=2, show_default=True, help="Times that all meet."
)
def demo(once: bool, data: Path, port: int, cycles: int) -> None:
    """Play a league of Quixo and one of Sorry! between sample bots, on an embedded server."""
    from workers.demo import run_demo

    sys.exit(run_demo(data.resolve(), port, cycles, once))


COMMANDS = (serve, worker, sweep, demo)

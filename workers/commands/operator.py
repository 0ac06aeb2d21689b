"""config, status, selfcheck, health, audit, new-epoch, new-admin: what an operator does on the server."""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import asdict

import click
import requests
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from service.api.access import scopes_of
from service.config import Settings
from service.errors import Unavailable
from service.jobs import Jobs
from service.models import LADDERS, MATCH_QUEUE, Difference, MatchState, Role, Worker
from service.store import MatchFilter
from workers.commands.common import open_store, settings
from workers.serving import worker_name
from workers.tables import console_for_tables

MOST_SHOWN = 50
PROGRESS_S = 15.0
MOST_SEATS = 4
SPARE_FILES = 200  # connections to Redis, logs, what Python has open
MEANINGS = {
    "memory_bytes": "memory that Redis uses, bytes",
    "memory_limit_bytes": "most memory that Redis may use, bytes",
    "keys": "keys in Redis",
    "matches": "matches in all",
    "queued": "matches queued: not begun yet",
    "waiting": "matches waiting for their turn",
    "startable": "matches whose bots are free: they wait for a worker",
    "reserved": "matches with the places of their bots reserved",
    "hinted": "matches that workers were told of and have not begun",
    "running": "matches running",
    "held": "matches held for an administrator",
    "unfolded": "matches that are over and not packed for the archive yet",
    "ledger_entries": "entries in the ledgers of finished matches",
    "tournaments": "tournaments",
    "due": "pieces of work for a later time",
    "outbox": "messages to the outside not delivered yet",
}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def config(as_json: bool) -> None:
    """List every setting: its value, where that came from, what it means. Secrets are hidden.

    A setting comes from ARBITER_NAME in the environment, else from the TOML file that ARBITER_CONFIG names.
    """
    rows = settings().listing()
    if as_json:
        names = ("name", "value", "origin", "help")
        click.echo(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=1))
        return
    table = Table(box=SIMPLE_HEAD)
    for name in ("setting", "value", "from", "meaning"):
        table.add_column(name, overflow="fold", no_wrap=name == "setting")
    for row in rows:
        table.add_row(*row)
    console_for_tables().print(table)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def status(as_json: bool) -> None:
    """Show matches, queues, keys, memory, and the workers with their progress."""
    queues = _queues()
    with open_store() as store:
        counts, workers = store.info(), store.workers.all()
        held = store.matches.list(MatchFilter(state=MatchState.HELD), limit=MOST_SHOWN).items
    if as_json:
        shown = [asdict(worker) for worker in workers]
        click.echo(
            json.dumps(
                {
                    "counts": counts,
                    "queues": queues,
                    "workers": shown,
                    "held": {m.id: m.state_reason for m in held},
                },
                indent=1,
            )
        )
        return
    console = Console()
    table = Table("what", "count", box=SIMPLE_HEAD)
    for name, meaning in MEANINGS.items():
        unlimited = name == "memory_limit_bytes" and not counts[name]
        table.add_row(meaning, "none" if unlimited else f"{counts[name]:,}")
    for queue, count in queues.items():
        table.add_row(f"messages to {queue} workers", f"{count:,}")
    console.print(table, _workers_table(workers))
    for match in held:
        console.print(f"held: {match.id}: {match.state_reason}", highlight=False)


def _queues() -> dict[str, int]:
    """Messages that wait, by queue."""
    try:
        return Jobs.at(settings().celery_url).waiting()
    except Unavailable as error:
        raise click.ClickException(f"{error.detail} (ARBITER_BROKER_URL names it)") from None


def _workers_table(workers: tuple[Worker, ...]) -> Table:
    table = Table("worker", "queue", "places", "running", "silent", "done", box=SIMPLE_HEAD)
    for worker in workers:
        silent = f"{worker.silent_ms / 1000:.0f} s"
        places = "drained" if worker.drained else str(worker.places)
        done = ", ".join(f"{count} {what}" for what, count in worker.progress.items())
        table.add_row(worker.name, worker.queue, places, str(worker.running), silent, done)
    return table


@click.command()
def selfcheck() -> None:
    """Name what is set up wrong: persistence, eviction, connections, open files, clock, version.

    Exit code 1 if anything is.
    """
    few_files = _few_files(settings(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    with open_store() as store:
        problems = (*few_files, *store.operator.selfcheck())
        workers = [worker for worker in store.workers.alive() if worker.queue == MATCH_QUEUE]
        if not workers:
            problems = (*problems, "no worker plays matches; start one with `arbiter worker`")
        elif all(worker.drained for worker in workers):
            problems = (*problems, "all workers that play matches are drained; `arbiter admin undrain NAME`")
    for problem in problems:
        click.echo(f"· {problem}")
    click.echo("something is to be mended" if problems else "all is well")
    sys.exit(1 if problems else 0)


def _few_files(found: Settings, limit: int) -> tuple[str, ...]:
    """Whether a process may open too few files here: a connection of a client, a bot or Redis is one."""
    needed = max(found.server_threads, MOST_SEATS * found.threads) + SPARE_FILES
    if limit == resource.RLIM_INFINITY or limit >= needed:
        return ()
    sentence = (
        f"a process may open {limit} files here, and the API or a worker may need {needed};"
        " raise it: `ulimit -n`, or LimitNOFILE in systemd"
    )
    return (sentence,)


@click.command()
@click.option("--api", is_flag=True, help="Does the API answer that it is ready?")
@click.option("--worker", is_flag=True, help="Has this machine's worker been heard of?")
def health(api: bool, worker: bool) -> None:
    """Look at the progress of a part on this machine, for health checks; exit code 1 if there is none."""
    if api:
        _check_api(f"http://127.0.0.1:{settings().port}/readyz")
    if worker:
        _check_worker()


def _check_api(url: str) -> None:
    try:
        answer = requests.get(url, timeout=4)
    except requests.RequestException as error:
        raise click.ClickException(f"the API does not answer: {error}") from None
    click.echo(answer.text.strip())
    sys.exit(0 if answer.status_code == 200 else 1)


def _check_worker() -> None:
    host = worker_name("").rstrip(":")
    deadline = time.monotonic() + PROGRESS_S
    with open_store() as store:
        while time.monotonic() < deadline:
            mine = [w for w in store.workers.alive() if w.name.startswith(f"{host}:")]
            if mine:
                click.echo(f"{len(mine)} here, playing {sum(w.running for w in mine)}")
                return
            time.sleep(1)
    raise click.ClickException("no worker of this machine has been heard of within the last seconds")


@click.command()
@click.option("--ladder", "ladders", type=click.Choice(LADDERS), multiple=True, help="Default: all of them.")
@click.option("--repair", is_flag=True, help="Make all that follows from the ledger anew.")
@click.option("--fast", is_flag=True, help="Leave the hash chains of the records out.")
def audit(ladders: tuple[str, ...], repair: bool, fast: bool) -> None:
    """Recompute every rating, score and count from the ledger and the records; print differences.

    Exit code 1 if there are any (left).
    """
    wrong = 0
    with open_store() as store:
        for ladder in ladders or LADDERS:
            if repair:
                for sentence in store.audit.repair(ladder):
                    click.echo(f"· {sentence}")
            differences = list(store.audit.differences(ladder, records=not fast))
            wrong += len(differences)
            entries = store.ledger.length(ladder)
            click.echo(f"{ladder}: {entries} ledger entries, {len(differences)} differences")
            for difference in differences[:MOST_SHOWN]:
                click.echo(f"  {_sentence(difference)}")
    sys.exit(1 if wrong else 0)


def _sentence(found: Difference) -> str:
    return f"{found.what} of {found.subject}: stored {found.stored}, by the ledger {found.computed}"


@click.command("new-epoch")
@click.confirmation_option(prompt="Every worker will lose the matches it plays, and claim them again. Go on?")
def new_epoch() -> None:
    """Refuse every write of workers that were running before a restore or a failover.

    Matches in flight are claimed anew from what is recorded; nobody is charged.
    """
    with open_store() as store:
        store.operator.new_epoch()
    click.echo("a new epoch has begun")


@click.command("new-admin")
@click.argument("name")
def new_admin(name: str) -> None:
    """Make an administrator called NAME and print his API key, which is shown this once.

    The first one has to be made on the server; he can add others over the API.
    """
    with open_store() as store:
        draft = store.keys.draft("", "first key", scopes_of(Role.ADMIN))
        owner = store.owners.create(name, Role.ADMIN, draft.key)
    click.echo(f"{owner.name} ({owner.id}) is an administrator; his key, shown this once:", err=True)
    click.echo(draft.text)


COMMANDS = (config, status, selfcheck, health, audit, new_epoch, new_admin)

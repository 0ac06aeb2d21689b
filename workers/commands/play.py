"""arbiter play: bots against each other on one machine, without the service."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from engines.clock import PRESETS, Control
from engines.errors import BadOption, GameError
from engines.game import Game, State
from engines.protocol import FaultReason
from engines.registry import GAMES
from service.endpoint import BadUrl
from service.models import Bot
from workers.bot_client import OurFault
from workers.local_bots import BotError, LocalBots, new_secret
from workers.local_play import Series, open_network, play
from workers.local_score import Score, add_record, elo
from workers.tables import printable

_CRASHES = (FaultReason.HTTP_ERROR, FaultReason.UNREACHABLE, FaultReason.NO_SHOW)
console = Console(stderr=True)


def control_of(text: str) -> Control:
    """A preset's name, or a control's members as JSON; raises BadOption."""
    try:
        return Control.from_json(json.loads(text) if text.startswith("{") else text)
    except json.JSONDecodeError as error:
        raise BadOption("clock", f"is no JSON: {error}") from error


def options_of(game: Game, given: Sequence[str]) -> Mapping[str, Any]:
    """Match options from `name=value`; raises BadOption."""
    for pair in given:
        if "=" not in pair:
            raise BadOption(pair, "has no value; write it as name=value")
    pairs = (pair.split("=", 1) for pair in given)
    return game.full_options({name: _value(text) for name, text in pairs})


def _value(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdecimal() else text


@click.command("play")
@click.argument("game", type=click.Choice(list(GAMES)))
@click.argument("bots", nargs=-1, required=True)
@click.option("--games", type=click.IntRange(1), default=10, show_default=True, help="How many matches.")
@click.option("--seed", type=int, help="Repeats deals, openings and the samples' choices.")
@click.option("--clock", default="blitz", show_default=True, help=f"{', '.join(PRESETS)}, or JSON.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="A match option.")
@click.option("--opening", type=click.IntRange(0, 20), help="Random plies first. [2 if chance plays no part]")
@click.option("--attempts", type=click.IntRange(1, 10), default=1, help="Answers a turn may take.")
@click.option("--board", is_flag=True, help="Show every position.")
@click.option("--records", type=click.Path(file_okay=False, path_type=Path), help="Write records here.")
@click.option("--secret", envvar="ARBITER_BOT_SECRET", help="Sign with this secret (whsec_…).")
@click.option("--json", "as_json", is_flag=True, help="The summary as JSON.")
def play_command(
    game: str,
    bots: tuple[str, ...],
    games: int,
    seed: int | None,
    clock: str,
    options: tuple[str, ...],
    opening: int | None,
    attempts: int,
    board: bool,
    records: Path | None,
    secret: str | None,
    as_json: bool,
) -> None:
    """Let BOTS play GAME here, with the service's own referee and clocks.

    A bot is a sample (random, greedy, alphabeta:4, …), a program (./my_bot.py) or an address
    (http://localhost:9000). In games of teams two bots each take a whole team. More bots than the game has
    seats meet two by two, GAMES matches each.
    """
    seed = secrets.randbits(31) if seed is None else seed
    rules = GAMES[game]
    try:
        with LocalBots(secret or new_secret(), seed) as found:
            entered = [found.bot(bot) for bot in bots]
            chosen, control = options_of(rules, options), control_of(clock)
            planned = [
                Series(
                    game=rules,
                    bots=sides,
                    options=chosen,
                    control=control,
                    games=games,
                    seed=seed,
                    opening_plies=default_opening(rules, games, len(sides)) if opening is None else opening,
                    attempts=attempts,
                )
                for sides in meetings(rules, entered)
            ]
            scores = _play_all(planned, board, records, found)
            crashed = [(bot.name, text) for bot in entered if (text := _crash(bot.id, scores, found))]
    except (GameError, BadUrl, BotError, ValueError, OurFault) as error:
        raise click.ClickException(str(error)) from error
    names = {bot.id: bot.name for bot in entered}
    if as_json:
        click.echo(json.dumps({"seed": seed, "bots": [_as_json(names[b], s) for b, s in scores.items()]}))
    else:
        Console().print(_table(rules, seed, names, scores))
    for name, text in crashed:
        click.echo(f"{name} fails, so no more is played. The last that it printed:\n{text}", err=True)
    sys.exit(1 if crashed else 0)


def meetings(game: Game, bots: Sequence[Bot]) -> list[tuple[Bot, ...]]:
    """Who plays whom: all in one match if the game has seats for them, otherwise every two."""
    if len(bots) in game.seats or len(bots) <= 2:
        return [tuple(bots)]
    return list(combinations(bots, 2))


def default_opening(game: Game, games: int, bots: int) -> int:
    """Random plies at the start, so that bots without chance do not repeat one game."""
    return 0 if game.chance or games <= bots else 2


def _crash(bot: str, scores: Mapping[str, Score], found: LocalBots) -> str | None:
    """What a program here has printed, if it has crashed."""
    failed = bot in scores and any(scores[bot].faults[reason] for reason in _CRASHES)
    return found.printed(bot) if failed else None


def _play_all(
    planned: Sequence[Series], board: bool, records: Path | None, found: LocalBots
) -> dict[str, Score]:
    """Play the series, or what is played of them until Ctrl-C or until a program here crashes."""
    bots = {bot.id: bot for series in planned for bot in series.bots}
    scores = {bot: Score() for bot in bots}
    network = open_network()
    columns = (TextColumn(f"seed {planned[0].seed}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=board) as progress, suppress(KeyboardInterrupt):
        matches = chain.from_iterable(series.matches() for series in planned)
        total = sum(series.games for series in planned)
        for number, match in enumerate(progress.track(matches, total=total), start=1):
            if board:
                seats = ", ".join(f"seat {player.seat} {player.name}" for player in match.players)
                click.echo(f"game {number}: {seats}\n")
            record = play(match, bots, network, _show if board else lambda state: None, found.programs)
            add_record(scores, record)
            if board:
                click.echo(f"{_ending(record)}\n")
            if records:
                _write(record, records / f"{match.game}-{number:04}.json")
            if any(_crash(bot, scores, found) for bot in bots):
                break
    played = {bot: score for bot, score in scores.items() if score.played}
    if not played:
        raise click.Abort
    return played


def _write(record: Mapping[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, ensure_ascii=False))


def _show(state: State) -> None:
    click.echo(f"{state}\n")


def _ending(record: Mapping[str, Any]) -> str:
    result = record["result"]
    places = ", ".join(
        f"{player['name']} {place}"
        for player, place in zip(record["header"]["players"], result["placing"], strict=True)
    )
    details = "".join(f"\n{e['detail']}" for e in record["events"] if e["type"] == "fault")
    return f"{result['outcome']} ({result['reason']}); places: {places}{details}"


def _table(game: Game, seed: int, names: Mapping[str, str], scores: Mapping[str, Score]) -> Table:
    ranked = sorted(scores.items(), key=lambda item: -item[1].mean)
    title = f"{game.title}: {ranked[0][1].played} played{' by each' if len(scores) > 2 else ''}, seed {seed}"
    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", caption_justify="left")
    table.add_column("bot", overflow="fold")
    for name in ("won", "drawn", "lost", "score", "95 %", "ms/turn", "p95", "max"):
        table.add_column(name, justify="right", no_wrap=True)
    for bot, score in ranked:
        low, high = score.interval()
        counts = map(str, (score.won, score.drawn, score.lost))
        times = (f"{ms:.1f}" for ms in score.percentiles_ms() or ())
        table.add_row(names[bot], *counts, f"{score.mean:.1%}", f"{low:.0%}–{high:.0%}", *times)
    table.caption = "\n".join(_notes({names[bot]: score for bot, score in ranked}))
    return table


def _notes(scores: Mapping[str, Score]) -> Iterator[str]:
    """What stands below the table; `scores` by name, the best first."""
    if len(scores) == 2:
        yield _lead(*next(iter(scores.items())))
    if any(score.game_points for score in scores.values()):
        points = (f"{name} {score.game_points / score.played:.1f}" for name, score in scores.items())
        yield f"points a match: {', '.join(points)}"
    for name, score in scores.items():
        for reason, count in score.faults.items():
            yield f"{name}: {reason} ×{count}{_first(score.first_faults[reason])}"
        if score.faults["no-show"]:
            yield f"{name} does not answer `start`: is it running, has it this secret? See: arbiter bot check"


def _first(detail: str) -> str:
    return f", the first: {printable(detail)}" if detail else ""


def _lead(name: str, score: Score) -> str:
    low, mean, high = (_elo_text(share) for share in (score.interval()[0], score.mean, score.interval()[1]))
    return f"{name} is {mean} Elo ahead (95 %: {low} to {high})"


def _elo_text(score: float) -> str:
    difference = elo(score)
    return f"{'+' if score else '-'}∞" if difference is None else f"{difference:+.0f}"


def _as_json(name: str, score: Score) -> dict[str, Any]:
    low, high = score.interval()
    return {
        "name": name,
        "played": score.played,
        "won": score.won,
        "drawn": score.drawn,
        "lost": score.lost,
        "score": score.mean,
        "interval": [low, high],
        "points": score.game_points,
        "turn_ms": score.percentiles_ms(),
        "faults": dict(score.faults),
    }


COMMANDS = [play_command]

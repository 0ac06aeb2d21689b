"""match sprt: is one bot stronger than another? Pairs of games until a sequential test has decided."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import click
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from engines.game import Game
from engines.registry import GAMES
from service.ratings.sprt import Sprt, Verdict
from workers.client import ApiError
from workers.commands.remote import Remote, clock, given, remote
from workers.tables import printable

WAIT_S = 25
OVER = ("finished", "void", "cancelled", "held")
SAID = {
    Verdict.H0: "H0 is accepted: {a} is no more than {elo0:g} points stronger than {b}",
    Verdict.H1: "H1 is accepted: {a} is at least {elo1:g} points stronger than {b}",
    Verdict.RUNNING: "no decision: the games that were allowed are played",
}
Pair = tuple[str, str]  # ids of two matches, the first player in seat 0 and in seat 1


@dataclass(slots=True)
class Pairs:
    """Asks for pairs of games, some ahead, and takes their scores in the order in which they were asked for.

    So a short game does not count earlier than a long one, which would favour whoever wins quickly.
    """

    to: Remote
    body: Mapping[str, Any]
    most: int
    ahead: int
    asked: int = 0
    failed: int = 0
    _pending: deque[Pair] = field(default_factory=deque)

    def scores(self) -> Iterator[int]:
        """Half-points (0 to 4) of the first player, pair by pair."""
        while self._ask():
            halves = self._score(self._pending.popleft())
            if halves is None:
                self.failed += 1
            else:
                yield halves

    def cancel(self) -> None:
        """Take back what has not begun."""
        for match_id in itertools.chain.from_iterable(self._pending):
            try:
                self.to.client.post(f"/v1/matches/{match_id}/cancel", {})
            except ApiError as error:
                if error.status != HTTPStatus.CONFLICT:  # it has begun
                    raise

    def _ask(self) -> bool:
        """Ask for what is missing; whether a pair is to be waited for."""
        wanted = min(self.ahead - len(self._pending), self.most - self.asked)
        if wanted > 0:
            made = self.to.client.post("/v1/matches", {**self.body, "count": 2 * wanted})["items"]
            ids = [one["id"] for one in made]
            self._pending.extend(zip(ids[::2], ids[1::2], strict=True))
            self.asked += wanted
        return bool(self._pending)

    def _score(self, pair: Pair) -> int | None:
        """Half-points of the first player; None if one of the games has no result."""
        halves = 0
        for seat, match_id in enumerate(pair):
            over = self._wait(match_id)
            if over["state"] != "finished" or over["result"]["outcome"] == "void":
                return None
            placing = over["result"]["placing"]
            own, other = placing[seat], placing[1 - seat]
            halves += 2 if own < other else own == other
        return halves

    def _wait(self, match_id: str) -> Mapping[str, Any]:
        after = 0
        while True:
            found: Mapping[str, Any] = self.to.client.get(f"/v1/matches/{match_id}")
            if found["state"] in OVER:
                return found
            news = self.to.client.get(f"/v1/matches/{match_id}/events", after=after, wait=WAIT_S, limit=1000)
            after = news["next"] or after


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--game", type=click.Choice(list(GAMES)), help="Default: what both play, of two seats.")
@click.option("--elo0", default=0.0, show_default=True, help="H0: FIRST is so many points stronger.")
@click.option("--elo1", default=20.0, show_default=True, help="H1: FIRST is so many points stronger.")
@click.option("--alpha", default=0.05, show_default=True, help="Chance of H1 where H0 is true.")
@click.option("--beta", default=0.05, show_default=True, help="Chance of H0 where H1 is true.")
@click.option("--clock", "control", default="bullet", show_default=True, help="A preset, or JSON.")
@click.option(
    "--opening", type=click.IntRange(0, 20), default=6, show_default=True, help="Random plies first."
)
@click.option("--most", type=click.IntRange(1), default=5000, show_default=True, help="Pairs at most.")
@click.option(
    "--ahead", type=click.IntRange(1, 100), default=8, show_default=True, help="Pairs asked for ahead."
)
@remote
def sprt(
    to: Remote,
    first: str,
    second: str,
    game: str | None,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    control: str,
    opening: int,
    most: int,
    ahead: int,
) -> None:
    """Test whether the bot FIRST is stronger than SECOND, such as a new version of it.

    Both play every opening (and every deck) from both seats; such pairs of games are played until the
    pentanomial SPRT has decided. The games are unrated.
    """
    try:
        test = Sprt(elo0, elo1, alpha, beta)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    bots = [to.client.get(f"/v1/bots/{to.bot(named)}") for named in (first, second)]
    kind = _game(game, bots)
    ids = [bot["id"] for bot in bots]
    body = {"game": kind.name, "bots": ids, "opening": opening, "rated": False}
    body |= given(clock=clock(control)) | ({"duplicate": True} if kind.chance else {})
    pairs = Pairs(to, body, most, ahead)
    try:
        test = _run(to, pairs, test)
    finally:
        pairs.cancel()
    _conclude(to, test, pairs, [printable(bot["name"]) for bot in bots])


def _game(name: str | None, bots: list[Any]) -> Game:
    """The game of two seats that both play; raises UsageError."""
    both = [g for g in bots[0]["games"] if g in bots[1]["games"] and 2 in GAMES[g].seats]
    if name is not None and name not in both:
        raise click.UsageError(
            f"they do not both play {name} with two seats; both play: {', '.join(both) or '–'}"
        )
    if not both:
        raise click.UsageError("there is no game of two seats that both bots play")
    return GAMES[name or both[0]]


def _run(to: Remote, pairs: Pairs, test: Sprt) -> Sprt:
    """Play until the test has decided or the pairs are used up."""
    with _bar(to) as bar:
        task = bar.add_task("", total=1.0, figure="")
        for halves in pairs.scores():
            test = test.after(halves)
            if to.as_json:
                click.echo(json.dumps(_figures(test)))
            _move(bar, task, test)
            if test.verdict is not Verdict.RUNNING:
                break
    return test


def _bar(to: Remote) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[figure]}"))
    return Progress(*columns, console=to.console, disable=to.as_json)


def _move(bar: Progress, task: TaskID, test: Sprt) -> None:
    """The bar goes from the bound of H0 on the left to that of H1 on the right."""
    share = (test.llr - test.lower) / (test.upper - test.lower)
    bar.update(task, description=f"{sum(test.pairs)} pairs", completed=share, figure=_figure(test))


def _figure(test: Sprt) -> str:
    elo = "–" if test.elo is None else f"{test.elo.points:+.1f} ± {test.elo.half_width:.1f}"
    return f"LLR {test.llr:+.2f} ({test.lower:.2f} to {test.upper:.2f})  Elo {elo}"


def _figures(test: Sprt) -> dict[str, Any]:
    return {
        "pairs": list(test.pairs),
        "llr": round(test.llr, 3),
        "lower": round(test.lower, 3),
        "upper": round(test.upper, 3),
        "elo": test.elo and [round(test.elo.points, 1), round(test.elo.half_width, 1)],
        "superiority": round(test.superiority, 4),
        "verdict": str(test.verdict),
    }


def _conclude(to: Remote, test: Sprt, pairs: Pairs, names: list[str]) -> None:
    if to.as_json:
        click.echo(json.dumps({**_figures(test), "without_result": pairs.failed}))
        return
    to.say(_figure(test))
    scores = ", ".join(f"{n} × {half / 2:g}" for half, n in enumerate(test.pairs))
    to.say(f"{sum(test.pairs)} pairs of games, by {names[0]}'s points: {scores}")
    to.say(f"likelihood of superiority {test.superiority:.1%}")
    if pairs.failed:
        to.say(f"{pairs.failed} pairs without a result are not counted")
    to.say(SAID[test.verdict].format(a=names[0], b=names[1], elo0=test.elo0, elo1=test.elo1))

"""The rules of each game for people, and the two sheets they come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flask import abort, render_template

from engines.game import SEED_BYTES
from engines.registry import GAMES
from service.web.blueprint import web
from service.web.show.scene import Scene, Stage
from service.web.show.stages import stage_for

_SHEETS = Path(__file__).parents[1] / "sheets"


@dataclass(frozen=True, slots=True)
class Sheet:
    """An original rule sheet: its file, language (BCP 47) and what people call that."""

    file: str
    language: str
    called: str


SHEETS = {
    "quixo": Sheet("quixo.mn.txt", "mn", "Mongolian"),
    "sorry": Sheet("sorry.uz.txt", "uz", "Uzbek"),
}


@dataclass(frozen=True, slots=True)
class Example:
    """A position to look at."""

    stage: Stage
    scene: Scene


def _positions(game: str, seats: int, start: str, moves: tuple[str, ...] = ()) -> Example:
    """The position `start`, and behind it `moves`; "" is the first position."""
    rules = GAMES[game]
    options, seed = rules.full_options({}), bytes(SEED_BYTES)
    state = rules.position(start, seats, options, seed) if start else rules.start(seats, options, seed)
    stage = stage_for(game, state.view(None), seats)
    scene = stage.opening(state.view(None))
    for text in moves:
        move = state.move(text)
        state = state.apply(move)
        scene = stage.after(scene, {"move": str(move)}, state.view(None)).scene
    return Example(stage, scene)


@cache
def _quixo_examples() -> dict[str, Example]:
    return {
        "start": _positions("quixo", 2, ""),
        "taken": _positions("quixo", 2, "X...O/..X../.O.../...../X.O.. 0 6", ("c5S",)),
        "line": _positions("quixo", 2, "XXXX./.OO../..O../.O.../....X 0 10", ("e1N",)),
        "teams": _positions("quixo-teams", 4, "0..1./2..../...3./..1../...0. 2 6"),
    }


_BEFORE_A_SLIDE = "r=S,S,:2,13 y=S,S,17,H to=0 card=3 draw=40 discards=1,2,5,8 ply=4 turn=4 first=0"


@cache
def _sorry_examples() -> dict[str, Example]:
    return {
        "start": _positions("sorry", 4, ""),
        "slide": _positions("sorry", 2, _BEFORE_A_SLIDE, ("3 r13-16",)),
    }


@web.get("/rules")
def rules() -> str:
    return render_template("web/rules.html", sheets=SHEETS)


@web.get("/rules/<game>")
def rules_of(game: str) -> str:
    if game not in GAMES:
        abort(404, f"There is no game of that name; there are: {', '.join(GAMES)}.")
    family = game.split("-")[0]
    examples = {"quixo": _quixo_examples, "sorry": _sorry_examples}[family]()
    return render_template(
        f"web/rules_{family}.html", game=GAMES[game], examples=examples, sheet=SHEETS[family], family=family
    )


@web.get("/rules/sheets/<name>")
def sheet(name: str) -> str:
    """An original sheet, word for word."""
    if name not in SHEETS:
        abort(404)
    found = SHEETS[name]
    text = (_SHEETS / found.file).read_text(encoding="utf-8")
    return render_template("web/rules_sheet.html", sheet=found, text=text, family=name)

"""The games as data."""

from __future__ import annotations

from typing import Any

from engines.game import Game
from engines.registry import GAMES
from service.api.blueprint import Blueprint
from service.api.schemas.games import GameListSchema, GameSchema
from service.errors import NotFound

games = Blueprint("games", __name__, url_prefix="/v1/games", description="What can be played.")


def _about(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "seats": game.seats,
        "teams": game.teams,
        "hidden": game.hidden,
        "chance": game.chance,
        "version": game.version,
        "options": [
            {
                "name": name,
                "default": option.default,
                "help": option.help,
                "rule": option.rule,
                "low": option.low,
                "high": option.high,
                "choices": option.choices,
            }
            for name, option in game.options.items()
        ],
    }


@games.route("")
@games.response(200, GameListSchema)
def list_games() -> Any:
    """List the games"""
    return {"items": [_about(game) for game in GAMES.values()]}


@games.route("/<name>")
@games.response(200, GameSchema)
def read(name: str) -> Any:
    """Read a game

    Its seats, its options and what they may be.
    """
    if name not in GAMES:
        raise NotFound("not-found", f"There is no game {name!r}; there are: {', '.join(GAMES)}.")
    return _about(GAMES[name])

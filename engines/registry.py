"""The games by their wire names. A game is added here and nowhere else."""

from collections.abc import Mapping

from engines.errors import GameError
from engines.game import Game
from engines.quixo.game import Quixo, QuixoTeams
from engines.sorry.game import Sorry, SorryPoints, SorryTeams

GAMES: Mapping[str, Game] = {
    game.name: game for game in (Quixo(), QuixoTeams(), Sorry(), SorryTeams(), SorryPoints())
}


def game_named(name: str) -> Game:
    """The game called `name`; raises GameError with the names there are."""
    if name not in GAMES:
        raise GameError(f"there is no game {name!r}; there are: {', '.join(GAMES)}")
    return GAMES[name]

"""The formats by their wire names. A format is added here and nowhere else."""

from collections.abc import Mapping

from engines.errors import BadOption
from service.tournaments.gauntlet import Gauntlet
from service.tournaments.pairing import Format
from service.tournaments.round_robin import RoundRobin

FORMATS: Mapping[str, Format] = {kind.name: kind for kind in (RoundRobin(), Gauntlet())}


def format_named(name: str) -> Format:
    """The format called `name`; raises BadOption with the names there are."""
    if name not in FORMATS:
        raise BadOption("format", f"there is no format {name!r}; there are: {', '.join(FORMATS)}")
    return FORMATS[name]

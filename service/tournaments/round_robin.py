"""A round-robin: everyone meets everyone equally often, or the schedule's notes state the imbalance."""

from __future__ import annotations

from collections.abc import Mapping

from engines.errors import BadOption
from service.tournaments.berger import Berger
from service.tournaments.cycles import Cycle
from service.tournaments.designs import tables
from service.tournaments.lots import draw
from service.tournaments.pairing import Options, Partners, Result
from service.tournaments.repeated import Repeated
from service.tournaments.whist import whist


class RoundRobin:
    """Berger's order for two sides, a balanced design for tables of 3 and 4, whist for rotating partners."""

    name = "round-robin"

    def schedule(
        self, entrants: int, options: Options, seed: bytes | None, results: Mapping[int, Result]
    ) -> Repeated:
        cycle = one_cycle(entrants, options)
        return Repeated(cycle, options, draw(entrants, seed), swap_last_rounds=isinstance(cycle, Berger))


def one_cycle(entrants: int, options: Options) -> Cycle:
    """Every table once; raises BadOption where there are too few or too many entrants."""
    fixed = options.partners is Partners.FIXED
    needed = 2 if fixed else options.seats
    if entrants < needed:
        raise BadOption("entrants", f"{entrants} cannot fill a table: at least {needed} must enter")
    if fixed or options.seats == 2:
        return Berger(entrants)
    if options.partners is Partners.ROTATING:
        return whist(entrants)
    return tables(entrants, options.seats)

"""Results for tests: by a table, or at random."""

from service.tournaments.pairing import Result
from service.tournaments.plan import Plan
from service.tournaments.results import Results
from service.tournaments.standings import standings
from service.tournaments.tally import tally
from service.tournaments.tie_breaks import DEFAULT
from service.tournaments.withdrawal import counted

PLACINGS = {"1": (1, 2), "0": (2, 1), "=": (1, 1)}


def game(number, first, score, second, faults=(None, None)):
    """A game of two sides; `score` is the first one's: "1", "=" or "0"."""
    return Result(number, (first, second), PLACINGS[score], faults)


def random_results(schedule, random, games=None, teams=False):
    """Random placings for the games (all of them), with a fault here and there."""
    for index in range(schedule.count) if games is None else games:
        seats = schedule.game(index).seats
        sides = 2 if teams else len(seats)
        placing = [random.randint(1, sides) for _ in range(sides)]
        faults = [None] * sides
        if random.random() < 0.15:
            fallen = random.randrange(sides)
            faults[fallen] = random.choice(["timeout", "no-show", "illegal-move"])
            placing[fallen] = sides
            placing[(fallen + 1) % sides] = 1
        copies = len(seats) // sides
        yield Result(index, seats, tuple(placing) * copies, tuple(faults) * copies)


def table(results, entrants, options, schedule=None, withdrawn=(), tie_breaks=DEFAULT, points=False):
    """The standings of these results, with all withdrawals followed up."""
    columns = Results.of(results, options.seats, points)
    if schedule is None:
        return standings(tally(columns, entrants, options), tie_breaks, len(columns.games))
    counting, settlement = counted(Plan.of(schedule, entrants), options, columns, withdrawn)
    due = schedule.count - len(settlement.struck)
    return standings(tally(counting, entrants, options), tie_breaks, due, settlement.annulled)

"""Kill the coordinator in every round of a tournament of 8: the same schedule, 28 results.

python -m tests.chaos coordinator [TOURNAMENTS]

Real processes: workers, the control worker that coordinates (killed by SIGKILL and started anew), the sweep.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from service.competition import plan_of
from service.models import MatchState, Tournament, TournamentState
from service.starting import begin
from tests.chaos.arena import Arena, arena
from tests.chaos.table import Row, show
from tests.servers import kinds
from tests.service.venue import a_tournament, an_entrant

ENTRANTS, ROUNDS, GAMES = 8, 7, 28
WAIT_S = 180.0


def start_coordinator(place: Arena, number: int) -> str:
    name = f"control-{number}"
    place.stack.start_part(name, "worker", "--queue", "control", "-c", "4")
    return name


def played(place: Arena, kills_wanted: int) -> tuple[Tournament, int]:
    """Play a tournament, killing the coordinator whenever another round's worth of games is in; the kills."""
    contest = place.store.tournaments.create(a_tournament())
    for bot in place.bots:
        place.store.tournaments.enter(contest.id, an_entrant(bot), ENTRANTS)
    begin(place.store, place.store.tournaments.get(contest.id), GAMES)
    coordinator, kills = start_coordinator(place, 0), 0
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        now = place.store.tournaments.get(contest.id)
        if now.state is TournamentState.FINISHED:
            break
        if kills < kills_wanted and now.games_done >= kills * (GAMES // ROUNDS):
            place.stack.parts[coordinator].kill()
            kills += 1
            coordinator = start_coordinator(place, kills)
        time.sleep(0.02)
    place.stack.parts[coordinator].kill()
    return place.store.tournaments.get(contest.id), kills


def as_scheduled(place: Arena, contest: Tournament) -> int:
    """Pairings whose one match was played by whom the schedule says."""
    plan = plan_of(contest)
    made = place.store.tournaments.games(contest.id, range(plan.count))
    good = 0
    for pairing, match_id in made.items():
        match = place.store.matches.get(match_id)
        wanted = [contest.entrants[entrant]["bot"] for entrant in plan.lineups[pairing].tolist()]
        good += match.state is MatchState.FINISHED and [p.bot for p in match.players] == wanted
    return good


def killed(kind: str, tournaments: int) -> list[Row]:
    rows = []
    with arena(kind, concurrency=8) as place:
        place.start_worker()
        place.add_bots("quixo", ENTRANTS, pause_s=0.01, concurrency=1)
        for number in range(1, tournaments + 1):
            contest, kills = played(place, ROUNDS)
            name, good = f"{kind}: tournament {number}", as_scheduled(place, contest)
            rows += [
                Row(f"{name}: coordinators killed", str(kills), str(ROUNDS), kills == ROUNDS),
                Row(f"{name}: results", str(contest.games_done), str(GAMES), contest.games_done == GAMES),
                Row(f"{name}: games as scheduled", str(good), str(GAMES), good == GAMES),
            ]
        rows.append(_ledger(place, kind, tournaments))
        rows.append(Row(f"{kind}: audit differences", str(place.differences()), "0", not place.differences()))
    return rows


def _ledger(place: Arena, kind: str, tournaments: int) -> Row:
    entries, wanted = place.ledger_rows(), GAMES * tournaments
    return Row(f"{kind}: ledger entries", str(entries), str(wanted), entries == wanted)


SHORT = [partial(killed, tournaments=1)]


def main(argv: Sequence[str]) -> int:
    tournaments = int(argv[0]) if argv else 3
    return show([row for kind in kinds() for row in killed(kind, tournaments)])

"""The next step of a tournament: everyone who can play plays, nobody is overrun, and it comes to its end."""

import random
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from service.tournaments.formats import FORMATS
from service.tournaments.pairing import Options, Partners
from service.tournaments.plan import Plan
from service.tournaments.steps import MOST_WAITING, Situation, step
from service.tournaments.withdrawal import settle
from tests.service.tournaments.test_schedule import SEED, TABLES, cases


@dataclass
class World:
    """A tournament that is being played: what a store would keep, and bots that are also busy elsewhere."""

    plan: Plan
    options: Options
    places: list[int]
    elsewhere: list[int] = field(default_factory=list)
    made: dict[int, str] = field(default_factory=dict)  # by game: waiting, running or done
    withdrawn: set[int] = field(default_factory=set)

    def __post_init__(self):
        self.elsewhere = self.elsewhere or [0] * self.plan.entrants

    @classmethod
    def of(cls, kind, entrants, options, places):
        return cls(Plan.of(kind.schedule(entrants, options, SEED, {}), entrants), options, places)

    def players(self, game):
        return set(self.plan.lineups[game].tolist())

    def games(self, *states):
        return [game for game, state in self.made.items() if state in states]

    def free(self):
        """Places that nothing takes up now, by entrant."""
        taken = list(self.elsewhere)
        for game in self.games("running"):
            for entrant in self.players(game):
                taken[entrant] += 1
        return [own - busy for own, busy in zip(self.places, taken, strict=True)]

    def situation(self):
        made = np.zeros(self.plan.count, bool)
        made[list(self.made)] = True
        still_open = self.games("waiting", "running")
        return Situation(
            made, still_open, set(self.games("waiting")), self.places, self.free(), self.withdrawn
        )

    def step(self):
        found = step(self.plan, self.options, self.situation())
        for game in found.drop:
            del self.made[game]
        for game in found.make:
            assert game not in self.made
            self.made[game] = "waiting"
        return found

    def start(self):
        """The scheduler's part: whatever waits and finds places begins, in order."""
        for game in self.games("waiting"):
            free = self.free()
            if all(free[entrant] > 0 for entrant in self.players(game)):
                self.made[game] = "running"
                assert min(self.free()) >= 0

    def settled(self):
        done = self.situation().done
        return set(settle(self.plan, self.options, done, self.withdrawn).settled.tolist())

    def could_run(self):
        """Games that could be played now and are not being played."""
        free, settled = self.free(), self.settled()
        return [
            game
            for game in range(self.plan.count)
            if game not in settled
            and self.made.get(game, "unmade") in ("unmade", "waiting")
            and all(free[entrant] > 0 for entrant in self.players(game))
        ]


def two_sided(entrants, places=1, **options):
    return World.of(FORMATS["round-robin"], entrants, Options(**options), [places] * entrants)


def test_the_first_step_is_the_first_round():
    world = two_sided(8)
    assert sorted(world.step().make) == list(world.plan.schedule.games_in(1))
    assert world.step().make == ()


def test_a_slow_bot_holds_up_its_own_opponents_only():
    world = two_sided(6)
    world.step()
    world.start()
    slow = next(game for game in world.made if 0 in world.players(game))
    for _ in range(40):
        for game in world.games("running"):
            world.made[game] = "running" if game == slow else "done"
        world.step()
        world.start()
    waiting = set(range(world.plan.count)) - set(world.games("done")) - {slow}
    held_up = {0, *world.players(slow)}
    assert waiting, "the slow game's players have games left"
    assert all(world.players(game) & held_up for game in waiting)


def test_whoever_is_busy_elsewhere_stalls_nobody_and_has_one_claim():
    world = two_sided(6)
    world.elsewhere[0] = 1
    world.step()
    world.start()
    assert len(world.games("running")) == 2, "of the five others four play"
    [claim] = world.games("waiting")
    assert 0 in world.players(claim)
    assert world.step().make == ()
    world.elsewhere[0] = 0
    world.step()
    world.start()
    assert len(world.games("running")) == 3


def test_who_cannot_play_has_no_claim():
    world = two_sided(6)
    world.places[0] = 0
    world.step()
    assert all(0 not in world.players(game) for game in world.made)


def test_whoever_has_most_games_left_goes_first():
    world = two_sided(6)
    others = [game for game in range(world.plan.count) if 0 not in world.players(game)]
    world.made = dict.fromkeys(others, "done") | {others[-1]: "running"}
    idle = [e for e, free in enumerate(world.free()) if free and e]
    [game] = world.step().make
    assert game == min(g for g in world.plan.games_of(0).tolist() if world.players(g) & set(idle))


def test_no_more_wait_than_workers_could_ever_take():
    world = two_sided(64, places=63)
    assert len(world.step().make) == MOST_WAITING
    assert world.step().make == ()


def test_withdrawn_entrants_waiting_games_are_dropped_and_the_rest_goes_on():
    world = two_sided(4)
    world.step()
    dropped = next(game for game in world.made if 3 in world.players(game))
    world.withdrawn.add(3)
    found = world.step()
    assert found.drop == (dropped,)
    assert not found.over
    while not found.over:
        world.start()
        world.made |= dict.fromkeys(world.games("running"), "done")
        found = world.step()
    assert sorted(world.made) == [g for g in range(world.plan.count) if 3 not in world.players(g)]


def test_it_is_not_over_while_a_settled_game_is_being_played():
    """A game that was under way when an entrant withdrew counts once its result is in."""
    world = two_sided(2)
    world.step()
    world.start()
    world.withdrawn.add(0)
    assert world.step() == replace(world.step(), over=False, make=(), drop=())
    world.made[0] = "done"
    assert world.step().over


def play(world, dice, leaving):
    """Random results, withdrawals, bots that are busy elsewhere for a while; every step from the books."""
    while True:
        before = world.situation()
        assert step(world.plan, world.options, before) == step(world.plan, world.options, before)
        found = world.step()
        world.start()
        if found.over:
            return
        if len(found.make) < MOST_WAITING and not found.drop:
            assert world.could_run() == []
        running = world.games("running")
        for game in dice.sample(running, dice.randint(min(1, len(running)), len(running))):
            world.made[game] = "done"
        for entrant in range(world.plan.entrants):
            if dice.random() < 0.2:
                most = world.places[entrant] - world.free()[entrant] + world.elsewhere[entrant]
                world.elsewhere[entrant] = dice.randint(0, max(0, world.places[entrant] - most))
        if leaving and dice.random() < 0.1:
            world.withdrawn.add(leaving.pop())
        if not running:
            world.elsewhere = [0] * world.plan.entrants


LONG = [pytest.param(count, marks=pytest.mark.long) for count in range(17, 65) if count != 24]


@pytest.mark.parametrize("entrants", [*range(2, 17), 24, *LONG])
def test_random_tournaments_of_every_format_come_to_their_end(entrants):
    dice = random.Random(entrants)
    ways = [
        replace(table, cycles=dice.randint(1, 2), duplicate=dice.random() < 0.2)
        for table in TABLES
        if entrants < 12 or table.seats == 2 or table.partners is not Partners.NONE
    ]
    for kind, count, options in cases([entrants], options=ways, challengers=(1, 3)):
        world = World.of(kind, count, options, [dice.randint(1, 3) for _ in range(count)])
        play(world, dice, dice.sample(range(count), min(2, count - 1)))
        settled = world.settled()
        assert set(world.games("done")) | settled == set(range(world.plan.count))
        assert not world.games("waiting", "running")

"""A schedule made of one cycle, repeated with the seats moved on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from service.tournaments.cycles import Cycle, Lineups, Table
from service.tournaments.pairing import Options, Pairing, Partners, rotated


@dataclass(frozen=True)
class Repeated:
    """A cycle played `options.cycles` times, as a `Schedule`.

    Seats move on by one with each cycle; with `duplicate`, each round is played from every rotation of
    the seats before the next round begins. Between two cycles of a two-sided round-robin the last two
    rounds of the former are swapped, which keeps anyone from sitting in one seat three times in a row
    (FIDE C.05, Berger).
    """

    cycle: Cycle
    options: Options
    lots: Sequence[int]  # lots[p]: the entrant who drew number p
    swap_last_rounds: bool = False

    @property
    def complete(self) -> bool:
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.cycle.notes, *self._rotation_notes())

    def _rotation_notes(self) -> Iterator[str]:
        cycles, ways = self.options.cycles, self.options.rotations
        if cycles % ways and self.options.share_openings and not self.options.duplicate:
            yield (
                f"the last openings are played from only {cycles % ways} of the {ways} rotations of seats: "
                f"cycles is {cycles}, not a multiple of {ways}"
            )
        if self.options.partners is Partners.FIXED:
            yield "a team's first bot always holds the lower of its two seats"

    @property
    def _passes(self) -> int:
        """How often each table is played before the next round."""
        return self.options.rotations if self.options.duplicate else 1

    @property
    def count(self) -> int:
        return self.cycle.count * self._passes * self.options.cycles

    @property
    def rounds(self) -> int:
        return self.cycle.rounds * self._passes * self.options.cycles

    def game(self, index: int) -> Pairing:
        if not 0 <= index < self.count:
            raise IndexError(f"there is no game {index}; the schedule has games 0 to {self.count - 1}")
        options = self.options
        number, played_round, turn, place = self._position(index)
        table = self.cycle.start(self._swapped(played_round, number)) + place
        block, rotation = (number, turn) if options.duplicate else divmod(number, options.rotations)
        group = block * self.cycle.count + table
        return Pairing(
            game=index,
            round=(number * self.cycle.rounds + played_round) * self._passes + turn + 1,
            table=place + 1,
            cycle=number + 1,
            seats=rotated(self._seats(table), rotation),
            set=group,
            opening=group if options.share_openings else None,
            deal=group if options.duplicate else None,
        )

    def _position(self, index: int) -> tuple[int, int, int, int]:
        """A game's cycle, the round within it, the turn of the round, the place in the turn; from 0."""
        number, rest = divmod(index, self.cycle.count * self._passes)
        played_round = self.cycle.round_of(rest // self._passes)
        start, end = self.cycle.start(played_round), self.cycle.start(played_round + 1)
        turn, place = divmod(rest - start * self._passes, end - start)
        return number, played_round, turn, place

    def _seats(self, table: int) -> Table:
        """The entrants at a table; the first of two fixed teams holds seats 0 and 2, the second 1 and 3."""
        seats = tuple(self.lots[player] for player in self.cycle.seats(table))
        return seats * 2 if self.options.partners is Partners.FIXED else seats

    def _swapped(self, round_index: int, number: int) -> int:
        """The cycle's round that is played as round `round_index` of cycle `number`; its own inverse."""
        last = self.cycle.rounds - 1
        followed = number < self.options.cycles - 1
        if self.swap_last_rounds and followed and last > 0 and round_index >= last - 1:
            return 2 * last - 1 - round_index
        return round_index

    def games_in(self, round_number: int) -> range:
        if not 1 <= round_number <= self.rounds:
            raise IndexError(f"there is no round {round_number}; the schedule has rounds 1 to {self.rounds}")
        number, rest = divmod(round_number - 1, self.cycle.rounds * self._passes)
        played_round, turn = divmod(rest, self._passes)
        start = self.cycle.start(played_round)
        size = self.cycle.start(played_round + 1) - start
        first = (number * self.cycle.count + start) * self._passes + turn * size
        return range(first, first + size)

    def games_of(self, entrant: int) -> Iterator[int]:
        tables = tuple(self.cycle.tables_of(self.lots.index(entrant)))
        for number in range(self.options.cycles):
            yield from sorted(game for table in tables for game in self._games_at(table, number))

    def same_deal(self, index: int) -> Sequence[int]:
        if not self.options.duplicate:
            return (index,)
        number, played_round, _, place = self._position(index)
        return tuple(self._games_at(self.cycle.start(self._swapped(played_round, number)) + place, number))

    def _games_at(self, table: int, number: int) -> Iterator[int]:
        """The games of one cycle that are played at a table of it."""
        own_round = self.cycle.round_of(table)
        place = table - self.cycle.start(own_round)
        played_round = self._swapped(own_round, number)
        first = number * self.cycle.rounds * self._passes + played_round * self._passes + 1
        return (self.games_in(first + turn)[place] for turn in range(self._passes))

    def lineups(self) -> Lineups:
        tables = np.array(self.lots)[self.cycle.lineups()]
        if self.options.partners is Partners.FIXED:
            tables = np.tile(tables, 2)
        return np.concatenate([np.roll(tables[part], -by, axis=1) for part, by in self._turns()])

    def _turns(self) -> Iterator[tuple[slice, int]]:
        """The cycle's tables in the order they are played, a turn of a round at a time, with the rotation."""
        for number in range(self.options.cycles):
            for played_round in range(self.cycle.rounds):
                own = self._swapped(played_round, number)
                part = slice(self.cycle.start(own), self.cycle.start(own + 1))
                for turn in range(self._passes):
                    yield part, turn if self.options.duplicate else number % self.options.rotations

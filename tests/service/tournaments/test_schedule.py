"""Schedules of every format and option: indices, rounds, seats, sets, openings, deals, the draw, restarts."""

from collections import Counter, defaultdict
from itertools import product

import pytest

from engines.errors import BadOption
from service.tournaments.formats import FORMATS, format_named
from service.tournaments.pairing import Options, Partners
from tests.service.tournaments.counting import games_of, meetings, seat_spread

SEED = bytes(range(32))
TABLES = [
    Options(),
    Options(seats=3),
    Options(seats=4),
    Options(seats=4, partners=Partners.FIXED),
    Options(seats=4, partners=Partners.ROTATING),
]
WAYS = [
    Options(table.seats, table.partners, cycles, openings, duplicate)
    for table, cycles, openings, duplicate in product(
        TABLES, (1, 2, 3, 4), (None, True, False), (False, True)
    )
]


def cases(entrants, options=WAYS, challengers=(1, 2, 5)):
    for count, way in product(entrants, options):
        if way.partners is Partners.FIXED or count >= way.seats:
            if way.partners is not Partners.ROTATING or 4 <= count <= 16:
                yield FORMATS["round-robin"], count, way
            if way.seats == 2 or way.partners is Partners.FIXED:
                for few in challengers:
                    if few < count:
                        gauntlet = Options(
                            way.seats, way.partners, way.cycles, way.openings, way.duplicate, few
                        )
                        yield FORMATS["gauntlet"], count, gauntlet


def schedules(entrants, **kwargs):
    for kind, count, options in cases(entrants, **kwargs):
        yield count, options, kind.schedule(count, options, SEED, {})


@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 7, 8, 13, 18])
def test_indices_rounds_and_tables_count_up(entrants):
    for _, _, schedule in schedules([entrants]):
        games = games_of(schedule)
        assert [game.game for game in games] == list(range(schedule.count))
        listed = [(number, i) for number in range(1, schedule.rounds + 1) for i in schedule.games_in(number)]
        assert listed == [(game.round, game.game) for game in games]
        for number in range(1, schedule.rounds + 1):
            own = schedule.games_in(number)
            assert [games[i].table for i in own] == list(range(1, len(own) + 1))
        assert schedule.complete


@pytest.mark.parametrize("entrants", [2, 5, 8, 18])
def test_the_games_of_an_entrant(entrants):
    for count, _, schedule in schedules([entrants]):
        games = games_of(schedule)
        for entrant in range(count):
            assert list(schedule.games_of(entrant)) == [g.game for g in games if entrant in g.seats]


def test_nothing_lies_outside():
    schedule = FORMATS["round-robin"].schedule(4, Options(), None, {})
    for index in (-1, 6):
        with pytest.raises(IndexError, match="games 0 to 5"):
            schedule.game(index)
    for number in (0, 4):
        with pytest.raises(IndexError, match="rounds 1 to 3"):
            schedule.games_in(number)


@pytest.mark.parametrize("entrants", range(2, 65))
def test_round_robin_is_balanced_for_every_number_of_entrants(entrants):
    """F2: equal meetings, or the imbalance is stated; every seat equally often, ±1 in each cycle."""
    for options in TABLES:
        if entrants < (2 if options.partners is Partners.FIXED else options.seats):
            continue
        if options.partners is Partners.ROTATING and not 4 < entrants <= 16:
            continue
        schedule = FORMATS["round-robin"].schedule(entrants, options, SEED, {})
        tables = [game.seats for game in games_of(schedule)]
        if options.partners is Partners.FIXED:
            tables = [table[:2] for table in tables]
        assert seat_spread(tables) <= 1
        counts = meetings(tables)
        assert len(counts) == entrants * (entrants - 1) // 2
        least, most = min(counts.values()), max(counts.values())
        assert least == most or any(f"meet {least} to {most} times" in note for note in schedule.notes)


@pytest.mark.parametrize("entrants", range(2, 65))
def test_a_gauntlet_meets_each_other_once_and_balances_the_seats(entrants):
    for challengers in {1, 2, entrants // 2, entrants - 1} & set(range(1, entrants)):
        schedule = FORMATS["gauntlet"].schedule(entrants, Options(challengers=challengers), SEED, {})
        tables = [game.seats for game in games_of(schedule)]
        wanted = {frozenset((c, o)) for c in range(challengers) for o in range(challengers, entrants)}
        assert meetings(tables) == dict.fromkeys(wanted, 1)
        assert seat_spread(tables) <= 1
        for number in range(1, schedule.rounds + 1):
            seated = [p for i in schedule.games_in(number) for p in tables[i]]
            assert len(seated) == len(set(seated))


@pytest.mark.parametrize("entrants", [4, 5, 8, 13])
def test_a_set_is_one_table_from_every_rotation(entrants):
    for _, options, schedule in schedules([entrants]):
        if not options.duplicate and options.cycles % options.rotations:
            continue
        sets = defaultdict(list)
        for game in games_of(schedule):
            sets[game.set].append(game.seats)
        for seats in sets.values():
            assert len(seats) == options.rotations
            for seat in range(options.seats):
                assert {table[seat] for table in seats} == set(seats[0])


@pytest.mark.parametrize("entrants", [4, 7, 9])
def test_openings_and_deals_are_those_of_the_set(entrants):
    for _, options, schedule in schedules([entrants]):
        for game in games_of(schedule):
            wanted = options.cycles > 1 if options.openings is None else options.openings
            assert game.opening == (game.set if wanted else None)
            assert game.deal == (game.set if options.duplicate else None)


def test_duplicate_deals_are_played_set_by_set():
    schedule = FORMATS["round-robin"].schedule(8, Options(seats=4, duplicate=True), SEED, {})
    by_round = [
        [schedule.game(i).set for i in schedule.games_in(number)] for number in range(1, schedule.rounds + 1)
    ]
    assert schedule.count == 4 * 14
    for first in range(0, len(by_round), 4):
        assert by_round[first : first + 4] == [by_round[first]] * 4


def test_fixed_teams_hold_opposite_seats():
    schedule = FORMATS["round-robin"].schedule(3, Options(4, Partners.FIXED, cycles=2), None, {})
    pairs = [(1, 2), (2, 0), (0, 1), (2, 1), (1, 0), (0, 2)]
    assert [game.seats for game in games_of(schedule)] == [pair * 2 for pair in pairs]


def test_every_cycle_moves_the_seats_on():
    schedule = FORMATS["round-robin"].schedule(4, Options(seats=4, cycles=4), None, {})
    assert [game.seats for game in games_of(schedule)] == [
        (0, 1, 2, 3),
        (1, 2, 3, 0),
        (2, 3, 0, 1),
        (3, 0, 1, 2),
    ]


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (Options(cycles=3), "the last openings are played from only 1 of the 2 rotations of seats"),
        (Options(4, cycles=2), "the last openings are played from only 2 of the 4 rotations of seats"),
        (Options(4, Partners.FIXED), "first bot always holds the lower of its two seats"),
    ],
)
def test_what_is_uneven_is_stated(options, note):
    assert any(note in text for text in FORMATS["round-robin"].schedule(4, options, None, {}).notes)


def test_an_even_schedule_has_nothing_to_state():
    assert FORMATS["round-robin"].schedule(6, Options(cycles=2), None, {}).notes == ()


def test_a_restarted_coordinator_makes_the_same_schedule():
    for kind, count, options in cases([5, 8]):
        one, other = (games_of(kind.schedule(count, options, SEED, {})) for _ in range(2))
        assert one == other


def test_the_seed_draws_the_lots():
    plain, drawn, other = (
        games_of(FORMATS["round-robin"].schedule(8, Options(), seed, {})) for seed in (None, SEED, bytes(32))
    )
    assert plain[0].seats == (0, 7)
    lots = {
        p: d for one, two in zip(plain, drawn, strict=True) for p, d in zip(one.seats, two.seats, strict=True)
    }
    assert sorted(lots.values()) == list(range(8))
    assert [tuple(lots[p] for p in game.seats) for game in plain] == [game.seats for game in drawn]
    assert drawn != other


def test_the_challengers_are_the_first_to_enter_whatever_the_draw():
    schedule = FORMATS["gauntlet"].schedule(10, Options(challengers=2), SEED, {})
    played = Counter(entrant for game in games_of(schedule) for entrant in game.seats)
    assert played == {0: 8, 1: 8, **dict.fromkeys(range(2, 10), 2)}


def test_any_game_of_a_thousand_entrants_is_made_alone():
    schedule = FORMATS["round-robin"].schedule(1000, Options(), SEED, {})
    assert schedule.count == 499_500
    assert schedule.game(499_499).round == schedule.rounds == 999
    assert len(set(schedule.game(250_000).seats)) == 2


@pytest.mark.parametrize(
    ("name", "entrants", "options", "field"),
    [
        ("round-robin", 1, {}, "entrants"),
        ("round-robin", 3, {"seats": 4}, "entrants"),
        ("round-robin", 2, {"seats": 5}, "seats"),
        ("round-robin", 8, {"seats": 2, "partners": Partners.FIXED}, "partners"),
        ("round-robin", 17, {"seats": 4, "partners": Partners.ROTATING}, "partners"),
        ("round-robin", 8, {"cycles": 0}, "cycles"),
        ("gauntlet", 8, {"challengers": 0}, "challengers"),
        ("gauntlet", 3, {"challengers": 3}, "challengers"),
        ("gauntlet", 8, {"seats": 3}, "seats"),
    ],
)
def test_what_cannot_be_scheduled_is_refused_by_its_field(name, entrants, options, field):
    with pytest.raises(BadOption) as refused:
        FORMATS[name].schedule(entrants, Options(**options), None, {})
    assert refused.value.field == field


def test_an_unknown_format_names_the_known_ones():
    assert format_named("gauntlet").name == "gauntlet"
    with pytest.raises(BadOption, match="round-robin, gauntlet"):
        format_named("swiss")

"""The engine against the second implementation, ply by ply, over random play of every variant."""

import random
from dataclasses import replace

import pytest

from engines.registry import GAMES
from engines.sorry.board import HOME, PLACE_NAMES, START, decode, encode
from engines.sorry.cards import SEVEN, names
from tests.engines.sorry.reference import Reference, freeze

OPTIONS = [{}, {"turn_limit": 90}, {"first": "seed"}]
POINTS_OPTIONS = [
    {"first": "seed", "deals": 2},
    {"deals": 3, "winner_first": True, "bonus": "all", "turn_limit": 150},
]
VARIANTS = [(name, seats) for name, game in GAMES.items() if name.startswith("sorry") for seats in game.seats]


def positions_compared(name, seats, options, seed, leaving=0.0):
    """Play one random game on both, comparing everything; the number of positions.

    `leaving` is the chance, at each ply, that a seat falls out (S31).
    """
    game = GAMES[name]
    full = game.full_options(options)
    state = game.start(seats, full, seed)
    reference = Reference(name, seats, seed, {"deals": 1, "winner_first": False, "bonus": "highest"} | full)
    chosen = random.Random(seed)
    positions = 0
    while state.outcome is None:
        compare(state, reference)
        if chosen.random() < leaving:
            leaver = chosen.choice(state.playing())
            state = state.without(leaver)
            reference.leave(leaver)
            continue
        move = chosen.choice(state.legal_moves())
        state = state.apply(move)
        reference.play(move.text)
        positions += 1
    assert state.legal_moves() in ((), [])
    placing, reason, points = reference.over
    assert (state.outcome.placing, state.outcome.reason, state.outcome.points) == (placing, reason, points)
    assert frozen(state.setup, state.board) == freeze(reference.pawns)
    return positions


def compare(state, reference):
    assert (state.to_move, state.turn, state.first) == (reference.mover, reference.turn, reference.first)
    assert [names(state.held(seat)) for seat in range(state.setup.seats)] == reference.hands
    assert (names(state.piles.draw), names(state.piles.discards)) == (reference.pile, reference.discards)
    agree(state, reference.listed())


def agree(state, listed):
    """The engine lists these texts, in order, and they lead to the same positions."""
    moves = state.legal_moves()
    assert [move.text for move in moves] == sorted(listed)
    for move in moves:
        assert frozen(state.setup, move.board) == freeze(listed[move.text])


def frozen(setup, board):
    return frozenset(
        (letter, tuple(sorted(PLACE_NAMES[place] for place in decode(board, colour))))
        for colour, letter in enumerate("rbyg")
    )


def options_for(name):
    return OPTIONS + (POINTS_OPTIONS if name == "sorry-points" else [])


@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_a_game_with_each_options(name, seats):
    for number, options in enumerate(options_for(name)):
        assert positions_compared(name, seats, options, bytes([number]) * 32)


@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_games_that_seats_leave(name, seats):
    """S31"""
    for number, options in enumerate(options_for(name)):
        positions_compared(name, seats, options, bytes([number]) * 32, leaving=0.02)


def sevens_agree(count, seed):
    """Team 7s with the side's pawns crowded together, where the order of the parts matters most (S23)."""
    chosen = random.Random(seed)
    game = GAMES["sorry-teams"]
    start = game.start(4, game.full_options({}), bytes(32))
    for _ in range(count):
        begin = chosen.randrange(60)
        places = [(begin + n) % 60 for n in chosen.sample(range(14), 8)]
        pawns = [
            [START, HOME, *places[:2]],
            [START] * 2 + places[5:7],
            [HOME, *places[2:5]],
            [HOME] * 3 + places[7:],
        ]
        seat = chosen.randrange(4)
        state = replace(start, board=encode(pawns), to_move=seat, card=SEVEN)
        reference = Reference("sorry-teams", 4, bytes(32), game.full_options({}))
        reference.mover = seat
        reference.hands[seat] = ["7"]
        reference.pawns = {
            ("rbyg"[colour], n): PLACE_NAMES[place]
            for colour, own in enumerate(pawns)
            for n, place in enumerate(own)
        }
        agree(state, reference.listed())


def test_crowded_team_sevens():
    sevens_agree(20, 7)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_crowded_team_sevens():
    sevens_agree(2_000, 23)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_ten_thousand_positions(name, seats):
    options = options_for(name)
    positions = game_number = 0
    while positions < 10_000:
        seed = game_number.to_bytes(32, "little")
        leaving = 0.003 if game_number % 4 == 0 else 0.0
        positions += positions_compared(name, seats, options[game_number % len(options)], seed, leaving)
        game_number += 1

"""What a seat may know: never the draw pile's order, never another hand."""

import json
import random
from dataclasses import replace

import pytest

from engines.registry import GAMES
from engines.sorry.cards import Piles
from tests.engines.sorry.boards import SEED

VARIANTS = [(name, seats) for name, game in GAMES.items() if name.startswith("sorry") for seats in game.seats]


def some_states(name, seats, count=60):
    game = GAMES[name]
    chosen = random.Random(seats)
    state = game.start(seats, game.full_options({}), SEED)
    for _ in range(count):
        state = state.apply(chosen.choice(state.legal_moves()))
        while len(state.piles.draw) < 8:  # enough to be dealt otherwise
            state = state.apply(chosen.choice(state.legal_moves()))
        yield state


def redealt(state, viewer, chosen):
    """A state that differs from `state` in all that `viewer` may not know, and in nothing else."""
    secret = bytearray(state.piles.draw)
    others = [] if state.setup.points is False else [s for s in range(state.setup.seats) if s != viewer]
    for seat in others:
        secret += state.held(seat)
    mixed = list(secret)
    chosen.shuffle(mixed)
    piles = Piles(bytes(mixed[: len(state.piles.draw)]), state.piles.discards, state.piles.stream)
    rest = bytes(mixed[len(state.piles.draw) :])
    changes = {"piles": replace_stream(piles, chosen)}
    if others:
        hands = list(state.hands)
        for seat in others:
            size = len(hands[seat])
            hands[seat], rest = rest[:size], rest[size:]
        changes["hands"] = tuple(hands)
    return replace(state, **changes)


def replace_stream(piles, chosen):
    return piles._replace(
        stream=replace(piles.stream, seed=chosen.randbytes(32), counter=chosen.randrange(99))
    )


@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_what_is_hidden_does_not_show(name, seats):
    chosen = random.Random(1)
    for state in some_states(name, seats):
        for viewer in (None, *range(seats)):
            other = redealt(state, viewer, chosen)
            assert other.piles.draw != state.piles.draw
            assert json.dumps(other.view(viewer)) == json.dumps(state.view(viewer))
            assert other.text(viewer) == state.text(viewer)
            assert str(other) == str(state)
            if viewer == state.to_move:
                assert other.legal_moves() == state.legal_moves()


@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_a_seat_sees_its_own_cards(name, seats):
    for state in some_states(name, seats):
        for viewer in range(seats):
            view = state.view(viewer)
            if name == "sorry-points":
                assert len(view["hand"]) == 5
                assert state.view(None)["hand"] is None
            else:
                assert view == state.view(None)
                assert view["card"]


@pytest.mark.parametrize(("name", "seats"), VARIANTS)
def test_a_text_is_read_back_with_the_unknown_dealt(name, seats):
    """Every hidden card is somewhere else by another seed, all cards are there, the known ones in place."""
    game = GAMES[name]
    options = game.full_options({})
    for state in some_states(name, seats):
        for viewer in (None, *range(seats)):
            first, second = (
                game.position(state.text(viewer), seats, options, bytes([n]) * 32) for n in (1, 2)
            )
            assert first.view(viewer) == second.view(viewer) == state.view(viewer)
            assert first.piles.draw != second.piles.draw
            assert every_card(first) == every_card(second) == every_card(state)


def every_card(state):
    hands = [state.held(seat) for seat in range(state.setup.seats)]
    return sorted(b"".join([state.piles.draw, state.piles.discards, *hands]))

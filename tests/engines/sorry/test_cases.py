"""Every recorded position: the positions that may follow are those and no others (S14-S24, S27)."""

import json
from collections import Counter
from pathlib import Path

import pytest

from engines.registry import GAMES
from engines.sorry.cards import DECK, NAMES
from tests.engines.sorry.boards import SEED, board_pawns, drawn, texts

CASES = Path(__file__).parents[2] / "cases"
COLOURS = ("red", "blue", "yellow", "green")


def rows(name):
    with (CASES / f"{name}.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


def place_name(place):
    if isinstance(place, str):
        return place[0].upper()
    kind, number = place
    return str(number) if kind == "square" else f":{number + 1}"


def card_name(card):
    return "Sorry!" if card == "sorry" else card


def by_letter(position):
    return {colour[0]: sorted(map(place_name, places)) for colour, places in position.items()}


def state_of(name, row):
    """The engine's position of a row, the unknown cards anywhere."""
    game = GAMES[name]
    pawns = " ".join(f"{letter}={','.join(places)}" for letter, places in by_letter(row["position"]).items())
    colours = [colour for colour in COLOURS if colour in row["position"]]
    seat = colours.index(row["player"])
    if "hand" in row:
        hands = ["*5"] * row["players"]
        hands[seat] = ",".join(map(card_name, row["hand"]))
        cards = f"hands={'/'.join(hands)} deal=1 scores={','.join('0' * row['players'])}"
        left = len(DECK) - 5 * row["players"]
    else:
        cards, left = f"card={card_name(row['card'])}", len(DECK) - 1
    line = f"{pawns} to={seat} {cards} draw={left} discards=- ply=0 turn=0 first=0"
    return game.position(line, row["players"], game.full_options({}), SEED)


def outcomes(state, moves):
    return Counter(
        json.dumps({letter: sorted(places) for letter, places in board_pawns(state, move.board).items()})
        for move in moves
    )


def expected(row):
    return Counter(json.dumps(by_letter(position)) for position in row["next"])


@pytest.mark.parametrize("name", ["sorry-positions", "sorry-teams"])
def test_positions_that_follow_a_card_drawn(name):
    for row in rows(name):
        state = state_of("sorry" if name == "sorry-positions" else name, row)
        moves = [move for move in state.legal_moves() if str(move) != "--"]
        assert outcomes(state, moves) == expected(row)
        assert ("--" in texts(state)) == (row["may_pass"] or not row["next"])


def test_positions_that_follow_a_card_of_a_hand():
    for row in rows("sorry-points"):
        state = state_of("sorry-points", row)
        card = card_name(row["card"])
        mine = [move for move in state.legal_moves() if NAMES[move.card] == card]
        moves = [move for move in mine if not str(move).endswith("--")]
        assert outcomes(state, moves) == expected(row)
        if row["playable"]:
            playable = {card_name(card) for card in row["playable"]}
            assert {NAMES[move.card] for move in state.legal_moves()} == playable
            assert len(state.legal_moves()) == row["choices"]
            assert (f"{card} --" in texts(state)) == row["may_pass"]
        else:
            assert texts(state) == sorted({f"{card_name(held)} --" for held in row["hand"]})


@pytest.mark.parametrize("seat", [0, 2])
def test_the_seven_with_most_choices(seat):
    """S23"""
    state = drawn(
        "r=7,14,22,53 b=11,16,37,50 y=8,15,23,52 g=0,26,49,56", "7", game="sorry-teams", seats=4, to=seat
    )
    moves = state.legal_moves()
    assert len(moves) == len({move.board for move in moves}) == len(set(texts(state))) == 4619

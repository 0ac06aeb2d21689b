"""Positions that need each kind of move, found by seeded random play, as matches that begin there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engines.chance import Stream
from engines.clock import Control
from engines.game import SEED_BYTES, Game, State
from engines.referee import Setup

MAX_GAMES = 200  # random games looked through for rare kinds

Texts = Sequence[str]
Kind = Callable[[State, Texts], bool]


def _wins(state: State, texts: Texts) -> bool:
    return any(_place_after(state, text) == 1 for text in texts)


def _loses(state: State, texts: Texts) -> bool:
    return any((_place_after(state, text) or 1) > 1 for text in texts)


def _place_after(state: State, text: str) -> int | None:
    outcome = state.apply(state.move(text)).outcome
    return None if outcome is None or outcome.drawn else outcome.placing[state.to_move]


def _ply(number: int) -> Kind:
    return lambda state, texts: state.ply == number


def _some(part: str) -> Kind:
    """Some move's text holds `part`."""
    return lambda state, texts: any(part in text for text in texts)


def _some_with(start: str, part: str) -> Kind:
    return lambda state, texts: any(text.startswith(start) and part in text for text in texts)


def _only(end: str) -> Kind:
    return lambda state, texts: all(text.endswith(end) for text in texts)


def _split(parts: int) -> Kind:
    return lambda state, texts: any(text.startswith("7 ") and text.count("-") >= parts for text in texts)


def _at_least(count: int) -> Kind:
    return lambda state, texts: len(texts) >= count


def _other_pawns(state: State, texts: Texts) -> bool:
    return len({text.split(" ")[1][0] for text in texts if " " in text}) > 1


def _other_cards(state: State, texts: Texts) -> bool:
    return len({text.split(" ")[0] for text in texts}) > 2


_QUIXO: Mapping[str, Kind] = {
    "the empty board": _ply(0),
    "the first round, when only blank cubes may be taken (Q5)": _ply(1),
    "the middle of a game": _ply(12),
    "a line that can be completed (Q12)": _wins,
    "a line of the other side that should not be (Q13)": _loses,
}
_SORRY: Mapping[str, Kind] = {
    "a pawn to start (S14)": _some("S-"),
    "a 4, backward (S15)": _some_with("4 ", "-"),
    "a 7 to split (S16)": _split(2),
    "a 10 (S17)": _some_with("10 ", "-"),
    "an 11 to change places (S18)": _some_with("11 ", "x"),
    "a Sorry! (S19)": _some("Sorry! "),
    "a safety zone (S10)": _some("-:"),
    "a way HOME (S11)": _some("-H"),
}
KINDS: Mapping[str, Mapping[str, Kind]] = {
    "quixo": _QUIXO,
    "quixo-teams": {**_QUIXO, "dots to turn (Q10)": _ply(5)},
    "sorry": {**_SORRY, "an 11 that may be declined (S18)": lambda state, texts: "--" in texts},
    "sorry-teams": {
        **_SORRY,
        "the partner's pawns (S21)": _other_pawns,
        "a 7 split in three (S23)": _split(3),
        "a 7 with many choices (S23)": _at_least(150),
    },
    "sorry-points": {
        **_SORRY,
        "a hand of cards (S27)": _other_cards,
        "a card to put down (S27)": _only(" --"),
        "an 11 that may be put down (S27)": lambda state, texts: (
            "11 --" in texts and not _only(" --")(state, texts)
        ),
    },
}


def positions(game: Game, control: Control) -> Iterator[tuple[str, Setup]]:
    """Every kind of the game with a match whose opening leads to it; a kind that was not met is left out."""
    wanted = dict(KINDS[game.name])
    for number in range(MAX_GAMES):
        seed = number.to_bytes(SEED_BYTES, "big")
        for state in _random_game(game, seed):
            texts = [str(move) for move in state.legal_moves()]
            for name in [name for name, kind in wanted.items() if len(texts) > 1 and kind(state, texts)]:
                del wanted[name]
                yield name, setup(game, control, seed, state.ply)
        if not wanted:
            return


def setup(game: Game, control: Control, seed: bytes, plies: int) -> Setup:
    """A match with the fewest seats and the default options that begins with seeded random plies."""
    options = game.full_options({})
    return Setup(game, game.seats[0], options, control, seed, opening_plies=plies, opening_seed=seed)


def _random_game(game: Game, seed: bytes) -> Iterator[State]:
    """The positions of the game that the referee's opening would play."""
    state = game.start(game.seats[0], game.full_options({}), seed)
    stream = Stream(seed, b"opening")
    while state.outcome is None:
        yield state
        legal = state.legal_moves()
        index, stream = stream.below(len(legal))
        state = state.apply(legal[index])

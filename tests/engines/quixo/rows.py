"""Quixo's rules as rows: a position, what is done, what must come of it. Every row cites its rule.

`check(games)` takes the games by their seats, so that the same rows can be put before engines in which
one rule is broken.
"""

from dataclasses import dataclass, field

import pytest

from engines.errors import IllegalMove

SEED = bytes(32)


@dataclass(frozen=True)
class Row:
    rule: str
    before: str  # a position's text; "start" for the first position
    seats: int = field(default=2, kw_only=True)
    options: dict = field(default_factory=dict, kw_only=True)

    def state(self, games):
        game = games[self.seats]
        options = game.full_options(self.options)
        if self.before == "start":
            return game.start(self.seats, options, SEED)
        return game.position(self.before, self.seats, options, SEED)


@dataclass(frozen=True)
class Plays(Row):
    """The moves lead to `after`, where the game has ended as `end` says: the placing and the reason."""

    moves: str
    after: str
    end: tuple | None = None

    def check(self, games):
        state = self.state(games)
        for text in self.moves.split():
            assert state.outcome is None, state
            state = state.apply(state.move(text))
        assert state.text() == self.after
        assert ended(state) == self.end
        assert bool(state.legal_moves()) == (self.end is None)


@dataclass(frozen=True)
class Refuses(Row):
    """The move is refused with this message, and refusing it changes nothing."""

    move: str
    message: str

    def check(self, games):
        state = self.state(games)
        text = state.text()
        assert self.move not in map(str, state.legal_moves())
        assert refusal(state, self.move) == f"{self.move}: {self.message} ({self.rule})"
        assert state.text() == text


@dataclass(frozen=True)
class Allows(Row):
    """The legal moves are these (a text), or so many (a number)."""

    moves: str | int

    def check(self, games):
        legal = [str(move) for move in self.state(games).legal_moves()]
        assert (len(legal) if isinstance(self.moves, int) else " ".join(legal)) == self.moves


@dataclass(frozen=True)
class Stands(Row):
    """The position as read is over in this way (None: it is not); `without` falls out first, if given."""

    end: tuple | None
    without: int | None = None

    def check(self, games):
        state = self.state(games)
        if self.without is not None:
            state = state.without(self.without)
        assert ended(state) == self.end
        assert bool(state.legal_moves()) == (self.end is None)


def ended(state):
    return state.outcome and (state.outcome.placing, str(state.outcome.reason))


def refusal(state, text):
    with pytest.raises(IllegalMove) as refused:
        state.move(text)
    assert refused.value.move == text
    return str(refused.value)

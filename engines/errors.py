"""What can be wrong with what a caller hands to the engines.

GameError
├── IllegalMove    a move that the rules refuse; names the rule
├── BadPosition    a text that is no position of the game
├── BadOption      a match option that the game does not have, or a value it cannot take
└── BadSeats       a number of seats that the game is not played with
"""

MAX_SHOWN = 80  # characters of a refused move that the sentence about it quotes


class GameError(ValueError):
    """Base of the errors a caller can mend; `str()` is one sentence for a person."""


class IllegalMove(GameError):
    """A move refused by the rules. `str()` reads "<move>: <why> (<rule>)".

    `move` is the text as it came; `rule` is the rule's number in the rule pages ("Q4", "S8").
    """

    def __init__(self, move: str, why: str, rule: str) -> None:
        shown = move if len(move) <= MAX_SHOWN else move[:MAX_SHOWN] + "…"
        super().__init__(f"{shown}: {why} ({rule})")
        self.move = move
        self.why = why
        self.rule = rule


class BadPosition(GameError):
    """A text that does not describe a position of the game."""


class BadOption(GameError):
    """An option the game does not have, or a value it cannot take; `field` is the option's name."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


class BadSeats(GameError):
    """A number of seats that the game is not played with."""

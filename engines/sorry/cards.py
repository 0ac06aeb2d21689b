"""The deck (S2) and the two piles (S5).

A card is its face value, Sorry! is 13; a pile is `bytes`, one card each.
"""

from __future__ import annotations

from typing import NamedTuple

from engines.chance import Stream

SORRY = 13
NO_CARD = 0
VALUES = (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, SORRY)  # no 6 and no 9 (S2)
NAMES = {value: "Sorry!" if value == SORRY else str(value) for value in VALUES}
BY_NAME = {name: value for value, name in NAMES.items()}
IN_TEXT_ORDER = tuple(sorted(VALUES, key=lambda value: NAMES[value] + " "))
DECK = bytes(value for value in VALUES for _ in range(5 if value == 1 else 4))


def names(cards: bytes) -> list[str]:
    """The cards' names in their order."""
    return [NAMES[card] for card in cards]


class Piles(NamedTuple):
    """The draw pile, its top first, the discards, the oldest first, and the stream that shuffles them."""

    draw: bytes
    discards: bytes
    stream: Stream

    @classmethod
    def fresh(cls, stream: Stream) -> Piles:
        """The whole deck shuffled, taken in the order of `DECK`."""
        shuffled, stream = stream.shuffled(DECK)
        return cls(bytes(shuffled), b"", stream)

    def take(self) -> tuple[int, Piles]:
        """The top card and the piles without it; the discards are shuffled first if none is left (S5)."""
        draw, discards, stream = self
        if not draw:
            shuffled, stream = stream.shuffled(discards)
            draw, discards = bytes(shuffled), b""
        return draw[0], Piles(draw[1:], discards, stream)

    def put(self, cards: bytes) -> Piles:
        """The piles with `cards` laid on the discards, the last one on top."""
        return Piles(self.draw, self.discards + cards, self.stream)

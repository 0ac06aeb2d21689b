"""The deck (S2) and the two piles (S5).

A card is its number from 1 in the ASCII order of the names, which is the order of move texts; a pile is
`bytes`, one card each.
"""

from __future__ import annotations

from typing import NamedTuple

from engines.chance import Stream

NO_CARD = 0
VALUES = range(1, 12)
ONE, TEN, ELEVEN, TWELVE, TWO, THREE, FOUR, FIVE, SEVEN, EIGHT, SORRY = VALUES
BY_NAME = {
    "1": ONE,
    "2": TWO,
    "3": THREE,
    "4": FOUR,
    "5": FIVE,
    "7": SEVEN,
    "8": EIGHT,
    "10": TEN,
    "11": ELEVEN,
    "12": TWELVE,
    "Sorry!": SORRY,
}
NAMES = {value: name for name, value in BY_NAME.items()}
DECK = bytes(value for value in BY_NAME.values() for _ in range(5 if value == ONE else 4))


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

"""A position as one line: `r=S,S,17,:3 y=S,S,S,H to=1 card=5 draw=30 discards=1,12 ply=9 turn=7 first=0`.

Pawns by colour, the seat to move, the card drawn (`-` once the game is over), the draw pile's size, the
discards (oldest first), plies, turns that are over, the seat that began; `out=2,1` if seats have fallen out.
In the points game, instead of the card, `hands=*5/1,2,5,5,Sorry!/-` by seat (`*5`: five that are not shown,
`-`: none), and `deal=1 scores=0,20,5`. What is not shown is dealt from a seed when the line is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from engines.chance import Stream
from engines.errors import BadPosition
from engines.sorry.board import COLOURS, LETTERS, PAWNS, PLACE_NAMES, PLACES_BY_NAME, TRACK, encode
from engines.sorry.cards import BY_NAME, DECK, Piles


def write(view: Mapping[str, Any]) -> str:
    """The line that tells what a view tells."""
    fields = {colour[0]: _joined(view["pawns"][colour]) for colour in view["colours"]}
    fields["to"] = str(view["to_move"])
    if "card" in view:
        fields["card"] = view["card"] or "-"
    else:
        fields["hands"] = "/".join(_hand(view, seat, size) for seat, size in enumerate(view["hands"]))
    fields["draw"] = str(view["draw_pile"])
    fields["discards"] = _joined(view["discards"])
    for name in ("ply", "turn", "first"):
        fields[name] = str(view[name])
    if "deal" in view:
        fields |= {"deal": str(view["deal"]), "scores": _joined(view["scores"])}
    if view["out"]:
        fields["out"] = _joined(view["out"])
    return " ".join(f"{name}={value}" for name, value in fields.items())


def _joined(values: Sequence[object]) -> str:
    return ",".join(map(str, values)) or "-"


def _hand(view: Mapping[str, Any], seat: int, size: int) -> str:
    if not size:
        return "-"
    return _joined(view["hand"]) if seat == view["seat"] else f"*{size}"


_CARDS = ("card", "hands", "draw", "discards")
_NAMES = (*LETTERS, *_CARDS, "to", "ply", "turn", "first", "deal", "scores", "out")
_DIGITS = 9  # of the longest number in a line


class Fields:
    """The fields of a line; every reader raises BadPosition that says which field is wrong and how."""

    def __init__(self, text: str) -> None:
        self._fields: dict[str, str] = {}
        for token in text.split():
            name, _, value = token.partition("=")
            if name not in _NAMES or not value or name in self._fields:
                raise BadPosition(f"{token!r} is no field of a position, or comes twice: write it like to=0")
            self._fields[name] = value

    def get(self, name: str) -> str:
        if name not in self._fields:
            raise BadPosition(f"{name}= is missing from the position")
        return self._fields[name]

    def items(self, name: str, default: str | None = None) -> list[str]:
        value = self.get(name) if default is None else self._fields.get(name, default)
        return [] if value == "-" else value.split(",")

    def number(self, name: str, top: int | None = None) -> int:
        return number(name, self.get(name), top)

    def numbers(self, name: str, top: int | None = None, default: str | None = None) -> tuple[int, ...]:
        return tuple(number(name, item, top) for item in self.items(name, default))

    def cards(self, name: str) -> bytes:
        return read_cards(name, self.get(name))

    def hands(self, seats: int) -> list[bytes | int]:
        """By seat, its cards or how many hidden ones it has."""
        hands = self.get("hands").split("/")
        if len(hands) != seats:
            raise BadPosition(f"hands=: there must be {seats}, one for each seat, parted by /")
        return [
            number("hands", hand[1:]) if hand.startswith("*") else read_cards("hands", hand) for hand in hands
        ]

    def board(self, colours: Sequence[int]) -> int:
        """The board of the colours still in, four pawns each, one to a square (S1, S8)."""
        pawns: list[list[int]] = [[] for _ in COLOURS]
        for colour, letter in enumerate(LETTERS):
            if colour not in colours and self.items(letter, "-"):
                raise BadPosition(f"{letter}=: nobody who is in plays this colour (S1, S31)")
        for colour in colours:
            pawns[colour] = [_place(LETTERS[colour], name) for name in self.items(LETTERS[colour])]
            if len(pawns[colour]) != PAWNS:
                raise BadPosition(f"{LETTERS[colour]}=: must name {PAWNS} pawns (S1)")
        _check_squares(pawns)
        return encode(pawns)


def number(name: str, value: str, top: int | None = None) -> int:
    """A field's number from 0 to `top`."""
    plain = value.isascii() and value.isdigit() and len(value) <= _DIGITS
    if not plain or (top is not None and int(value) > top):
        raise BadPosition(f"{name}={value}: must be a number from 0" + ("" if top is None else f" to {top}"))
    return int(value)


def read_cards(name: str, value: str) -> bytes:
    """A field's cards."""
    items = [] if value == "-" else value.split(",")
    for item in items:
        if item not in BY_NAME:
            raise BadPosition(f"{name}=: there is no card {item!r} (S2)")
    return bytes(BY_NAME[item] for item in items)


def _place(letter: str, name: str) -> int:
    if name not in PLACES_BY_NAME:
        raise BadPosition(f"{letter}={name}: a pawn stands on S, 0-59, :1-:5 or H")
    return PLACES_BY_NAME[name]


def _check_squares(pawns: Sequence[Sequence[int]]) -> None:
    for colour, places in enumerate(pawns):
        own = [place for place in places if PLACE_NAMES[place] not in "SH"]
        others = {place for other in pawns[:colour] for place in other if 0 <= place < TRACK}
        for place in own:
            if own.count(place) > 1 or place in others:
                raise BadPosition(f"two pawns stand on {PLACE_NAMES[place]} (S8)")


def deal_unknown(known: bytes, discards: bytes, draw: int, hidden: int, seed: bytes) -> tuple[bytes, Piles]:
    """The hidden cards in hands, and the piles, dealt at random from what is not known (S2).

    `known` are the cards in sight besides the discards.
    """
    unseen = Counter(DECK)
    unseen.subtract(known + discards)
    if short := [card for card, count in unseen.items() if count < 0]:
        name = next(name for name, card in BY_NAME.items() if card == short[0])
        raise BadPosition(f"there are more cards {name} than the deck has (S2)")
    cards, stream = Stream(seed).shuffled(sorted(unseen.elements()))
    if len(cards) != draw + hidden:
        raise BadPosition(
            f"draw={draw}: must be {len(cards) - hidden}, for the deck has {len(DECK)} cards (S2)"
        )
    return bytes(cards[:hidden]), Piles(bytes(cards[hidden:]), discards, stream)

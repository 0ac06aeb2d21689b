"""Sorry! drawn: 16 pawns that keep their identity, walk, slide and are bumped. Rule numbers: the rule page.

Which of a colour's pawns on START leaves it is settled here; the rules don't tell them apart (S20).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engines.sorry.board import (
    COLOURS,
    HOME,
    LETTERS,
    PAWNS,
    PLACE_NAMES,
    PLACES_BY_NAME,
    START,
    TRACK,
    slide,
)
from service.web.show.scene import Change, Event, Mark, Motion, Piece, Scene, View
from service.web.show.track import WIDTH, point, walk

_PART = re.compile(r"([rbyg])(S|H|:[1-5]|[0-9]{1,2})([-x])(S|H|:[1-5]|[0-9]{1,2})")
_GONE = "gone"


@dataclass(slots=True)
class _Table:
    """The pawns while a move is being played: where each stands, and the motions so far."""

    places: list[int | None]  # by pawn; None: not in play
    beat: int = 0
    motions: list[Motion] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    bumped: list[int] = field(default_factory=list)

    def pawn_at(self, colour: int, place: int) -> int:
        """A pawn of that colour there; the last one of several."""
        own = range(colour * PAWNS, (colour + 1) * PAWNS)
        return max(pawn for pawn in own if self.places[pawn] == place)

    def move(self, pawn: int, way: Sequence[int], start: int) -> None:
        colour, nest = divmod(pawn, PAWNS)
        self.motions.append(
            Motion(pawn, LETTERS[colour], start, tuple(point(colour, place, nest) for place in way))
        )
        self.places[pawn] = way[-1]

    def bump(self, place: int, spared: int, beat: int) -> None:
        """Send whoever stands on a square of the track to START, but the pawn that came (S8, S9)."""
        for pawn, stands in enumerate(self.places):
            if stands == place and place < TRACK and pawn != spared:
                self.move(pawn, (START,), beat)
                self.bumped.append(pawn)

    def arrive(self, pawn: int, way: Sequence[int]) -> None:
        """Walk a way, bump, and slide if it ends on another colour's triangle."""
        colour = pawn // PAWNS
        landed = way[-1]
        glide = slide(colour, landed)
        end = glide[-1] if len(glide) > 1 else landed
        ways = [*way, end] if end != landed else list(way)
        start, self.beat = self.beat, self.beat + len(way)
        self.move(pawn, ways, start)
        for place in glide:
            self.bump(place, pawn, self.beat)
        self.beat += len(ways) - len(way)
        self.mark("to", colour, end)

    def mark(self, look: str, colour: int, place: int) -> None:
        """Mark a square of track or zone."""
        if START < place < HOME:
            self.marks.append(Mark(look, *point(colour, place, 0)))


@dataclass(frozen=True, slots=True)
class SorryStage:
    """A table of Sorry!; `colours` by seat."""

    colours: tuple[str, ...]
    points: bool

    @property
    def board(self) -> str:
        return "sorry"

    @property
    def side(self) -> int:
        return WIDTH

    @property
    def beat_ms(self) -> int:
        return 110

    @property
    def seat_names(self) -> tuple[str, ...]:
        return self.colours

    @property
    def seat_looks(self) -> tuple[str, ...]:
        return tuple(colour[0] for colour in self.colours)

    def opening(self, view: View) -> Scene:
        return self._scene(_settled(view), (), view)

    def after(self, scene: Scene, event: Event, view: View) -> Change:
        table = _Table([_place(piece) for piece in scene.pieces])
        for colour, place, sign, to in _parts(event.get("move") or ""):
            table.mark("from", colour, place)
            _play(table, colour, place, sign, to)
        if _standing(table.places) != _standing(_settled(view)):
            # a new deal (S29), or pawns that left the board with their seat (S31)
            return Change(self._scene(_settled(view), (), view))
        made = self._scene(table.places, tuple(table.marks), view)
        struck = tuple(f"{COLOURS[pawn // PAWNS]} is bumped to START" for pawn in table.bumped)
        return Change(made, tuple(table.motions), struck)

    def sentence(self, move: str) -> str:
        card, _, parts = move.partition(" ")
        if move == "--":
            return "has no move and loses the turn"
        if parts == "--":
            return f"puts a {card} down"
        steps = [self._step(*part) for part in _parts(move)]
        return f"plays {card}: {', then '.join(steps)}"

    def _step(self, colour: int, place: int, sign: str, to: int) -> str:
        """One pawn's from-to in words."""
        name = COLOURS[colour]
        if sign == "x" and place != START:
            return f"{name} on {place} changes places with {to}"
        before = "START" if place == START else _spot(place)
        return f"{name} from {before} to {_spot(to)}"

    def _scene(self, places: Sequence[int | None], marks: tuple[Mark, ...], view: View) -> Scene:
        pieces = tuple(_piece(pawn, place) for pawn, place in enumerate(places))
        return Scene(pieces, marks, _slots(view), tuple(self._standing(view)))

    def _standing(self, view: View) -> Iterator[str]:
        for seat, colour in enumerate(self.colours):
            home = view["pawns"][colour].count("H")
            words = "out" if seat in view["out"] else f"{home} of {PAWNS} home"
            yield f"{words}, {view['scores'][seat]} points" if self.points else words


def _play(table: _Table, colour: int, place: int, sign: str, to: int) -> None:
    pawn = table.pawn_at(colour, place)
    if sign == "x" and place != START:  # an 11: the other one goes first, and never slides (S18)
        other = next(p for p, stands in enumerate(table.places) if stands == to)
        table.move(other, (place,), table.beat)
        table.arrive(pawn, (to,))
    else:
        table.arrive(pawn, walk(colour, place, to))


def _slots(view: View) -> dict[str, str]:
    """The cards in sight: the one drawn, the top of the discards, and how many are left."""
    discards = view["discards"]
    slots = {
        "draw": str(view["draw_pile"]),
        "discard": discards[-1] if discards else "",
        "card": view.get("card") or "",
        "turn": f"turn {view['turn'] + 1}",
    }
    return slots | ({"turn": f"deal {view['deal']}, {slots['turn']}"} if view.get("deal", 0) > 1 else {})


def _parts(move: str) -> Iterator[tuple[int, int, str, int]]:
    for letter, place, sign, to in _PART.findall(move):
        yield LETTERS.index(letter), PLACES_BY_NAME[place], sign, PLACES_BY_NAME[to]


def _settled(view: View) -> list[int | None]:
    """Pawns put where a view has them, whichever of a colour goes where."""
    places: list[int | None] = []
    for seat_out, colour in zip(_out(view), COLOURS, strict=True):
        names = view["pawns"].get(colour, ())
        own: list[int | None] = [PLACES_BY_NAME[name] for name in names]
        places += [None] * PAWNS if seat_out else own
    return places


def _out(view: View) -> Iterator[bool]:
    """By colour, whether nobody plays it (any more)."""
    for colour in COLOURS:
        yield colour not in view["colours"] or view["colours"].index(colour) in view["out"]


def _standing(places: Sequence[int | None]) -> list[list[int]]:
    """By colour, its pawns' places without telling the pawns apart."""
    groups = [places[colour * PAWNS : (colour + 1) * PAWNS] for colour in range(len(COLOURS))]
    return [sorted(place for place in group if place is not None) for group in groups]


def _piece(pawn: int, place: int | None) -> Piece:
    colour, nest = divmod(pawn, PAWNS)
    if place is None:
        return Piece(_GONE, "", *point(colour, START, nest))
    return Piece(LETTERS[colour], f"{LETTERS[colour]}{PLACE_NAMES[place]}", *point(colour, place, nest))


def _place(piece: Piece) -> int | None:
    return PLACES_BY_NAME[piece.place[1:]] if piece.place else None


def _spot(place: int) -> str:
    if place == HOME:
        return "HOME"
    return f"safety {PLACE_NAMES[place][1:]}" if place >= TRACK else str(place)

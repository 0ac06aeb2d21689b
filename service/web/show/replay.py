"""A match as frames: one for each recorded event, with what it moved, so that a script can show any of them.

A frame is a JSON-ready object:

    kind      the event's type
    turn, seat, move, by, took, comment, fault      what happened, as far as it applies
    say       the same in words, to follow the name of the seat's player
    moved     [piece, look, first beat, x, y, x, y …] for each piece that moved
    set       [look, x, y] of every piece, where they did not come there by moving
    marks     [look, x, y] of what lies under the pieces now
    slots, stands, hands      the board's short texts; words by seat; by seat a hand, or how many cards
    clock, periods            milliseconds and byo-yomi periods left, by seat
    to_move   the seat to move, null once it is over

Members that would be empty are left out, and so is `set` where nothing has changed. A frame's number is its
event's: `started` is 1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engines.clock import Clock, Control
from engines.game import SEED_BYTES, State
from engines.record import positions, setup_from
from engines.registry import game_named
from service.web.show.scene import Change, Event, Mark, Piece, Scene, Stage
from service.web.show.stages import stage_for
from service.web.show.words import duration, ending, reason

Frame = dict[str, Any]
LONGEST = 200  # characters that are shown of what somebody else wrote
_PARTS = ("connect", "tls", "send", "wait", "receive", "stall", "charged")


def cut(text: str, longest: int = LONGEST) -> str:
    """`text`, or its beginning and an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


@dataclass(slots=True)
class Replay:
    """The frames of one match, as far as its events are known.

    `header` is the record's, `secret` the server's 32 bytes.
    """

    header: Mapping[str, Any]
    secret: bytes
    frames: list[Frame] = field(default_factory=list)
    stage: Stage = field(init=False)
    scene: Scene = field(init=False)
    _opening: Scene = field(init=False)
    last_event: Event | None = None
    positions: list[str] = field(default_factory=list)  # their texts for a spectator, by frame
    _private: list[Frame] = field(default_factory=list)
    _inbox: deque[Event] = field(default_factory=deque)
    _reached: Iterator[tuple[State, Event | None]] | None = None
    _state: State = field(init=False)
    _clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        game = game_named(self.header["game"])
        seats = len(self.header["players"])
        self._state = game.start(seats, self.header["options"], bytes(SEED_BYTES))
        self._clock = Clock.start(Control.from_json(self.header["clock"]), seats)
        view = self._state.view(None)
        self.stage = stage_for(game.name, view, seats)
        self._opening = replace(self.stage.opening(view), slots={})  # the first card is not known yet
        self.scene = self._opening

    @property
    def over(self) -> bool:
        """Whether the last event is there."""
        return bool(self.frames) and self.frames[-1]["kind"] == "finished"

    def extend(self, events: Sequence[tuple[int, Event]]) -> None:
        """Add the events that are new, each with its number; a gap ends it there."""
        for number, event in events:
            if number == len(self.frames) + 1:
                self._add(event)

    def frames_for(
        self, after: int, seats: Collection[int] = (), reveal: bool = False
    ) -> list[tuple[int, Frame]]:
        """The frames behind number `after`, for whoever may see those seats' hands and receipts.

        `reveal`: all hands, as they are known once the seed is.
        """
        last = len(self.frames)
        return [(n, self._seen(n - 1, seats, reveal)) for n in range(after + 1, last + 1)]

    def scene_at(self, number: int) -> Scene:
        """The position behind frame `number`, as it is drawn; 0 is before `started`."""
        pieces = dict(enumerate(self._opening.pieces))
        for frame in self.frames[:number]:
            for index, (look, x, y) in enumerate(frame.get("set", ())):
                pieces[index] = Piece(look, "", x, y)
            for motion in frame.get("moved", ()):
                pieces[motion[0]] = Piece(motion[1], "", motion[-2], motion[-1])
        last = self.frames[number - 1] if number else {}
        marks = tuple(Mark(*mark) for mark in last.get("marks", ()))
        ordered = tuple(pieces[index] for index in sorted(pieces))
        return Scene(ordered, marks, last.get("slots", {}), last.get("stands", ()))

    def _seen(self, index: int, seats: Collection[int], reveal: bool) -> Frame:
        frame, private = self.frames[index], self._private[index]
        out: Frame = {}
        if "hands" in frame:
            shown = enumerate(zip(frame["hands"], private["hands"], strict=True))
            out["hands"] = [whole if reveal or seat in seats else size for seat, (size, whole) in shown]
        if "receipt" in private and frame["seat"] in seats:
            out["receipt"] = _receipt_words(private["receipt"])
        return frame | out if out else frame

    def _add(self, event: Event) -> None:
        change = self._step(event)
        self.last_event = event
        moved_unseen = change.scene.pieces != self.scene.pieces and not change.motions
        self.scene = change.scene
        if "remaining_us" in event:
            self._clock = Clock(
                self._clock.control, tuple(event["remaining_us"]), tuple(event["periods_left"])
            )
        self.frames.append(self._frame(event, change, moved_unseen or not self.frames))
        self.positions.append(self._state.text(None))
        private: Frame = {"receipt": event["receipt"]} if "receipt" in event else {}
        if "hands" in self.frames[-1]:
            seats = range(len(self.header["players"]))
            private["hands"] = [self._state.view(seat)["hand"] for seat in seats]
        self._private.append(private)

    def _step(self, event: Event) -> Change:
        """Follow an event to the position behind it."""
        if event["type"] == "started":
            setup = setup_from(self.header, self.secret, event)
            self._reached = positions(setup, iter(self._inbox.popleft, None))
            self._state, _ = next(self._reached)
            return Change(self.stage.opening(self._state.view(None)))
        if event["type"] in ("move", "forced") or event.get("final"):
            assert self._reached is not None, "an event came before `started`"
            self._inbox.append(event)
            self._state, _ = next(self._reached)
            return self.stage.after(self.scene, event, self._state.view(None))
        return Change(self.scene)

    def _frame(self, event: Event, change: Change, placed: bool) -> Frame:
        view = self._state.view(None)
        scene = change.scene
        frame: Frame = {
            "kind": event["type"],
            "say": self._say(event, change),
            "moved": [motion.to_json() for motion in change.motions],
            "marks": [mark.to_json() for mark in scene.marks],
            "slots": scene.slots,
            "stands": scene.seats if any(scene.seats) else (),
            "clock": [us // 1000 for us in self._clock.remaining_us],
            "periods": [left for left in self._clock.periods_left if self._clock.control.periods],
            "to_move": None if self._state.outcome or event["type"] == "finished" else view["to_move"],
        }
        frame = {name: value for name, value in frame.items() if value or name == "to_move"}
        if placed:
            frame["set"] = [[piece.look, piece.x, piece.y] for piece in scene.pieces]
        if "hands" in view:
            frame["hands"] = view["hands"]
        return frame | _facts(event)

    def _say(self, event: Event, change: Change) -> str:
        if event["type"] == "started":
            return "The match begins."
        if event["type"] == "finished":
            return ending(event["result"])
        if event["type"] == "fault":
            again = "and is out" if event["final"] else "and is asked again"
            return f"fails ({reason(event['reason'])}) {again}"
        remarks = "".join(f"; {remark}" for remark in change.remarks)
        return f"{self.stage.sentence(event['move'])}{remarks}"


def _facts(event: Event) -> Frame:
    """What an event itself tells, cut to a length that can be shown."""
    facts: Frame = {name: event[name] for name in ("turn", "seat", "by") if name in event}
    if "move" in event:
        facts["move"] = cut(event["move"], 80)
    if "charged_us" in event:
        facts["took"] = duration(event["charged_us"])
    if event.get("comment"):
        facts["comment"] = cut(event["comment"])
    if event["type"] == "fault":
        got = event["got"]
        facts["fault"] = {
            "reason": event["reason"],
            "detail": cut(event["detail"]),
            "got": None if got is None else cut(str(got)),
            "final": event["final"],
        }
    if event["type"] == "finished":
        facts["result"] = event["result"]
    return facts


def _receipt_words(receipt: Mapping[str, Any]) -> str:
    """What the exchange with a bot cost, part by part."""
    parts = [cut(receipt["detail"])] if "detail" in receipt else []
    parts += [f"{part} {duration(receipt[f'{part}_us'])}" for part in _PARTS if receipt.get(f"{part}_us")]
    if receipt.get("attempts", 1) > 1:
        parts.append(f"{receipt['attempts']} deliveries")
    if "status" in receipt:
        parts.append(f"HTTP {receipt['status']}")
    if receipt.get("body"):
        parts.append(f"body: {cut(str(receipt['body']))}")
    return " · ".join([*parts, f"stamped by {receipt.get('stamp', 'nobody')}"])

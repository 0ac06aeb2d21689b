"""The life of a tournament: what may be done in which state, and what each refusal is called."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from service.models import TournamentState as State


class Action(StrEnum):
    """What can happen to a tournament."""

    EDIT = "edit"  # its settings
    OPEN = "open"  # for entry
    ENTER = "enter"
    LEAVE = "leave"  # an entrant takes its entry back
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    WITHDRAW = "withdraw"  # an entrant, while games are being played
    RESULT = "result"  # of a game, also a late one
    REPLAY = "replay"  # a game was voided and will be played anew
    FINISH = "finish"  # every game has its result
    CANCEL = "cancel"


_STAYS_BEFORE = {State.DRAFT: State.DRAFT, State.OPEN: State.OPEN}
_STAYS_DURING = {State.RUNNING: State.RUNNING, State.PAUSED: State.PAUSED}

TRANSITIONS: Mapping[Action, Mapping[State, State]] = {
    Action.EDIT: _STAYS_BEFORE,
    Action.OPEN: {State.DRAFT: State.OPEN},
    Action.ENTER: _STAYS_BEFORE,
    Action.LEAVE: _STAYS_BEFORE,
    Action.START: {State.DRAFT: State.RUNNING, State.OPEN: State.RUNNING},
    Action.PAUSE: {State.RUNNING: State.PAUSED},
    Action.RESUME: {State.PAUSED: State.RUNNING},
    Action.WITHDRAW: _STAYS_DURING,
    Action.RESULT: _STAYS_DURING,
    Action.REPLAY: {**_STAYS_DURING, State.FINISHED: State.RUNNING},
    Action.FINISH: {State.RUNNING: State.FINISHED, State.PAUSED: State.FINISHED},
    Action.CANCEL: dict.fromkeys((State.DRAFT, State.OPEN, State.RUNNING, State.PAUSED), State.CANCELLED),
}


class Refused(ValueError):
    """An action that the state does not allow; `name` is "<action>-when-<state>"."""

    def __init__(self, action: Action, state: State) -> None:
        allowed = " or ".join(TRANSITIONS[action])
        super().__init__(f"{action}: the tournament is {state}; this needs one that is {allowed}")
        self.name = f"{action}-when-{state}"
        self.action = action
        self.state = state


def after(state: State, action: Action) -> State:
    """The state that the action leads to; raises Refused."""
    if state not in TRANSITIONS[action]:
        raise Refused(action, state)
    return TRANSITIONS[action][state]

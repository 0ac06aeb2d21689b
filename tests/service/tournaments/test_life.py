"""The life of a tournament: every action in every state."""

import pytest

from service.models import TournamentState as State
from service.tournaments.life import Action, Refused, after

DRAFT, OPEN, RUNNING, PAUSED, FINISHED, CANCELLED = State
TABLE = {  # by action: where it leads from each state that allows it
    "edit": {DRAFT: DRAFT, OPEN: OPEN},
    "open": {DRAFT: OPEN},
    "enter": {DRAFT: DRAFT, OPEN: OPEN},
    "leave": {DRAFT: DRAFT, OPEN: OPEN},
    "start": {DRAFT: RUNNING, OPEN: RUNNING},
    "pause": {RUNNING: PAUSED},
    "resume": {PAUSED: RUNNING},
    "withdraw": {RUNNING: RUNNING, PAUSED: PAUSED},
    "result": {RUNNING: RUNNING, PAUSED: PAUSED},
    "replay": {RUNNING: RUNNING, PAUSED: PAUSED, FINISHED: RUNNING},
    "finish": {RUNNING: FINISHED, PAUSED: FINISHED},
    "cancel": {DRAFT: CANCELLED, OPEN: CANCELLED, RUNNING: CANCELLED, PAUSED: CANCELLED},
}


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("state", State)
def test_every_action_in_every_state(state, action):
    if state in TABLE[action]:
        assert after(state, action) is TABLE[action][state]
        return
    with pytest.raises(Refused) as refused:
        after(state, action)
    assert refused.value.name == f"{action}-when-{state}"


def test_a_refusal_says_what_would_be_needed():
    with pytest.raises(
        Refused, match="enter: the tournament is running; this needs one that is draft or open"
    ):
        after(RUNNING, Action.ENTER)

"""Every sample plays whole matches of every game it knows, over HTTP, without a fault."""

from itertools import pairwise

import pytest

from bots import sdk
from bots.samples import alphabeta_bot
from engines.clock import PRESETS, Clock
from engines.record import positions, setup_from
from engines.referee import Turn
from tests.bots.talk import messages

MATCHES = [
    ("quixo", "random", "greedy"),
    ("quixo", "alphabeta:2", "mcts:1"),
    ("quixo", "monte-carlo:1", "alphabeta:1"),
    ("quixo-teams", "alphabeta:2", "mcts:1"),
    ("quixo-teams", "random", "greedy", "monte-carlo:1", "random"),
    ("sorry", "random", "greedy"),
    ("sorry", "greedy", "random", "greedy", "random"),
    ("sorry-teams", "random", "greedy"),
    ("sorry-points", "greedy", "random", "greedy"),
    ("sorry", "expectimax:2", "monte-carlo:1"),
    ("sorry-teams", "expectimax:2", "greedy"),
    ("sorry-points", "expectimax:2", "random"),
]


@pytest.mark.parametrize("match", MATCHES, ids=" ".join)
def test_samples_play_whole_matches(series, match):
    (record,) = series(*match)
    assert record["result"]["faults"] == []
    assert record["result"]["outcome"] in ("decided", "drawn")


def test_a_seed_repeats_a_series(series):
    one, same, other = (_moves(series("sorry", "random", "greedy", seed=seed)) for seed in (11, 11, 12))
    assert one == same
    assert one != other


def _moves(records):
    return [event["move"] for record in records for event in record["events"] if "move" in event]


def test_alphabeta_knows_which_positions_a_third_visit_would_draw(series):
    """It follows the match: with its past, the position in its memory is the referee's own (Q15)."""
    (record,) = series("quixo", "alphabeta:1", "alphabeta:1", seed=3, opening=2)
    setup = setup_from(record["header"], bytes.fromhex(record["secret"]), record["events"][0])
    follower, history = alphabeta_bot.Follower(), []
    states = list(positions(setup, record["events"]))
    for (state, _), (after, event) in pairwise(states):
        if event["seat"] == 1:
            turn = sdk.Turn.read(messages(seat=1).move(_asked(state, history), 1, None))
            assert follower.now(turn) == state
            follower.state, history = after, []
        else:
            history.append({"turn": state.ply, "seat": 0, "move": event["move"], "by": "bot"})


def _asked(state, history):
    texts = tuple(str(move) for move in state.legal_moves())
    return Turn(state.ply, 1, state, texts, Clock.start(PRESETS["blitz"], 2), tuple(history), ())

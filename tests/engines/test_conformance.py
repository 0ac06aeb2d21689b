"""The contract of engines/game.py, kept by every game with every number of seats, over random play."""

import json
import random
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.errors import BadOption, BadPosition, BadSeats, GameError, IllegalMove
from engines.game import Reason
from engines.registry import GAMES, game_named

SEATED = [(name, seats) for name, game in GAMES.items() for seats in game.seats]
JUNK = ["", "-", "--", "pass", "0", "a0N", "c3N", "e5Q", "5 r17-99", "7", "Sorry!", "ü", "\x00", "x" * 4096]
THOROUGH = 0.02  # the share of plies that get the checks that are slow
SAMPLE = 12  # moves looked at closely, of a position that has more


@dataclass
class Match:
    """A game being played at random, with what is needed to play it again."""

    game: object
    seats: int
    options: dict
    seed: bytes
    choose: random.Random

    def start(self):
        return self.game.start(self.seats, self.options, self.seed)

    @property
    def viewers(self):
        return (None, *range(self.seats))


def option_values(option):
    if option.choices:
        return st.sampled_from(option.choices)
    if isinstance(option.default, bool):
        return st.booleans()
    return st.one_of(st.just(option.default), st.integers(option.low, min(option.high, option.low + 60)))


@st.composite
def matches(draw, name, seats):
    game = GAMES[name]
    given_options = {option: draw(option_values(value)) for option, value in game.options.items()}
    if draw(st.booleans()):
        given_options = {}
    seed = draw(st.binary(min_size=32, max_size=32))
    return Match(
        game, seats, game.full_options(given_options), seed, random.Random(draw(st.integers(0, 2**32)))
    )


def examples(count):
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=count, deadline=None, suppress_health_check=slow, derandomize=True)


def over_all_games(test):
    """The test for each game and number of seats: with its defaults and a few matches, or with many."""

    @pytest.mark.parametrize(("name", "seats"), SEATED)
    def few(name, seats):
        game = GAMES[name]
        test(Match(game, seats, game.full_options({}), bytes(range(32)), random.Random(1)))
        examples(8)(given(matches(name, seats))(test))()

    @pytest.mark.long
    @pytest.mark.timeout(3600)
    @pytest.mark.parametrize(("name", "seats"), SEATED)
    def many(name, seats):
        examples(100)(given(matches(name, seats))(test))()

    return few, many


def picture(match, state):
    """Everything a state tells, for comparing it with itself later."""
    return (
        [json.dumps(state.view(viewer)) for viewer in match.viewers],
        [state.text(viewer) for viewer in match.viewers],
        list(map(str, state.legal_moves())),
        str(state),
        (state.to_move, state.ply, state.outcome),
    )


def play(match, check=None):
    """Play to the end; `check` sees every position. The last state and the record of moves."""
    state = match.start()
    record = []
    while state.outcome is None:
        if check:
            check(match, state)
        move = match.choose.choice(state.legal_moves())
        record.append(str(move))
        state = state.apply(move)
    return state, record


# laws of one position


def moves_are_sorted_and_once(match, state):
    texts = [str(move) for move in state.legal_moves()]
    assert texts == sorted(set(texts))
    assert texts
    assert 0 <= state.to_move < match.seats


def moves_round_trip(match, state):
    moves = state.legal_moves()
    for move in match.choose.sample(list(moves), min(SAMPLE, len(moves))):
        assert state.move(str(move)) == move
        assert hash(state.move(str(move))) == hash(move)


def apply_leaves_its_argument_alone(match, state):
    before = picture(match, state)
    moves = state.legal_moves()
    for move in match.choose.sample(list(moves), min(SAMPLE, len(moves))):
        after = state.apply(move)
        assert after.ply == state.ply + 1
        assert after is not state
        assert state.apply(move) == after
    assert picture(match, state) == before


def a_state_cannot_be_set(match, state):
    for name in ("ply", "to_move", "outcome"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(state, name, 0)


def illegal_moves_are_refused(match, state):
    """Junk, and moves of other positions: refused with a rule, and nothing changes."""
    before = picture(match, state)
    moves = state.legal_moves()
    elsewhere = [str(move) for move in state.apply(match.choose.choice(moves)).legal_moves()[:SAMPLE]]
    for text in JUNK + elsewhere:
        read = reading(state, text)
        if isinstance(read, IllegalMove):
            assert read.move == text
            assert str(read).endswith(f": {read.why} ({read.rule})")
        else:
            assert read in moves  # another text of a legal one
    assert picture(match, state) == before


def reading(state, text):
    """The move that a text names, or the refusal."""
    try:
        return state.move(text)
    except IllegalMove as refused:
        return refused


def views_are_json(match, state):
    for viewer in match.viewers:
        view = state.view(viewer)
        assert json.loads(json.dumps(view, allow_nan=False)) == view
        if not match.game.hidden:
            assert view == state.view(None)


def texts_are_read_back(match, state):
    for viewer in match.viewers:
        text = state.text(viewer)
        assert "\n" not in text
        again = match.game.position(text, match.seats, match.options, match.seed)
        assert again.text(viewer) == text
        assert (again.to_move, again.ply) == (state.to_move, state.ply)
        if viewer == state.to_move:
            assert list(map(str, again.legal_moves())) == list(map(str, state.legal_moves()))


LAWS = [
    moves_round_trip,
    apply_leaves_its_argument_alone,
    a_state_cannot_be_set,
    illegal_moves_are_refused,
    views_are_json,
    texts_are_read_back,
]


def check_position(match, state):
    moves_are_sorted_and_once(match, state)
    if state.ply < 2 or match.choose.random() < THOROUGH:
        for law in LAWS:
            law(match, state)


def check_end(match, state):
    """The outcome stands only at the end, and nothing can be played after it."""
    outcome = state.outcome
    assert list(state.legal_moves()) == []
    assert len(outcome.placing) == match.seats
    assert min(outcome.placing) == 1
    assert all(1 <= place <= match.seats for place in outcome.placing)
    assert isinstance(outcome.reason, Reason)
    assert outcome.points is None or len(outcome.points) == match.seats
    if match.game.teams:
        assert outcome.placing[:2] == outcome.placing[2:]
    with pytest.raises(IllegalMove):
        state.move("--")
    views_are_json(match, state)
    assert str(state)


# games


def positions_keep_the_laws(match):
    state, _ = play(match, check=check_position)
    check_end(match, state)


def the_record_replays(match):
    """The moves' texts and the seed lead to the same states."""
    end, record = play(match)
    state = match.start()
    for text in record:
        assert state.outcome is None
        state = state.apply(state.move(text))
    assert state == end
    assert picture(match, state) == picture(match, end)


def only_chance_needs_the_seed(match):
    other = match.game.start(match.seats, match.options, bytes(32))
    same = picture(match, other) == picture(match, match.start())
    assert same or match.game.chance


def seats_may_fall_out(match):
    """Q17, S31: at random moments; the rest play on, whoever left stands behind everybody who did not."""
    state = match.start()
    left = []
    while state.outcome is None:
        check_position(match, state)
        assert state.to_move not in left
        if match.choose.random() < 0.03:
            leaver = match.choose.choice([seat for seat in range(match.seats) if seat not in left])
            before = picture(match, state)
            after = state.without(leaver)
            assert picture(match, state) == before
            left += leavers(match.game, match.seats, leaver)
            state = after
        else:
            state = state.apply(match.choose.choice(state.legal_moves()))
    check_end(match, state)
    stayed = [seat for seat in range(match.seats) if seat not in left]
    places = state.outcome.placing
    assert all(places[seat] < places[leaver] for seat in stayed for leaver in left)
    if match.game.team(0) is None:
        assert [places[leaver] for leaver in left] == list(range(match.seats, len(stayed), -1))


def leavers(game, seats, seat):
    team = game.team(seat)
    return [seat] if team is None else [other for other in range(seats) if game.team(other) == team]


test_positions_keep_the_laws, test_positions_keep_the_laws_at_length = over_all_games(positions_keep_the_laws)
test_the_record_replays, test_the_record_replays_at_length = over_all_games(the_record_replays)
test_only_chance_needs_the_seed, _ = over_all_games(only_chance_needs_the_seed)
test_seats_may_fall_out, test_seats_may_fall_out_at_length = over_all_games(seats_may_fall_out)


@pytest.mark.parametrize("name", GAMES)
def test_what_a_game_says_of_itself(name):
    game = game_named(name)
    assert game.name == name
    assert game.title
    assert game.seats == tuple(sorted(set(game.seats)))
    assert game.version >= 1
    assert game.full_options({}) == {option: value.default for option, value in game.options.items()}
    for option in game.options.values():
        assert option.help
        assert option.rule[0] in "QS"
        assert option.check("option", option.default) == option.default


@pytest.mark.parametrize("name", GAMES)
def test_what_a_game_refuses(name):
    game = game_named(name)
    with pytest.raises(BadSeats):
        game.check_seats(7)
    with pytest.raises(BadOption):
        game.full_options({"no_such_option": 1})
    with pytest.raises(BadPosition):
        game.position("no position", game.seats[0], game.full_options({}), bytes(32))


def test_an_unknown_game():
    with pytest.raises(GameError, match="there is no game 'chess'"):
        game_named("chess")

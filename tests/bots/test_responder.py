"""What a bot makes of messages and of what its author's functions return."""

import pytest

from bots.sdk import Bot, Resign
from bots.sdk.responder import BadMessage, written
from engines.protocol import verify_answer
from engines.registry import GAMES
from tests.bots.talk import SECRET, end_message, move_message, start_message

QUIXO = GAMES["quixo"]
START = QUIXO.start(2, QUIXO.full_options({}), bytes(32))


class Index:
    """An integer of another library, as numpy has them."""

    def __index__(self):
        return 3


@pytest.mark.parametrize(
    ("choice", "reply"),
    [
        ("c1N", {"move": "c1N"}),
        (3, {"move": 3}),
        (Index(), {"move": 3}),
        (START.move("c1n"), {"move": "c1N"}),
        (Resign(), {"resign": True}),
        (("c1N", "why not"), {"move": "c1N", "comment": "why not"}),
        ((Resign(), 7), {"resign": True, "comment": "7"}),
        (("c1N", None), {"move": "c1N"}),
    ],
)
def test_every_way_to_return_a_move(choice, reply):
    assert written(choice) == reply


@pytest.mark.parametrize("choice", [None, True, (None, "nothing")])
def test_what_is_no_move_is_refused_with_advice(choice):
    with pytest.raises(TypeError, match=r"return a move's text, its index"):
        written(choice)


def test_functions_are_chosen_by_game():
    bot = Bot("b")
    bot.move("quixo", "quixo-teams")(lambda turn: "from quixo")
    bot.move("sorry")(lambda turn: "from sorry")
    assert bot.games == ["quixo", "quixo-teams", "sorry"]
    assert bot.answer(move_message("quixo"), None).reply == {"move": "from quixo"}
    assert bot.answer(move_message("sorry"), None).reply == {"move": "from sorry"}
    with pytest.raises(BadMessage, match="b does not play sorry-points"):
        bot.answer(move_message("sorry-points"), None)
    bot.move(lambda turn: "from the rest")
    assert bot.answer(move_message("sorry-points"), None).reply == {"move": "from the rest"}
    assert bot.games == sorted(GAMES)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_turn_holds_what_the_message_tells(game):
    seen = []
    bot = Bot("b")
    bot.move(lambda turn: seen.append(turn) or 0)
    message = move_message(game, plies=8) | {"from a later version": 1}
    bot.answer(message, None)
    (turn,) = seen
    assert (turn.game, turn.seat, turn.team) == (game, message["seat"], message["team"])
    assert turn.clock.limit_ms == turn.clock.remaining_ms[turn.seat] == 60_000
    assert turn.seats == GAMES[game].seats[0]
    assert [entry["by"] for entry in turn.history] == ["opening"] * 8
    assert turn.state.text(turn.seat) == turn.position
    assert turn.state.to_move == turn.seat
    assert [str(move) for move in turn.state.legal_moves()] == list(turn.legal_moves)
    assert turn.state is turn.state
    assert turn.deal(bytes(32)).text(turn.seat) == turn.position


def test_receipt_and_error_are_typed_when_there():
    seen = []
    bot = Bot("b")
    bot.move(lambda turn: seen.append(turn) or 0)
    receipt = {"turn": 1, "attempts": 2, "connect_us": 3, "send_us": 4, "wait_us": 5, "receive_us": 6}
    receipt |= {"charged_us": 7, "stamp": "kernel", "tls_us": 8}
    bot.answer(move_message() | {"last_turn": receipt, "error": {"reason": "illegal-move"}}, None)
    assert seen[0].last_turn.charged_us == 7
    assert seen[0].error == {"reason": "illegal-move"}


def test_memory_lasts_for_one_match_and_seat():
    bot = Bot("b", memory=list)
    seen = []
    bot.move(lambda turn: turn.memory.append(turn.turn) or seen.append(list(turn.memory)) or 0)
    bot.start(lambda start: start.memory.append("start"))
    ended = []
    bot.end(lambda end: ended.append(end.memory))
    bot.answer(start_message(match_id="m_1"), None)
    bot.answer(move_message(match_id="m_1"), None)
    bot.answer(move_message(match_id="m_2"), None)
    bot.answer(end_message(match_id="m_1"), None)
    bot.answer(move_message(match_id="m_1"), None)
    assert seen == [["start", 0], [0], [0]]
    assert ended == [["start", 0]]


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr("bots.sdk.responder.MAX_MATCHES", 2)
    bot = Bot("b", memory=list)
    bot.move(lambda turn: turn.memory.append(1) or len(turn.memory) - 1)
    told = [bot.answer(move_message(match_id=match), None).reply["move"] for match in "abcbcab"]
    assert told == [0, 0, 0, 1, 1, 0, 0]


def test_start_gives_a_nonce_of_its_own_or_the_authors():
    bot = Bot("b")
    one, two = (bot.answer(start_message(), None).reply["nonce"] for _ in range(2))
    assert len(one) == 32
    assert one != two
    bot.start(lambda start: "ab")
    assert bot.answer(start_message(), None).reply == {"nonce": "ab"}


def test_the_challenge_is_answered_with_the_secret():
    challenge = "ab" * 32
    message = {"protocol": 1, "type": "verify", "challenge": challenge}
    assert Bot("b").answer(message, SECRET).reply == {"answer": verify_answer(SECRET, challenge)}
    with pytest.raises(BadMessage, match="no signing secret"):
        Bot("b").answer(message, None)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"type": "chat"}, "unknown message type 'chat'"),
        ({}, "unknown message type None"),
        ({"type": "move"}, "no member 'match_id'"),
        ({"type": "verify"}, "no member 'challenge'"),
    ],
)
def test_messages_that_cannot_be_answered(message, why):
    bot = Bot("b")
    bot.move(lambda turn: 0)
    with pytest.raises(BadMessage, match=why):
        bot.answer(message, SECRET)


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [
        ({"control": "per_move", "limit_ms": 1000}, 0.95),
        ({"control": "fischer", "limit_ms": 60_000, "increment_ms": 1000}, 4.0),
        ({"control": "fischer", "limit_ms": 1500, "increment_ms": 1000}, 0.75),
        ({"control": "fischer", "limit_ms": 20, "increment_ms": 0}, 0.001),
        ({"control": "byoyomi", "limit_ms": 15_000, "period_ms": 5000}, 4.95),
        ({"control": "byoyomi", "limit_ms": 300_000, "period_ms": 5000}, 15.0),
        ({"control": "delay", "limit_ms": 12_000, "delay_ms": 2000}, 2.6),
    ],
)
def test_a_share_of_the_time(clock, seconds):
    shares = []
    bot = Bot("b")
    bot.move(lambda turn: shares.append(turn.clock.share_s(20)) or 0)
    message = move_message()
    bot.answer(message | {"clock": message["clock"] | {"increment_ms": 0} | clock}, None)
    assert shares == [pytest.approx(seconds)]

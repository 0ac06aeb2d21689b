"""The SDK's HTTP server, over real sockets."""

import json
import logging
import socket
import threading
import time

import pytest

from bots.sdk import Bot
from engines.protocol import encode, sign
from tests.bots.talk import SECRET, connect, move_message, post, start_message

OTHER_SECRET = "whsec_YW5vdGhlciBzZWNyZXQsIGEgbG9uZyBvbmU="


@pytest.fixture
def bot():
    made = Bot("served")
    made.move(lambda turn: turn.legal_moves[0])
    return made


def test_turns_are_answered_on_one_connection(bot):
    with bot.listen(secret=SECRET) as server:
        line = connect(server)
        assert post(line, start_message())[0] == 200
        first = line.sock
        for _ in range(3):
            assert post(line, move_message()) == (200, {"move": "a1E"})
        assert line.sock is first


def test_several_bots_in_one_process(bot):
    other = Bot("other")
    other.move(lambda turn: turn.legal_moves[-1])
    with bot.listen(secret=SECRET) as one, other.listen(secret=OTHER_SECRET) as two:
        assert post(connect(one), move_message()) == (200, {"move": "a1E"})
        assert post(connect(two), move_message(), OTHER_SECRET) == (200, {"move": "e5W"})
        assert one.url != two.url


def test_a_wrong_signature_is_refused(bot):
    with bot.listen(secret=SECRET) as server:
        status, told = post(connect(server), move_message(), OTHER_SECRET)
        assert (status, told) == (401, {"error": "the signature is not that of this bot's secret"})
        line = connect(server)
        line.request("POST", "/", encode(move_message()))
        assert line.getresponse().status == 401


def test_an_old_signature_is_refused_and_a_rotated_one_taken(bot):
    body = encode(move_message())
    now = int(time.time())
    with bot.listen(secret=SECRET) as server:
        line = connect(server)
        for stamp, secrets, status in (
            (now - 301, [SECRET], 401),
            (now, [OTHER_SECRET, SECRET], 200),
        ):
            line.request("POST", "/", body, sign(secrets, "m:0:1", stamp, body))
            response = line.getresponse()
            response.read()
            assert response.status == status


def test_without_a_secret_anybody_is_answered(bot):
    with bot.listen() as server:
        assert post(connect(server), move_message(), OTHER_SECRET)[0] == 200


def test_a_secret_that_is_none_is_refused_at_once(bot):
    with pytest.raises(ValueError, match="whsec_"):
        bot.listen(secret="my secret")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"type":"chat"}', "unknown message type"),
    ],
)
def test_what_is_no_message_gets_400(bot, body, why):
    with bot.listen(secret=SECRET) as server:
        line = connect(server)
        status, told = post(line, body)
        assert status == 400
        assert why in told["error"]
        assert post(line, move_message())[0] == 200


def test_a_request_that_is_too_large_is_not_read(bot):
    with bot.listen() as server:
        line = connect(server)
        line.putrequest("POST", "/")
        line.putheader("Content-Length", str(256 * 1024 + 1))
        line.endheaders()
        assert line.getresponse().status == 400


def test_a_failure_of_the_authors_code_is_500_and_in_the_log(bot, caplog):
    @bot.move
    def fail(turn):
        raise LookupError("no such opening in my book")

    with bot.listen(secret=SECRET) as server, caplog.at_level(logging.ERROR):
        status, told = post(connect(server), move_message())
        assert (status, told) == (500, {"error": "the bot's own code failed; see its log"})
    assert "no such opening in my book" in caplog.text


def test_a_person_who_looks_is_told_who_answers(bot):
    with bot.listen() as server:
        line = connect(server)
        line.request("GET", "/")
        assert json.loads(line.getresponse().read()) == {"bot": "served", "protocol": 1}


def test_head_and_body_come_in_one_piece(bot):
    body = encode(move_message())
    head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with bot.listen() as server, socket.create_connection(server.server_address) as line:
        line.sendall(head + body)
        assert line.recv(65536).endswith(b'{"move":"a1E"}')


def test_stopping_lets_a_move_be_finished(bot):
    thinking, go_on = threading.Event(), threading.Event()

    @bot.move
    def slow(turn):
        thinking.set()
        go_on.wait(10)
        return "a1E"

    answers = []
    server = bot.listen(secret=SECRET)
    idle = connect(server)
    idle.connect()
    asking = threading.Thread(target=lambda: answers.append(post(connect(server), move_message())))
    asking.start()
    assert thinking.wait(10)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    go_on.wait(0.2)  # until the server has begun to stop
    go_on.set()
    asking.join(10)
    stopping.join(10)
    assert answers == [(200, {"move": "a1E"})]
    assert idle.sock.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.server_address, 1)


def test_a_log_line_per_turn_says_what_was_charged(bot, caplog):
    receipt = dict.fromkeys(("attempts", "connect_us", "send_us", "wait_us", "receive_us"), 1)
    receipt |= {"turn": 4, "charged_us": 12_345, "stamp": "kernel"}
    with caplog.at_level(logging.INFO), bot.listen() as server:
        post(connect(server), move_message() | {"last_turn": receipt})
    assert "served m_test: turn 0, a1E in" in caplog.text
    assert "60.0 s left; turn 4 was charged 12.3 ms" in caplog.text


def test_the_authors_own_key_error_is_not_taken_for_a_bad_message(bot):
    @bot.move
    def fail(turn):
        return {}["no such opening"]

    with bot.listen(secret=SECRET) as server:
        assert post(connect(server), move_message())[0] == 500

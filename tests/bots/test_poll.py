"""Bots that fetch their turns, against a service that keeps to PROTOCOL's "Bots without an address"."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.bots.talk import end_message, move_message, start_message

KEY = "arb_id_secret"


class Service(ThreadingHTTPServer):
    """Hands out messages until they are answered; `answers` by message id, `statuses` are given out first."""

    daemon_threads = True

    def __init__(self, messages=(), bots=(), statuses=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pending = {message["message_id"]: message for message in messages}
        self.bots, self.statuses = list(bots), list(statuses)
        self.answers, self.gone, self.hangs_up = {}, {}, False
        self.polls, self.replies, self.repeats = 0, [], False
        self.lock, self.idle = threading.Lock(), threading.Event()
        self.done = threading.Event()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error):
        self.idle.set()
        self.shutdown()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def send(self, status, value=None, **headers):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.server.hangs_up

    def refused(self):
        if self.headers["Authorization"] != f"Bearer {KEY}":
            self.send(401, {"title": "No such key", "detail": "the key is not known; sign up for one"})
        elif self.server.statuses:
            self.send(self.server.statuses.pop(0), Retry_After="0")
        else:
            return False
        return True

    def do_GET(self):
        if self.refused():
            return
        if self.path.startswith("/v1/bots?"):
            number = int(parse_qs(urlsplit(self.path).query).get("cursor", ["0"])[0])
            more = str(number + 1) if number + 1 < len(self.server.bots) else None
            self.send(200, {"items": self.server.bots[number : number + 1], "next": more})
        elif self.path.startswith("/v1/bots/b_1/turns?wait=30"):
            with self.server.lock:
                self.server.polls += 1
                messages = list(self.server.pending.values())
            if not messages:
                self.server.idle.wait(30)
            self.send(*(200, {"messages": messages}) if messages else (204,))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.refused():
            return
        if self.path == "/v1/bots":
            self.server.bots.append(body | {"id": "b_1", "state": "active"})
            self.send(201, self.server.bots[-1])
            return
        name = re.fullmatch(r"/v1/bots/b_1/replies/(.+)", self.path)[1].replace("%3A", ":")
        with self.server.lock:
            self.server.replies.append(name)
            if not self.server.repeats:
                self.server.pending.pop(name)
            self.server.answers[name] = body
            if not self.server.pending:
                self.server.done.set()
        self.send(self.server.gone.get(name, 204))


def fetching(service, *arguments, module="bots.samples.random_bot", key=KEY):
    command = [sys.executable, "-m", module, "--server", service.url, "--key", key, *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def some_messages():
    return [
        {"message_id": "m_a:start:1", **start_message(match_id="m_a")},
        {"message_id": "m_b:0:1", **move_message(match_id="m_b")},
        {"message_id": "m_c:8:1", **move_message("sorry", plies=8, match_id="m_c")},
        {"message_id": "m_d:end:1", **end_message(match_id="m_d")},
    ]


def test_messages_are_fetched_and_answered_and_the_bot_registers_itself():
    messages = some_messages()
    with Service(messages) as service, fetching(service) as process:
        assert service.done.wait(20)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert service.bots[0]["name"] == "random"
    assert service.bots[0]["transport"] == "poll"
    assert "sorry-points" in service.bots[0]["games"]
    assert len(service.answers["m_a:start:1"]["nonce"]) == 32
    assert service.answers["m_b:0:1"]["move"] in messages[1]["legal_moves"]
    assert service.answers["m_c:8:1"]["move"] in messages[2]["legal_moves"]
    assert service.answers["m_d:end:1"] == {}


def test_a_known_bot_is_found_again_and_a_busy_service_waited_for():
    known = {"id": "b_1", "name": "random", "transport": "poll", "state": "active"}
    others = [{**known, "id": "b_0", "name": "random-2"}, {**known, "id": "b_2", "state": "retired"}]
    service = Service(some_messages(), [*others, known], statuses=[500, 503, 429])
    with service, fetching(service) as process:
        assert service.done.wait(20)
        process.terminate()
        told = process.stderr.read()
    assert "the service answered 503; trying again" in told
    assert len(service.bots) == 3


@pytest.mark.parametrize("status", [409, 410])
def test_an_answer_that_comes_too_late_is_logged_and_no_more(status):
    with Service(some_messages()) as service:
        service.gone["m_b:0:1"] = status
        with fetching(service) as process:
            assert service.done.wait(20)
            process.terminate()
            assert f"m_b:0:1 came too late (the service answered {status}" in process.stderr.read()


def test_a_message_that_comes_once_more_is_not_answered_twice():
    """It was on its way already when its reply came; the bot's memory must not see the turn again."""
    service = Service([some_messages()[1]])
    service.repeats = True
    with service, fetching(service) as process:
        deadline = time.monotonic() + 20
        while service.polls < 4:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.terminate()
    assert service.replies == ["m_b:0:1"]


def test_a_message_that_the_code_fails_at_comes_again(tmp_path, monkeypatch):
    (tmp_path / "moody_bot.py").write_text(
        "from bots.sdk import Bot\n"
        "bot, calls = Bot('moody'), []\n"
        "@bot.move\n"
        "def move(turn):\n"
        "    calls.append(turn)\n"
        "    return [][0] if len(calls) == 1 else turn.legal_moves[0]\n"
        "bot.run()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Service([some_messages()[1]]) as service, fetching(service, module="moody_bot") as process:
        assert service.done.wait(20)
        process.terminate()
        assert "moody could not answer m_b:0:1" in process.stderr.read()
    assert service.answers["m_b:0:1"] == {"move": "a1E"}


def test_a_refused_key_ends_the_bot_with_what_the_service_said():
    with Service() as service, fetching(service, key="arb_wrong") as process:
        told = process.stderr.read()
        assert process.wait(10) == 1
    assert "random: the service answered 401: the key is not known; sign up for one" in told


def test_the_name_of_a_bot_with_an_address_is_not_taken_over():
    known = {"id": "b_1", "name": "random", "transport": "http", "state": "active"}
    with Service(bots=[known]) as service, fetching(service) as process:
        assert "give this bot another name" in process.stderr.read()


def test_connections_that_the_service_has_closed_cost_no_pause():
    messages = [{"message_id": f"m_{n}:0:1", **move_message(match_id=f"m_{n}")} for n in range(20)]
    service = Service(messages)
    service.hangs_up = True
    with service, fetching(service) as process:
        assert service.done.wait(20)
        process.terminate()
        assert "trying again" not in process.stderr.read()
    assert len(service.answers) == 20

"""The client commands against a running service: what people type, and what they are told."""

import json
import time

import pytest
from click.testing import CliRunner

from bots.sdk import Bot
from tests.e2e.conftest import wait_for
from tests.e2e.test_match import first_move
from workers.cli import main
from workers.embedded import free_port

pytestmark = pytest.mark.slow


@pytest.fixture
def arbiter(service):
    """arbiter(key, words…): run the command against the service; its result."""

    def run(key, *words):
        environ = {"ARBITER_SERVER": service.base, "ARBITER_KEY": key, "COLUMNS": "200"}
        return CliRunner().invoke(main, list(words), env=environ)

    return run


def ok(result):
    assert result.exit_code == 0, result.output
    return result.output


def test_from_a_sign_up_to_a_record_that_holds(service, arbiter, tmp_path):
    key = json.loads(ok(arbiter(None, "owner", "sign-up", "Ada", "--json")))["key"]
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    words = ("bot", "register", "ada's", "--game", "quixo", "--url", url, "--concurrency", "2", "--json")
    made = json.loads(ok(arbiter(key, *words)))
    with first_move().listen(port=port, secret=made["secret"]):
        assert "passed" in ok(arbiter(key, "bot", "verify", made["id"]))
        other = service.bot(service.owner(), "quixo", talker())
        printed = ok(arbiter(key, "match", "request", "quixo", made["id"], other, "--watch"))
        assert "begun" in printed
        assert "over:" in printed
        assert "\x1b" not in printed, "a bot's comment does not steer the terminal"
        listed = ok(arbiter(key, "match", "list", "--bot", made["id"], "--json"))
        match = json.loads(listed.splitlines()[0])["id"]
        file = tmp_path / "record.json"
        ok(arbiter(key, "match", "record", match, "-o", str(file)))
        assert "holds" in ok(arbiter(None, "verify", str(file)))
        assert made["id"] in ok(arbiter(key, "ratings", "quixo", "--top", "200"))
        assert match in ok(arbiter(key, "ratings", "quixo", made["id"]))
        wait_for(lambda: "p50" in arbiter(key, "bot", "health", made["id"]).output, "the health")
        file.write_text(file.read_text().replace('"seat": 1', '"seat": 0', 1))
        changed = arbiter(None, "verify", str(file))
        assert changed.exit_code == 1
        assert "does not hold" in changed.output


def talker():
    bot = Bot("talker")

    @bot.move
    def move(turn):
        return turn.legal_moves[0], "\x1b[2J[red]boo"

    return bot


def test_whoever_watches_is_told_once_what_is_waited_for(service, arbiter, monkeypatch):
    monkeypatch.setattr("workers.commands.matches.QUIET_S", 1)
    owner = service.owner()
    slow, quick = service.bot(owner, "quixo", sleeper()), service.bot(owner, "quixo", first_move())
    words = ("match", "request", "quixo", slow, quick, "--watch", "--unrated")
    key = json.loads(ok(arbiter(None, "owner", "sign-up", "Frida", "--json")))["key"]
    printed = ok(arbiter(key, *words))
    assert printed.count("waiting: the match is running") == 1
    assert "over:" in printed


def sleeper():
    bot = Bot("sleeper")

    @bot.move
    def move(turn):
        if turn.state.ply < 3:
            time.sleep(2.5)
        return turn.legal_moves[0]

    return bot


def test_keys_are_listed_made_and_revoked(service, arbiter):
    key = json.loads(ok(arbiter(None, "owner", "sign-up", "Berna", "--json")))["key"]
    made = json.loads(ok(arbiter(key, "key", "new", "laptop", "--scope", "read", "--json")))
    assert "laptop" in ok(arbiter(key, "key", "list"))
    assert "Berna" in ok(arbiter(made["key"], "owner", "me"))
    ok(arbiter(key, "key", "revoke", made["id"]))
    refused = arbiter(made["key"], "owner", "me")
    assert refused.exit_code == 1
    assert "ARBITER_KEY" in refused.output


MISTAKES = [
    (("owner", "me"), "ARBITER_KEY"),
    (("match", "show", "m_quixo_0000000000000000"), "there is no"),
    (("match", "request", "quixo", "b_0000000000000000", "b_0000000000000001"), "ARBITER_KEY"),
    (("ratings", "chess"), "chess"),
]


@pytest.mark.parametrize(("words", "said"), MISTAKES)
def test_mistakes_are_told_in_a_sentence(arbiter, words, said):
    result = arbiter(None, *words)
    assert result.exit_code == 1
    assert said in result.output
    assert "Traceback" not in result.output


def test_a_server_that_is_not_there_is_named():
    environ = {"ARBITER_SERVER": f"http://127.0.0.1:{free_port()}"}
    result = CliRunner().invoke(main, ["match", "list"], env=environ)
    assert result.exit_code == 1
    assert "cannot be reached" in result.output
    assert "--server" in result.output


def test_a_bot_is_found_by_its_name(arbiter):
    def register(key, name):
        words = ("bot", "register", name, "--game", "quixo", "--json")
        return json.loads(ok(arbiter(key, *words)))["id"]

    keys = [json.loads(ok(arbiter(None, "owner", "sign-up", n, "--json")))["key"] for n in ("Dora", "Emil")]
    dora, emil = (register(key, "Twins") for key in keys)
    lone = register(keys[1], "Emil-quixo")
    for key, own in zip(keys, (dora, emil), strict=True):
        assert json.loads(ok(arbiter(key, "bot", "show", "twins", "--json")))["id"] == own
    assert json.loads(ok(arbiter(None, "bot", "show", "emil-Quixo", "--json")))["id"] == lone
    both = arbiter(None, "bot", "show", "Twins")
    assert both.exit_code == 1
    assert dora in both.output
    assert emil in both.output
    refused = arbiter(keys[0], "match", "request", "quixo", "Twins", "nobody")
    assert "no bot called nobody; `arbiter bot list` shows ids" in refused.output
    ok(arbiter(keys[1], "bot", "retire", "Twins"))
    assert json.loads(ok(arbiter(None, "bot", "show", "Twins", "--json")))["id"] == dora


def test_a_server_without_a_scheme_is_told_so():
    result = CliRunner().invoke(main, ["match", "list", "--server", "localhost:8000"])
    assert result.exit_code == 1
    assert "http:// is missing" in result.output
    assert "--server http://localhost:8000" in result.output


def test_a_refusal_of_one_field_is_said_once(arbiter):
    key = json.loads(ok(arbiter(None, "owner", "sign-up", "Cleo", "--json")))["key"]
    taken = ("bot", "register", "cleos", "--game", "quixo", "--url", "http://127.0.0.1:9999/")
    ok(arbiter(key, *taken))
    refused = arbiter(key, *taken)
    assert refused.output.count("already") == 1

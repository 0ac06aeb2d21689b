"""The page of the protocol: its bot plays, its messages are what the engines and the schema say."""

import json
import re
from pathlib import Path

import pytest

import bots
from engines.protocol import encode, verify_answer
from engines.registry import GAMES
from tests.bots.talk import end_message, messages, move_message, start_message

README = Path(bots.__path__[0]) / "README.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README.read_text(), re.DOTALL)
EXAMPLES = [json.loads(text) for language, text in BLOCKS if language == "json"]
SCHEMA = json.loads((Path(bots.__path__[0]).parent / "engines/schemas/bot-protocol-1.json").read_text())
REPLIES = {"verify": "verify-reply", "start": "start-reply", "move": "move-reply"}


def example(kind):
    return next(message for message in EXAMPLES if message.get("type") == kind)


def with_replies():
    """Each example with the schema's name for it; an answer belongs to the message before it."""
    kind = ""
    for value in EXAMPLES:
        if "type" in value:
            kind = value["type"]
            yield kind, value
        else:
            yield ("turns" if "messages" in value else REPLIES.get(kind, "")), value


@pytest.mark.parametrize(("name", "value"), [pair for pair in with_replies() if pair[0]])
def test_examples_keep_to_the_schema(name, value):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(value, {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


@pytest.mark.parametrize("game", sorted(GAMES))
def test_real_messages_keep_to_the_schema(game):
    jsonschema = pytest.importorskip("jsonschema")
    told = [start_message(game), move_message(game), move_message(game, plies=12), end_message(game)]
    for message in [json.loads(encode(message)) for message in told]:
        jsonschema.validate(message, SCHEMA)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**message, "match_id": 7}, SCHEMA)


def test_the_examples_are_all_kinds_of_messages():
    assert {message["type"] for message in EXAMPLES if "type" in message} == {
        "verify",
        "start",
        "move",
        "end",
    }


def test_the_example_of_a_move_is_a_real_position():
    message = example("move")
    game = GAMES[message["game"]]
    state = game.position(message["state"], 2, message["options"], bytes(32))
    assert message["legal_moves"] == [str(move) for move in state.legal_moves()]
    assert message["view"] == state.view(message["seat"])
    assert [value["move"] in message["legal_moves"] for value in EXAMPLES if "comment" in value] == [True]


def test_the_example_of_an_answer_proves_the_secret():
    secret = re.search(r"whsec_[\w+/=]{20,}", README.read_text())[0]
    answer = next(value["answer"] for value in EXAMPLES if "answer" in value)
    assert answer == verify_answer(secret, example("verify")["challenge"])


def test_members_are_those_that_the_service_sends():
    seat = messages()
    assert set(example("end")) == set(
        seat.end({}, rated=True, unrated_reason=None, seed="", chain_head="", record_url="")
    )
    assert set(example("move")["last_turn"]) == set(
        SCHEMA["$defs"]["move"]["properties"]["last_turn"]["required"]
    )


def test_the_first_bot_plays_a_whole_match(tmp_path, series):
    (tmp_path / "first.py").write_text(next(text for language, text in BLOCKS if language == "python"))
    assert len(BLOCKS[0][1].strip().splitlines()) <= 12
    (record,) = series("quixo", str(tmp_path / "first.py"), "random")
    assert record["result"]["faults"] == []


def test_the_bot_of_the_projects_page_plays_as_it_is(tmp_path, series):
    page = (Path(bots.__path__[0]).parent / "README.md").read_text()
    program = tmp_path / "my_bot.py"
    program.write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    for game in GAMES:
        (record,) = series(game, str(program), "random")
        assert record["result"]["faults"] == []

"""`arbiter bot run`: programs in any language enter the service from this machine, without an address."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import bots.starters
from bots.samples import random_bot
from tests.bots.test_starters import needs_node
from workers.commands.bots import STARTERS
from workers.commands.running import run_command

pytestmark = pytest.mark.slow
STARTER = {language: Path(next(iter(bots.starters.__path__))) / file for language, file in STARTERS.items()}
LANGUAGES = ["python", "bare-python", pytest.param("javascript", marks=needs_node)]


@pytest.fixture
def run(service, monkeypatch, tmp_path):
    """run(words…): the command with a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ARBITER_KEY", raising=False)

    def run(*words):
        return CliRunner().invoke(run_command, [*map(str, words), "--server", service.base, "--once"])

    return run


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_signs_up_enters_and_plays_a_rated_match_by_one_command(service, run, tmp_path, language):
    rival = f"Rival of {language}"
    service.bot(service.owner(), "quixo", random_bot.make(), name=rival)
    done = run(STARTER[language], "--name", f"mine {language}", "--as", f"Ada {language}", "--against", rival)
    assert done.exit_code == 0, done.output
    assert re.search(r"over: (line|opponent-line|repetition);", done.output), done.output
    assert "after 1 rated game" in done.output
    kept = tmp_path / ".config/arbiter.toml"
    assert tomllib.loads(kept.read_text())["key"].startswith("arb_")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again = run(STARTER[language], "--name", f"mine {language}", "--against", rival)
    assert "after 2 rated games" in again.output, again.output


def test_without_a_key_and_a_name_it_says_what_to_do(run):
    done = run("random")
    assert done.exit_code == 2
    assert "add --as and your name to sign up" in done.output


def test_a_program_that_mumbles_loses_by_its_own_fault(service, run, tmp_path, caplog):
    rival = service.bot(service.owner(), "quixo", random_bot.make(), name="Rival of a mumbler")
    program = tmp_path / "mumbler.py"
    text = STARTER["bare-python"].read_text()
    assert "json.dumps(reply)" in text
    program.write_text(text.replace("json.dumps(reply)", "('mumble' + json.dumps(reply))"))
    done = run(program, "--as", "Mumbler", "--against", rival)
    assert "malformed-reply" in done.output, done.output
    assert "the reply is not JSON" in caplog.text


def test_a_game_that_the_bot_is_not_registered_for_is_refused_with_what_to_do(service, run):
    rival = service.bot(service.owner(), "sorry", random_bot.make(), name="Rival at Sorry")
    named = ("--name", "one game", "--against", rival)
    done = run("random", *named, "--as", "Newcomer of one game", "--game", "sorry")
    assert done.exit_code == 0, done.output
    refused = run("random", *named, "--game", "quixo")
    assert refused.exit_code == 1
    assert "plays at" not in refused.output
    assert "one game is registered for sorry, not for quixo; `arbiter bot set b_" in refused.output
    assert """'games=["sorry","quixo"]'`""" in refused.output
    assert "over:" in run("random", *named).output, "without --game it plays what it is registered for"

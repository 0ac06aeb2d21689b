"""What `arbiter bot new` writes runs as it is and passes the doctor, in every language."""

import os
import shutil

import pytest
from click.testing import CliRunner

from engines.clock import Control
from engines.registry import GAMES
from service.endpoint import Endpoint
from workers.commands.bots import STARTERS, new_command
from workers.doctor import Level, Patient, by_http, examine
from workers.local_bots import LocalBots, new_secret
from workers.local_play import open_network

needs_node = [
    pytest.mark.node,
    pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed"),
]
LANGUAGES = ["python", "bare-python", pytest.param("javascript", marks=needs_node)]


UNHURRIED = Control("per_move", base_ms=5000)


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def new(*arguments):
        return CliRunner().invoke(new_command, arguments)

    return new


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_passes_the_doctor_and_plays(write, tmp_path, series, language, monkeypatch):
    monkeypatch.setattr("workers.doctor.checks.HURRY", UNHURRIED)  # a busy machine is not the starter's fault
    if language == "javascript" and not shutil.which("node"):
        assert not os.environ.get("CI"), "CI must have Node.js: apt install nodejs"
        pytest.skip("Node.js is not installed")
    done = write("nova-2", "--game", "sorry", "--language", language)
    assert done.exit_code == 0, done.output
    (program,) = tmp_path.glob("nova_2.*")
    secret = new_secret()
    with LocalBots(secret) as found:
        url = found.bot(str(program)).url
        patient = Patient(by_http(Endpoint.parse(url), open_network()), GAMES["sorry"], [secret])
        findings = list(examine(patient))
    assert [finding for finding in findings if finding.level in (Level.ADVICE, Level.ERROR)] == []
    assert {"verification", "signature", "concurrency", "keep-alive"} <= {
        finding.check for finding in findings
    }
    (record,) = series("sorry", str(program), "random")
    assert record["result"]["faults"] == []
    assert "nova-2" in program.read_text()


def test_nothing_is_overwritten_and_names_are_checked(write):
    assert write("nova").exit_code == 0
    again = write("nova")
    assert (again.exit_code, again.output) == (1, "Error: nova.py exists already; choose another name\n")
    assert write("../nova").exit_code == 2


def test_all_languages_are_tested():
    names = [language if isinstance(language, str) else language.values[0] for language in LANGUAGES]
    assert sorted(names) == sorted(STARTERS)

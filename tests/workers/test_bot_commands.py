"""`arbiter play` and `arbiter bot check` as they are typed: output, exit codes, one-line errors."""

import json

import pytest
from click.testing import CliRunner

from bots.samples import random_bot
from engines.record import verify
from tests.hostile import hostile
from workers.commands.checks import check_command
from workers.commands.play import play_command
from workers.local_bots import new_secret

SECRET = new_secret()


def play(*arguments):
    return CliRunner().invoke(play_command, arguments)


def check(*arguments):
    return CliRunner().invoke(check_command, arguments)


def test_a_series_is_summed_up_and_recorded(tmp_path):
    done = play(
        "quixo", "random", "greedy", "--games", "4", "--seed", "7", "--records", str(tmp_path), "--json"
    )
    told = json.loads(done.stdout)
    assert told["seed"] == 7
    assert [bot["name"] for bot in told["bots"]] == ["random", "greedy"]
    assert [bot["played"] for bot in told["bots"]] == [4, 4]
    assert sum(bot["score"] for bot in told["bots"]) == 1
    records = [json.loads(path.read_text()) for path in sorted(tmp_path.iterdir())]
    assert [verify(record) for record in records] == [[]] * 4
    assert all(record["header"]["opening"]["plies"] == 2 for record in records)


def test_more_bots_than_seats_meet_two_by_two(tmp_path):
    """The kinds of bots together: a sample, a program, an address."""
    program = tmp_path / "mine.py"
    program.write_text(
        CRASHING.replace('    print("\\x1b[2Jbook:", [1, 2][turn.state.ply + 7])', "    return 0")
    )
    with random_bot.make().listen() as server:
        done = play("quixo", "greedy", str(program), server.url, "--games", "2", "--seed", "7", "--json")
        table = play("quixo", "greedy", "random", server.url, "--games", "2", "--seed", "7")
    told = json.loads(done.stdout)["bots"]
    assert [bot["name"] for bot in told] == ["greedy", "mine", server.url]
    assert [bot["played"] for bot in told] == [4, 4, 4]
    assert sum(bot["score"] for bot in told) == 1.5
    assert "4 played by each" in table.output


def test_four_fit_into_one_match_of_sorry():
    done = play("sorry", "greedy", "random", "random", "random", "--games", "1", "--json")
    assert [bot["played"] for bot in json.loads(done.stdout)["bots"]] == [1] * 4


def test_a_series_for_people_shows_boards_and_a_table():
    done = play("quixo", "random", "greedy", "--games", "1", "--board")
    assert "game 1: seat 0 random, seat 1 greedy" in done.output
    assert "ply 0: X to move (seat 0)" in done.output
    assert "Elo ahead (95 %:" in done.output


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["quixo", "random", "grady"], "'grady' is no sample bot"),
        (["quixo", "random"], "quixo is played with 2 seats, not 1"),
        (["quixo", "random", "ftp://x"], "http:// or https:// is expected"),
        (["quixo", "random", "greedy", "--clock", "lightning"], "there is no preset 'lightning'"),
        (["quixo", "random", "greedy", "--clock", "{"], "is no JSON"),
        (["sorry", "random", "greedy", "--option", "deals=2"], "sorry has no such option"),
        (["sorry", "random", "greedy", "--option", "turn_limit"], "write it as name=value"),
        (["quixo", "random", "greedy", "--secret", "mine"], "begins with whsec_"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(arguments, why):
    done = play(*arguments)
    assert done.exit_code == 1
    assert done.output.startswith("Error: ")
    assert why in done.output


CRASHING = """
from bots.sdk import Bot

bot = Bot("crashing")

@bot.move
def move(turn):
    print("\\x1b[2Jbook:", [1, 2][turn.state.ply + 7])

bot.run()
"""
DYING = CRASHING.replace("    print", "    import os; os.write(2, b'no book\\n'); os._exit(3)\n    print")


@pytest.mark.parametrize(("program", "printed"), [(CRASHING, "IndexError"), (DYING, "no book")])
def test_a_program_that_crashes_ends_the_series_and_its_output_is_shown(tmp_path, program, printed):
    file = tmp_path / "crashing.py"
    file.write_text(program)
    done = play("quixo", str(file), "random", "--games", "40", "--clock", "rapid", "--json")
    assert done.exit_code == 1
    assert [bot["played"] for bot in json.loads(done.stdout)["bots"]] == [1, 1]
    assert "crashing fails, so no more is played. The last that it printed:" in done.stderr
    assert printed in done.stderr
    assert "\x1b" not in done.stderr


def test_a_program_that_ends_is_not_waited_for(tmp_path):
    """However long its clock is; what it said last is told."""
    (tmp_path / "dying.py").write_text(DYING)
    done = play("quixo", str(tmp_path / "dying.py"), "random", "--games", "2", "--clock", "rapid")
    ended = "the program ended with code 3; the last line it printed: no book"
    assert f"dying: unreachable ×1, the first: {ended}" in " ".join(done.stdout.split())


def test_the_first_fault_of_a_kind_is_told_in_its_sentence(tmp_path):
    (tmp_path / "wrong.py").write_text(CRASHING.replace("    print(", "    return 'z9N'\n    print("))
    done = play("quixo", str(tmp_path / "wrong.py"), "random", "--games", "2", "--opening", "0")
    assert done.exit_code == 0, done.output
    assert "wrong: illegal-move ×2, the first: " in done.output
    assert "z9N" in done.output


def test_a_good_bot_passes_and_a_bad_one_fails():
    with random_bot.make().listen(secret=SECRET) as server:
        done = check(server.url, "--game", "quixo", "--game", "sorry", "--secret", SECRET)
    assert (done.exit_code, done.output.count(" concurrency: ")) == (0, 2), done.output
    with hostile("NaN") as bot:
        done = check(bot.url, "--game", "quixo", "--json")
    findings = [json.loads(line) for line in done.output.splitlines()]
    assert done.exit_code == 1
    assert {f["reason"] for f in findings if f["level"] == "error"} == {"malformed-reply"}
    assert all(f["game"] == "quixo" for f in findings)


def test_an_address_that_is_none_is_said_in_one_line():
    done = check("localhost:9000", "--game", "quixo")
    assert (done.exit_code, done.output.count("\n")) == (1, 1)
    assert "http:// or https:// is expected" in done.output

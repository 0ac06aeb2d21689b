"""Every route of the API has a command: all of them are typed here against a served API.

Which routes were reached is read from /metrics. A new route without a command fails, unless it stands in
WITHOUT with the reason.
"""

import csv
import json
import re
import stat
import threading
import time

import pytest
from click.testing import CliRunner

from service.api.access import ACCESS, scopes_of
from service.models import MatchState, Role
from tests.service.api.playing import begin, play
from tests.service.api.served import Served
from workers.cli import main

WITHOUT = {
    "turns.fetch": "the SDK fetches turns",
    "turns.reply": "the SDK replies to them",
    "health.live": "for whatever watches the service",
    "health.ready": "`arbiter health --api`, on the server",
    "metrics.scrape": "for Prometheus",
    "docs.page": "for people, in a browser",
    "docs.problem": "for people, in a browser",
    "docs.style": "for people, in a browser",
    "docs.schema": "a file for programs",
    "api-docs.openapi_json": "a file for programs",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    found = Served(tmp_path_factory.mktemp("served"), api_threads=4)
    yield found
    found.close()


@pytest.fixture(scope="module")
def arbiter(served):
    """arbiter(key, words…): run the command as that owner; what it printed, parsed where it is JSON."""

    def run(key, *words):
        environ = {"ARBITER_SERVER": served.base, "ARBITER_KEY": key, "COLUMNS": "300"}
        result = CliRunner().invoke(main, [str(word) for word in words], env=environ)
        assert result.exit_code == 0, (words, result.output)
        return json.loads(result.stdout) if "--json" in words else result.stdout

    return run


@pytest.fixture(scope="module")
def admin(served):
    owner = served.store.owners.create("Root", Role.ADMIN)
    return served.store.keys.create(owner.id, "k", scopes_of(Role.ADMIN)).text


@pytest.fixture(scope="module")
def key(arbiter):
    return arbiter(None, "owner", "sign-up", "Ada", "--json")["key"]


def registered(served, arbiter, key, name):
    """A verified bot with an address; its id."""
    words = ("bot", "register", name, "--game", "quixo", "--url", "http://127.0.0.1:9000/", "--json")
    bot = arbiter(key, *words)["id"]
    passed = threading.Thread(target=pass_verification, args=(served.store, bot))
    passed.start()
    assert "passed" in arbiter(key, "bot", "verify", bot)
    passed.join()
    return bot


def pass_verification(store, bot):
    """What a worker does once it is asked to."""
    deadline = time.monotonic() + 10
    while store.verifications.get(bot).state != "pending":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    store.verifications.passed(store.bots.get(bot))


def finish_examination(store, bot):
    """What a worker does once it is asked to."""
    deadline = time.monotonic() + 10
    while (asked := store.examinations.latest(bot)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    store.examinations.finish(store.examinations.begin(asked.id), 0)


def owners(served, arbiter, key, admin, folder):
    me = arbiter(key, "owner", "me", "--json")
    assert "limit" in arbiter(key, "owner", "me")
    arbiter(key, "owner", "show", me["id"])
    made = arbiter(key, "key", "new", "laptop", "--json")
    arbiter(key, "key", "list")
    arbiter(key, "key", "revoke", made["id"])
    code = arbiter(admin, "invitation", "new", "--uses", 2, "--json")
    assert code["id"] in arbiter(admin, "invitation", "list")
    arbiter(admin, "invitation", "revoke", code["id"])
    (folder / "class.csv").write_text("name\nPeter\n")
    arbiter(admin, "owner", "roster", folder / "class.csv")
    added = arbiter(admin, "admin", "add", "Olga", "--role", "organiser", "--json")["owner"]
    assert "Olga" in arbiter(admin, "admin", "owners")
    arbiter(admin, "admin", "role", added, "player")
    arbiter(admin, "admin", "ban", added, "--reason", "as a test")
    arbiter(admin, "admin", "unban", added)
    assert arbiter(admin, "admin", "recover-key", added, "--json")["key"].startswith("arb_")


def hooks(served, arbiter, key, admin, folder):
    hook = arbiter(key, "webhook", "new", "https://example.org/hook", "--json")
    assert hook["id"] in arbiter(key, "webhook", "list")
    arbiter(key, "webhook", "test", hook["id"])
    assert arbiter(key, "webhook", "rotate", hook["id"], "--json")["secret"] != hook["secret"]
    assert arbiter(key, "webhook", "show", hook["id"], "--json")["deliveries"] == []
    assert "match.finished" in arbiter(key, "webhook", "show", hook["id"])
    arbiter(key, "webhook", "delete", hook["id"])


def bots_and_matches(served, arbiter, key, admin, folder):
    pair = [registered(served, arbiter, key, "one"), registered(served, arbiter, admin, "two")]
    for words in (
        ["show", "one"],
        ["list"],
        ["health", "one"],
        ["secret", "one"],
        ["set", "one", "version=2"],
    ):
        arbiter(key, "bot", *words)
    examined = threading.Thread(target=finish_examination, args=(served.store, pair[0]))
    examined.start()
    arbiter(key, "bot", "check", "one")
    examined.join()
    made = [arbiter(key, "match", "request", "quixo", *pair, "--json")["id"] for _ in range(3)]
    play(served.store, made[0])
    held = begin(served.store, made[1])
    served.store.matches.hold(held, "as a test")
    arbiter(key, "match", "watch", made[0])
    arbiter(key, "match", "show", made[0])
    arbiter(key, "match", "list")
    arbiter(key, "match", "record", made[0], "-o", folder / "record.json")
    arbiter(key, "match", "cancel", made[2])
    assert served.store.matches.get(made[1]).state is MatchState.HELD
    assert made[1] in arbiter(admin, "admin", "held")
    arbiter(admin, "admin", "resume", made[1])
    assert "quixo" in arbiter(None, "ratings")
    assert pair[0] in arbiter(None, "ratings", "quixo")
    assert made[0] in arbiter(None, "ratings", "quixo", "one")
    arbiter(None, "ratings", "quixo", "--fit")
    CliRunner().invoke(
        main, ["ratings", "quixo", pair[0], "--against", pair[1]], env={"ARBITER_SERVER": served.base}
    )  # 409: nothing is fitted here
    arbiter(admin, "admin", "void", made[0], "--reason", "as a test")
    arbiter(key, "bot", "retire", "one")


def contests(served, arbiter, key, admin, folder):
    for name in ("three", "four"):
        registered(served, arbiter, key, name)
    cup = arbiter(key, "tournament", "new", "Cup", "quixo", "--json")["id"]
    arbiter(key, "tournament", "set", cup, "cycles=2")
    arbiter(key, "tournament", "open", cup)
    arbiter(key, "tournament", "enter", cup, "three", "four", registered(served, arbiter, key, "five"))
    arbiter(key, "tournament", "withdraw", cup, "five")
    assert "three" in arbiter(key, "tournament", "entrants", cup)
    arbiter(key, "tournament", "start", cup)
    for words in (["show"], ["standings"], ["crosstable"], ["crosstable", "--csv"], ["pairings"]):
        assert arbiter(key, "tournament", words[0], cup, *words[1:])
    assert "three" in arbiter(key, "tournament", "pairings", cup, "--bot", "three")
    assert "five" not in arbiter(key, "tournament", "breakdown", cup)
    assert arbiter(key, "tournament", "breakdown", cup, "--csv").startswith("bot,name")
    arbiter(key, "tournament", "list")
    arbiter(key, "tournament", "pause", cup)
    arbiter(key, "tournament", "resume", cup)
    arbiter(key, "tournament", "export", cup, "-o", folder / "records.jsonl")
    stop = threading.Timer(1.0, served.store.tournaments.set_state, (cup, "cancelled", ("running",), None))
    stop.start()
    arbiter(key, "tournament", "watch", cup)
    stop.join()
    draft = arbiter(key, "tournament", "new", "Plate", "quixo", "--json")["id"]
    arbiter(key, "tournament", "cancel", draft, "--reason", "as a test")


def operating(served, arbiter, key, admin, folder):
    served.store.workers.beat("w1", "matches", 5, 0)
    assert "w1" in arbiter(admin, "admin", "workers")
    assert "yes" in arbiter(admin, "admin", "drain", "w1")
    arbiter(admin, "admin", "undrain", "w1")
    arbiter(admin, "admin", "matchmaking", "pause", "--reason", "as a test")
    assert "as a test" in arbiter(admin, "admin", "matchmaking")
    arbiter(admin, "admin", "matchmaking", "go-on")
    assert "quixo" in arbiter(None, "games")
    assert "rule" in arbiter(None, "games", "quixo")
    assert "roster_names" in arbiter(None, "limits")


PARTS = (owners, hooks, bots_and_matches, contests, operating)


def test_every_route_has_a_command(served, arbiter, key, admin, tmp_path):
    for part in PARTS:
        part(served, arbiter, key, admin, tmp_path)
    text = served.get("/metrics").text
    reached = set(re.findall(r'arbiter_requests_total\{endpoint="([^"]+)"', text))
    missing = ACCESS.keys() - reached - WITHOUT.keys()
    assert not missing, f"routes without a command: {sorted(missing)}; add one, or a reason to WITHOUT"
    assert not WITHOUT.keys() - ACCESS.keys(), "WITHOUT names what is no route"


ROSTER = """\ufeffFirst;Name;Group
Ada;Ada L.;A
Bob;"Bob, the Elder";B
"""


def test_a_class_gets_a_file_of_keys_that_only_its_owner_reads(served, arbiter, admin, tmp_path):
    file, keys = tmp_path / "class.csv", tmp_path / "class-keys.csv"
    file.write_text(ROSTER, encoding="utf-8")
    shown = arbiter(admin, "owner", "roster", file, "--dry-run")
    assert "would add 2 owners" in shown
    assert not keys.exists()
    printed = arbiter(admin, "owner", "roster", file)
    assert "added 2 of 2" in printed
    assert "arb_" not in printed
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    rows = list(csv.DictReader(keys.open(newline="")))
    assert [(row["name"], row["group"], row["problem"]) for row in rows] == [
        ("Ada L.", "A", ""),
        ("Bob, the Elder", "B", ""),
    ]
    for row in rows:
        assert arbiter(row["key"], "owner", "me", "--json")["id"] == row["owner id"]
    again = arbiter(admin, "owner", "roster", file, "-o", tmp_path / "again.csv")
    assert "added 0 of 2" in again
    assert "there is an owner 'Ada L.'" in again


def test_who_may_not_add_a_class_is_told_so_and_no_file_is_left(served, key, tmp_path):
    (tmp_path / "class.csv").write_text("Ann\nBen\n")
    environ = {"ARBITER_SERVER": served.base, "ARBITER_KEY": key}
    for more in ([], ["--dry-run"]):
        words = ["owner", "roster", str(tmp_path / "class.csv"), *more]
        result = CliRunner().invoke(main, words, env=environ)
        assert result.exit_code == 1
        assert "This needs the role organiser; yours is player." in result.output
    assert not (tmp_path / "class-keys.csv").exists()


def test_a_class_larger_than_one_request_gets_one_file(served, arbiter, admin, tmp_path):
    (tmp_path / "large.csv").write_text("".join(f"Pupil number {n}\n" for n in range(301)))
    assert "added 301 of 301" in arbiter(admin, "owner", "roster", tmp_path / "large.csv")
    rows = list(csv.DictReader((tmp_path / "large-keys.csv").open(newline="")))
    assert [row["name"] for row in rows] == [f"Pupil number {n}" for n in range(301)]
    assert len({row["key"] for row in rows}) == 301


WRONG = [
    ("name\nA\nBob\n", "row 1: 'A' is not of 2 to 40 characters"),
    ("name\nAnn\nBob\nANN\n", "row 3: 'ANN' stands in row 1 already"),
    ("", "has no rows"),
    ("name\n", "has no rows"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_wrong_roster_is_refused_whole_by_its_rows(tmp_path, text, said):
    file = tmp_path / "class.csv"
    file.write_text(text)
    result = CliRunner().invoke(main, ["owner", "roster", str(file)])
    assert result.exit_code == 1
    assert said in result.output
    assert not (tmp_path / "class-keys.csv").exists()


def test_a_roster_without_a_heading_is_its_first_column(arbiter, admin, tmp_path):
    file = tmp_path / "class.csv"
    file.write_text("Ann,1\nBob,2\n")
    assert "would add 2 owners" in arbiter(admin, "owner", "roster", file, "--dry-run")
    named = CliRunner().invoke(main, ["owner", "roster", str(file), "--column", "nick"])
    assert "has no column 'nick'; it has: Ann, 1" in named.output


def test_keys_never_overwrite_a_file(served, tmp_path):
    (tmp_path / "class.csv").write_text("Ann\nBob\n")
    (tmp_path / "class-keys.csv").write_text("those of last year")
    environ = {"ARBITER_SERVER": served.base}
    result = CliRunner().invoke(main, ["owner", "roster", str(tmp_path / "class.csv")], env=environ)
    assert "exists already; --output names another file" in result.output
    assert (tmp_path / "class-keys.csv").read_text() == "those of last year"


def test_server_and_key_come_from_options_then_the_environment_then_a_file(served, arbiter, tmp_path):
    keys = {
        name: arbiter(None, "owner", "sign-up", name, "--json")["key"] for name in ("Filed", "Set", "Said")
    }
    (tmp_path / ".config").mkdir()
    text = f'server = "{served.base}"\nkey = "{keys["Filed"]}"\n'
    (tmp_path / ".config/arbiter.toml").write_text(text)

    def me(*words, **environ):
        environ = {"ARBITER_SERVER": None, "ARBITER_KEY": None, "HOME": str(tmp_path), **environ}
        result = CliRunner().invoke(main, ["owner", "me", "--json", *words], env=environ)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)["name"]

    assert me() == "Filed"
    assert me(ARBITER_KEY=keys["Set"]) == "Set"
    assert me("--key", keys["Said"], "--server", served.base, ARBITER_KEY=keys["Set"]) == "Said"

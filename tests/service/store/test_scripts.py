"""The Lua that computes gets the same bits as the Python it was written after."""

import hashlib
import json
import random
import re
from pathlib import Path

import pytest

from service import elo
from service.models import BotState, Role, TournamentState
from service.store import Once, Store, keys, scripts
from service.store.connection import Connection
from tests.service.store.make import LEASE_MS, a_match, played
from tests.service.store.test_tournaments import game, running

FOLDER = Path(scripts.__file__).parent / "lua"
TAKEN_IN = re.compile(r"^--@ (\w+)$", re.MULTILINE)


@pytest.fixture
def lua(redis_server):
    """lua(text, *args): run a script without keys."""
    with redis_server.client() as client:
        yield lambda text, *args: client.eval(text, 0, *args)


def random_game(rng: random.Random) -> tuple[list[int], list[int], list[int], list[int] | None]:
    """Ratings, games, placing and teams of two to four seats, near each other and far apart."""
    seats = rng.choice([2, 2, 3, 4])
    teams = [0, 1, 0, 1] if seats == 4 and rng.random() < 0.5 else None
    spread = rng.choice([10, 400_000, 3_000_000])
    ratings = [max(0, 1_500_000 + rng.randint(-spread, spread)) for _ in range(seats)]
    games = [rng.choice([0, 5, 29, 30, 31, 500]) for _ in range(seats)]
    if teams:
        first = rng.choice([[1, 2], [2, 1], [1, 1]])
        return ratings, games, [first[team] for team in teams], teams
    return ratings, games, [rng.randint(1, seats) for _ in range(seats)], None


def test_elo_is_the_same_in_lua(lua):
    rng = random.Random(5)
    cases = [random_game(rng) for _ in range(5_000)]
    text = (
        scripts.source("elo")
        + """
    local out = {}
    for _, case in ipairs(cjson.decode(ARGV[1])) do
      local seats = {}
      for i, rating in ipairs(case[1]) do
        seats[i] = {rating = rating, games = case[2][i], place = case[3][i], side = case[4][i]}
      end
      out[#out + 1] = elo_changes(seats)
    end
    return cjson.encode(out)"""
    )
    asked = [(r, g, p, t or list(range(len(r)))) for r, g, p, t in cases]
    found = json.loads(lua(text, json.dumps(asked)))
    assert [tuple(map(int, change)) for change in found] == [elo.changes(*case) for case in cases]


def test_elo_table_is_the_same_in_lua(lua):
    text = (
        scripts.source("elo")
        + """
    local out = {}
    for point = 0, 1000 do out[#out + 1] = elo_at(point) end
    return out"""
    )
    assert tuple(lua(text)) == elo.TABLE


def test_sha256_link_is_sha256(lua):
    rng = random.Random(6)
    text = (
        scripts.source("sha256")
        + """
    local out = {}
    for i = 1, #ARGV, 2 do out[#out + 1] = sha256_link(ARGV[i], ARGV[i + 1]) end
    return out"""
    )
    digests = [hashlib.sha256(rng.randbytes(8)).hexdigest() for _ in range(400)] + ["0" * 64, "f" * 64]
    pairs = list(zip(digests[::2], digests[1::2], strict=True))
    assert lua(text, *digests) == [hashlib.sha256(bytes.fromhex(a + b)).hexdigest() for a, b in pairs]


def test_every_script_compiles_and_says_what_it_takes(redis_server):
    taken_in = {name for path in FOLDER.glob("*.lua") for name in TAKEN_IN.findall(path.read_text())}
    with redis_server.client() as client:
        for path in sorted(FOLDER.glob("*.lua")):
            head = path.read_text().split("\n\n")[0]
            assert head.startswith("--"), path.name
            client.script_load(scripts.source(path.stem))
            if path.stem not in taken_in:
                assert "-- KEYS" in head, path.name


def test_scripts_name_no_key():
    """Key names are spelt in keys.py and nowhere else."""
    for path in FOLDER.glob("*.lua"):
        for tag in (keys.ACCOUNTS, keys.CAPACITY, "{quixo}"):
            assert tag not in path.read_text(), path.name
    for path in FOLDER.parent.glob("*.py"):
        if path.name != "keys.py":
            assert not re.search(r"\"\{(accounts|capacity|\{)", path.read_text()), path.name


class OneSlot(Connection):
    """A connection on which whatever is atomic must touch one hash slot only."""

    def call(self, name, keys, args=(), raw=False):
        in_one_slot(name, keys)
        return super().call(name, keys, args, raw)

    def calls(self, calls):
        for call in calls:
            in_one_slot(call.name, call.keys)
        return super().calls(calls)

    def many(self, commands, atomic=False):
        listed = list(commands)
        if atomic:
            in_one_slot("a transaction", [command[1] for command in listed])
        return super().many(listed, atomic)


def in_one_slot(what: str, keys) -> None:
    slots = {key[: key.index("}")] for key in keys}
    assert len(slots) <= 1, f"{what} touches {slots}"


def test_every_step_stays_in_one_slot(redis_url):
    """D4: a ladder's keys share one tag; capacity and accounts have theirs."""
    store = Store(OneSlot(Store.connect(redis_url).db.client))
    new = store.keys.draft("", "first", ("play",))
    owner = store.owners.create("Ann", Role.ORGANISER, new.key, Once("", "k", "p"))
    store.keys.authenticate(new.text)
    contest, (a, b, _) = running(store)
    store.verifications.ask(a.id)
    store.verifications.passed(a)
    store.bots.update(a.id, {"name": "renamed", "concurrency": 3})
    store.bots.set_state(b.id, BotState.ACTIVE)
    one, two = game(contest, 0, a, b), a_match(a, b)
    played(store, one, 1, 2)
    store.matches.create(two, 5, Once(owner.id, "k", "p"))
    store.schedule.ready(5)
    claim = store.matches.claim(two.id, "w", LEASE_MS)
    store.matches.renew([claim], LEASE_MS)
    store.matches.failed(claim, "x")
    store.matches.void(one.id, "x", owner.id)
    store.tournaments.set_state(contest.id, TournamentState.CANCELLED)
    store.sweep.hints()
    store.sweep.mend()
    store.outbox.done(store.outbox.take(5)[0].id)
    store.matchmaking.pause("x", owner.id)
    store.matchmaking.resume()
    store.audit.repair("quixo")
    assert list(store.audit.differences("quixo")) == []

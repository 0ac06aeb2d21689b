"""Until a tournament under pseudonyms is over, nobody can tell from anything who plays in it."""

import json

import pytest

from service.coordinate import advance
from service.models import TournamentState
from service.pseudonyms import told
from tests.service.api.conftest import problem
from tests.service.api.playing import beat, now_ms, play
from tests.service.api.test_tournaments import enter, make


@pytest.fixture
def people(service):
    return [service.somebody() for _ in range(3)]


@pytest.fixture
def contest(service, ada, people):
    """A tournament that Ada hosts, and the bots in it."""
    contest = make(ada, pseudonyms=True)
    bots = [service.bot(person, name=f"Secret-{number}") for number, person in enumerate(people)]
    for bot in bots:
        assert enter(ada, contest, bot["id"]).status_code == 201
    return contest, bots


def pages_of(contest, matches):
    path = f"/v1/tournaments/{contest['id']}"
    tails = ("entrants", "standings", "standings?format=csv", "crosstable", "crosstable?format=csv")
    yield from (f"{path}/{tail}" for tail in (*tails, "breakdown", "pairings", "events"))
    yield path
    yield f"/v1/matches?tournament={contest['id']}"
    yield "/v1/matches"
    yield "/v1/ratings/quixo"
    for match in matches:
        yield from (f"/v1/matches/{match}", f"/v1/matches/{match}/events")


def signs(bots):
    """Everything by which bots could be told."""
    return [text for bot in bots for text in (bot["id"], bot["name"], bot["owner"])]


def step(service, contest, count):
    """Make the next games and play some of them."""
    beat(service.store)
    advance(service.store, contest["id"], now_ms(), 100)
    made = service.store.pairings.books(contest["id"]).open
    for match in list(made.values())[:count]:
        play(service.store, match, moves=2, loser=1)
    return list(service.store.tournaments.games(contest["id"], [0, 1, 2]).values())


def test_nobody_is_told_who_plays_before_the_end(service, ada, people, contest):
    contest, bots = contest
    stages = [[], step_after_start(service, ada, contest)]
    for matches in stages:
        for who, person in enumerate([*people, service.nobody]):
            others = [bot for number, bot in enumerate(bots) if number != who]
            for path in pages_of(contest, matches):
                text = person.get(path).get_data(as_text=True)
                assert not [sign for sign in signs(others) if sign in text], (path, who)


def step_after_start(service, ada, contest):
    assert ada.post(f"/v1/tournaments/{contest['id']}/start").status_code == 200
    return step(service, contest, 1)


def test_filters_and_bots_lists_do_not_tell_either(service, ada, people, contest):
    contest, bots = contest
    step_after_start(service, ada, contest)
    cup = contest["id"]
    for who, person in enumerate([*people, service.nobody]):
        for number, bot in enumerate(bots):
            for query in (f"bot={bot['id']}", f"owner={bot['owner']}"):
                for path in (f"/v1/matches?{query}", f"/v1/matches?{query}&tournament={cup}"):
                    assert bool(person.get(path).json["items"]) is (
                        who == number and has_match(service, cup, bot)
                    )
            found = person.get(f"/v1/tournaments/{cup}/pairings?bot={bot['id']}").json["items"]
            assert bool(found) is (who == number)


def has_match(service, cup, bot):
    games = list(service.store.tournaments.games(cup, [0, 1, 2]).values())
    return any(bot["id"] in {p.bot for p in m.players} for m in service.store.matches.get_many(games))


def test_the_host_and_each_owner_know_what_is_theirs(service, ada, people, contest):
    contest, bots = contest
    [match, *_] = step_after_start(service, ada, contest)
    path = f"/v1/tournaments/{contest['id']}/standings"
    assert {row["bot"] for row in ada.get(path).json["rows"]} == {bot["id"] for bot in bots}
    rows = people[0].get(path).json["rows"]
    assert sorted(row["name"] for row in rows if row["bot"] != bots[0]["id"])[0].startswith("Entrant ")
    assert bots[0]["id"] in {row["bot"] for row in rows}
    assert {row["rating"] for row in rows if row["bot"] != bots[0]["id"]} == {None}
    seen = ada.get(f"/v1/matches/{match}").json["players"]
    assert {player["bot"] for player in seen} <= {bot["id"] for bot in bots}
    assert {player["name"] for player in seen} <= {bot["name"] for bot in bots}


def test_one_is_called_the_same_everywhere(service, ada, contest):
    contest, _ = contest
    [match, *_] = step_after_start(service, ada, contest)
    path = f"/v1/tournaments/{contest['id']}"
    rows = service.nobody.get(f"{path}/standings").json["rows"]
    names = {row["bot"]: row["name"] for row in rows}
    assert sorted(names.values()) == ["Entrant 1", "Entrant 2", "Entrant 3"]
    for player in service.nobody.get(f"/v1/matches/{match}").json["players"]:
        assert names[player["bot"]] == player["name"]
    [pairing] = [p for p in service.nobody.get(f"{path}/pairings").json["items"] if p["match"] == match]
    seats = service.nobody.get(f"/v1/matches/{match}").json["players"]
    assert pairing["bots"] == [player["bot"] for player in seats]
    [bot] = [row["bot"] for row in rows][:1]
    assert service.nobody.get(f"{path}/pairings?bot={bot}").json["items"]
    assert problem(service.nobody.get(f"/v1/bots/{bot}")) == (404, "not-found")


def test_records_wait_and_bots_are_told_pseudonyms(service, ada, people, contest):
    contest, bots = contest
    step_after_start(service, ada, contest)
    finished = [
        m
        for m in service.store.matches.get_many(
            list(service.store.tournaments.games(contest["id"], [0, 1, 2]).values())
        )
        if m.result
    ]
    [match] = finished
    assert problem(people[0].get(f"/v1/matches/{match.id}/record")) == (409, "record-withheld")
    assert (match.rated, match.unrated_reason) == (False, "played under pseudonyms")
    header = [{"seat": p.seat, "bot": p.bot, "name": p.name, "version": p.version} for p in match.players]
    message = json.dumps(told(match, header))
    assert not [sign for sign in signs(bots) if sign in message]


def test_at_the_end_all_is_told(service, ada, contest):
    contest, bots = contest
    step_after_start(service, ada, contest)
    for _ in range(3):
        step(service, contest, 3)
    advance(service.store, contest["id"], now_ms(), 100)
    assert service.store.tournaments.get(contest["id"]).state is TournamentState.FINISHED
    rows = service.nobody.get(f"/v1/tournaments/{contest['id']}/standings").json["rows"]
    assert {row["name"] for row in rows} == {bot["name"] for bot in bots}
    match = service.store.tournaments.games(contest["id"], [0])[0]
    seen = service.nobody.get(f"/v1/matches/{match}").json["players"]
    assert {player["name"] for player in seen} <= {bot["name"] for bot in bots}
    assert service.nobody.get(f"/v1/matches/{match}/record").status_code == 200
